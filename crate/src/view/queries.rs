//! The table of queries: sorted and paged here, so that many of them cost the page only what it shows.

use serde::Deserialize;

use super::write::query_text;
use crate::numeric::sort;
use crate::probe::{QueryOrder, Relation, Report};

/// What the table is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum QuerySort {
    /// The order of the choosing.
    Number,
    /// The keywords, by code point.
    Terms,
    /// Rows that it is the first to refresh.
    Rows,
    /// Results on the server.
    ServerCount,
    /// Requests it takes.
    Requests,
    /// Expected gain over cost.
    Score,
    /// Its place in a round.
    Place,
    /// aᵢ.
    A,
    /// How often it is sent at cube-root frequencies.
    Frequency,
}

/// Which queries of the table are wanted.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct QueriesQuery {
    /// Sorted by this.
    pub sort: QuerySort,
    /// Largest first.
    pub descending: bool,
    /// Skip so many.
    pub from: usize,
    /// Give so many at most.
    pub count: usize,
    /// Requests per unit of time, which decide how often each is sent.
    pub budget: f64,
    /// The time between two queries of a round, which decides its aᵢ.
    pub interval: f64,
}

/// The place of each query in a round.
#[must_use]
pub fn places(order: &[u32]) -> Vec<f64> {
    let mut places = vec![f64::NAN; order.len()];
    order.iter().enumerate().for_each(|(place, &query)| places[query as usize] = place as f64);
    places
}

/// The numbers of the wanted queries; those that tie stay in the order of the choosing.
#[must_use]
pub fn wanted(
    query: &QueriesQuery,
    relation: &Relation,
    report: &Report,
    round: &QueryOrder,
    frequency: &[f64],
) -> Vec<u32> {
    let probes = &report.queries;
    let key: &dyn Fn(usize) -> f64 = match query.sort {
        QuerySort::Number => &|number| number as f64,
        QuerySort::Terms => {
            let texts: Vec<String> =
                probes.iter().map(|probe| query_text(relation.vocabulary(), &probe.terms)).collect();
            let mut numbers: Vec<u32> = (0..).take(texts.len()).collect();
            sort::places(&mut numbers, &|a, b| texts[a as usize].cmp(&texts[b as usize]));
            if query.descending {
                numbers.reverse();
            }
            return page(query, numbers);
        }
        QuerySort::Rows => &|number| probes[number].new as f64,
        QuerySort::ServerCount => &|number| probes[number].server,
        QuerySort::Requests => &|number| probes[number].requests,
        QuerySort::Score => &|number| probes[number].score,
        QuerySort::Place => {
            let places = places(&round.order);
            return page(query, sort::order(places.into_iter(), query.descending));
        }
        QuerySort::A => &|number| round.a[number],
        QuerySort::Frequency => &|number| frequency[number],
    };
    page(query, sort::order((0..probes.len()).map(key), query.descending))
}

fn page(query: &QueriesQuery, mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.truncate(query.from.saturating_add(query.count));
    numbers.drain(..query.from.min(numbers.len()));
    numbers
}
