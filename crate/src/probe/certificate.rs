//! How far the greedy queries can be from the cheapest ones: a lower bound from dual prices.
//!
//! # What is bounded
//!
//! The least cost of any set of the queries considered (every conjunction of up to `max_terms` keywords that [`super::greedy`]
//! describes, top-k or not) that matches at least the rows that the greedy queries match. If the run covered all it could,
//! that is the least cost of covering; if it was stopped early, it is the least cost of covering *those* rows, and says
//! nothing of other rows that might have been covered instead. Costs are those of [`super::cost::Cost`], tuples or requests,
//! on the same server counts: method 1 or 2 only changes what a query costs, and the argument holds for any costs.
//!
//! # Why it is a bound
//!
//! Give each covered row r a price y(r) ≥ 0 such that no query's rows are priced above its cost:
//! Σ_{r∈q} y(r) ≤ cost(q). Any set Q that covers the rows then costs Σ_{q∈Q} cost(q) ≥ Σ_{q∈Q} Σ_{r∈q} y(r) ≥ Σ y(r):
//! weak duality of the covering program of §3.3.
//!
//! The greedy run suggests prices: what a query cost, shared by the rows it was first to cover. They may be too high for some
//! query q by a factor load(q) = Σ_{r∈q} y(r)/cost(q). Dividing each price by the largest load of the row's queries makes
//! them feasible: Σ_{r∈q} y(r)/max_{q'∋r} load(q') ≤ Σ_{r∈q} y(r)/load(q) = cost(q). Where all loads of a row's queries are
//! below 1 the same step raises its price, so repeating it never lowers the bound.

use super::cost::Cost;
use super::greedy::Candidates;
use super::index::{Index, Lists, Splitter};

/// How often prices are made feasible and raised: once is enough for a bound, and more make it better.
const MOST_SWEEPS: usize = 4;
/// Keywords of all rows beyond which once has to do.
const MANY: usize = 200_000;

/// A sweep over all queries, in steps.
#[derive(Debug)]
pub(super) struct Certificate {
    price: Vec<f64>,
    /// The largest load of each row's queries in this sweep.
    load: Vec<f64>,
    sweep: usize,
    sweeps: usize,
    keyword: usize,
    pairs: Splitter,
    triples: Splitter,
}

impl Certificate {
    /// Starts from what each group's query cost, shared by its rows.
    pub(super) fn new(index: &Index, groups: &Lists, cost: impl Iterator<Item = f64>) -> Self {
        let (rows, keywords) = (index.rows.len(), index.postings.len());
        let mut price = vec![0.0; rows];
        for (group, cost) in groups.iter().zip(cost) {
            let share = cost / group.len() as f64;
            for &row in group {
                price[row as usize] = share;
            }
        }
        let sweeps = if index.rows.entries() > MANY { 1 } else { MOST_SWEEPS };
        let (pairs, triples) = (Splitter::new(keywords), Splitter::new(keywords));
        Self { price, load: vec![0.0; rows], sweep: 0, sweeps, keyword: 0, pairs, triples }
    }

    /// Looks at queries until about so many rows have been looked at; says whether all sweeps are done.
    pub(super) fn step(&mut self, queries: &Candidates, rows: usize) -> bool {
        let mut left = rows;
        while self.sweep < self.sweeps && left > 0 {
            if self.keyword == queries.index.postings.len() {
                for (price, load) in self.price.iter_mut().zip(&mut self.load) {
                    *price = if *load > 0.0 { *price / *load } else { 0.0 };
                    *load = 0.0;
                }
                self.keyword = 0;
                self.sweep += 1;
                continue;
            }
            left = left.saturating_sub(self.look(queries, self.keyword) + 1);
            self.keyword += 1;
        }
        self.sweep == self.sweeps
    }

    /// How much of the sweeps is done.
    pub(super) fn fraction(&self, keywords: usize) -> f64 {
        (self.sweep as f64 + self.keyword as f64 / keywords.max(1) as f64) / self.sweeps as f64
    }

    /// The bound.
    pub(super) fn bound(&self, cost: Cost) -> f64 {
        let total = crate::numeric::sum::sum(self.price.iter().copied());
        // Whole requests; and rounding must not make the bound too good.
        if cost.in_requests() { (total * (1.0 - 1e-9) - 1e-9).ceil().max(0.0) } else { total * (1.0 - 1e-12) }
    }

    /// Takes in the loads of all queries whose first keyword is this one.
    fn look(&mut self, queries: &Candidates, keyword: usize) -> usize {
        let Candidates { index, narrow, server, cost, max_terms } = queries;
        let max_terms = *max_terms;
        let Ok(first) = u32::try_from(keyword) else { return 0 };
        let Self { price, load, pairs, triples, .. } = self;
        let mut take = |terms: &[u32], rows: &[u32]| {
            let priced: f64 = rows.iter().map(|&row| price[row as usize]).sum();
            if priced > 0.0 {
                let here = priced / cost.of(server.count(terms, rows.len()).0);
                for &row in rows {
                    let most = &mut load[row as usize];
                    *most = most.max(here);
                }
            }
        };
        let rows = index.postings.get(keyword);
        take(&[first], rows);
        if max_terms < 2 {
            return rows.len();
        }
        let rows = narrow.postings.get(keyword);
        pairs.split(&narrow.rows, rows, first, &mut |second, rows| {
            take(&[first, second], rows);
            if max_terms > 2 {
                triples.split(&narrow.rows, rows, second, &mut |third, rows| take(&[first, second, third], rows));
            }
        });
        rows.len() * if max_terms > 2 { 64 } else { 8 }
    }
}
