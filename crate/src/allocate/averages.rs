//! What a plan comes to, in every metric at once.

use super::items::Items;
use super::sum::Sum;
use crate::staleness::{Metric, Order, Staleness};

/// Means over all items, weighted by weight × count, of a plan's long-run freshness and costs. NaN where the change model
/// does not define the metric, and everywhere when all weights are 0. ∞ where an item that changes and weighs is never
/// visited (all but freshness).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Averages {
    /// The share of time that a copy is up to date.
    pub freshness: f64,
    /// Time since the first missed change.
    pub age: f64,
    /// Sum of the delays of all missed changes.
    pub content: f64,
    /// 1 + 1/2 + … + 1/k for k missed changes.
    pub harmonic: f64,
}

impl Averages {
    /// The mean in this metric, as people say it: freshness as freshness, the others as costs.
    #[must_use]
    pub fn get(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Freshness => self.freshness,
            Metric::Age => self.age,
            Metric::Content => self.content,
            Metric::Harmonic => self.harmonic,
        }
    }
}

/// The averages of any plan: `frequency` holds one frequency per row of `items`.
#[must_use]
pub fn averages(items: &Items, order: Order, frequency: &[f64]) -> Averages {
    Averages {
        freshness: 1.0 - mean(items, Staleness { metric: Metric::Freshness, order }, frequency),
        age: mean(items, Staleness { metric: Metric::Age, order }, frequency),
        content: mean(items, Staleness { metric: Metric::Content, order }, frequency),
        harmonic: mean(items, Staleness { metric: Metric::Harmonic, order }, frequency),
    }
}

/// The mean cost of a plan in one metric; for freshness the stale share.
pub(super) fn mean(items: &Items, staleness: Staleness, frequency: &[f64]) -> f64 {
    if !staleness.defined_for(items.model()) {
        return f64::NAN;
    }
    let mut cost = Sum::default();
    for (i, &f) in frequency.iter().enumerate().take(items.len()) {
        let stake = items.stake(i);
        if stake > 0.0 {
            cost.add(stake * staleness.average(&items.change(i), f));
        }
    }
    cost.total() / items.total_stake()
}
