//! Which queries are considered, and what they cost.
//!
//! Every keyword, and every conjunction of up to `max_terms` keywords that some row has, formed from the [`width`] most
//! frequent keywords of each row at most: a cell of ten thousand words has fifty million pairs. The rows that a conjunction
//! matches are counted over those keywords too, so it never promises too much.

use std::sync::Arc;

use crate::probe::cost::Cost;
use crate::probe::index::{Index, Lists};
use crate::probe::server::Server;

/// The most conjunctions of a table, counted with every row that has them: as many entries as memory and patience allow.
const MOST_CONJUNCTIONS: usize = 12_000_000;

/// The queries that are considered and what they cost.
#[derive(Debug, Clone)]
pub(in crate::probe) struct Candidates {
    pub(in crate::probe) index: Arc<Index>,
    /// What conjunctions see: the same, or rows cut to the width.
    pub(in crate::probe) narrow: Arc<Index>,
    pub(in crate::probe) server: Arc<Server>,
    pub(in crate::probe) cost: Cost,
    pub(in crate::probe) max_terms: usize,
}

/// How many keywords of a row conjunctions are formed from, so that all rows together have at most so many conjunctions.
#[must_use]
pub fn width(rows: &Lists, max_terms: usize) -> usize {
    width_for(rows, max_terms, MOST_CONJUNCTIONS)
}

fn width_for(rows: &Lists, max_terms: usize, most: usize) -> usize {
    let widest = rows.iter().map(<[u32]>::len).max().unwrap_or(0);
    if max_terms < 2 {
        return widest;
    }
    let mut of_length = vec![0_usize; widest + 1];
    rows.iter().for_each(|row| of_length[row.len()] += 1);
    let conjunctions = |length: usize| {
        let pairs = length.saturating_mul(length.saturating_sub(1)) / 2;
        let triples = if max_terms > 2 { pairs.saturating_mul(length.saturating_sub(2)) / 3 } else { 0 };
        pairs.saturating_add(triples)
    };
    let total = |width: usize| {
        let of = |(length, &rows): (usize, &usize)| conjunctions(length.min(width)).saturating_mul(rows);
        of_length.iter().enumerate().map(of).fold(0, usize::saturating_add)
    };
    let (mut fits, mut fails) = (1, widest + 1);
    while fails - fits > 1 {
        let middle = usize::midpoint(fits, fails);
        if total(middle) <= most { fits = middle } else { fails = middle }
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjunctions_are_formed_from_as_many_keywords_as_the_limit_allows() {
        let rows: Lists = [(0..10).collect(), (0..100).collect(), vec![]].into_iter().collect::<Lists>();
        assert_eq!(width_for(&rows, 2, 1_000_000), 100);
        assert_eq!(width_for(&rows, 1, 0), 100);
        assert_eq!(width_for(&rows, 2, 45 + 190), 20);
        assert_eq!(width_for(&rows, 2, 45 + 189), 19);
        assert_eq!(width_for(&rows, 3, 45 + 120 + 45 + 120), 10);
        assert_eq!(width_for(&rows, 2, 0), 1);
        assert_eq!(width_for(&Lists::default(), 3, 0), 1);
    }
}
