//! What one row costs and asks for: from the curves that all rows share where there are any, else on its own.

use super::items::Items;
use crate::change::Change;
use crate::staleness::{Averages, Demand, Metric, Order, Staleness};

/// What one visit to an item that has none is worth, per unit of frequency: b at frequency 0. For freshness it is the
/// mean time to the next change, in every order: a lone visit keeps the copy fresh until then.
pub(super) fn first_benefit(staleness: Staleness, change: &Change) -> f64 {
    if change.never() {
        return 0.0;
    }
    if staleness.metric != Metric::Freshness {
        return f64::INFINITY;
    }
    change.mean_time()
}

impl Items {
    /// [`Staleness::demand`] of row `i`.
    pub(super) fn demand(&self, staleness: Staleness, i: usize, price: f64) -> Demand {
        let change = self.change(i);
        match self.curves() {
            Some(curves) => curves.demand(staleness, &change, price),
            None => staleness.demand(&change, price),
        }
    }

    /// [`Staleness::benefit`] of row `i`, also at frequency 0.
    pub(super) fn benefit(&self, staleness: Staleness, i: usize, frequency: f64) -> f64 {
        let change = self.change(i);
        match self.curves() {
            _ if frequency == 0.0 => first_benefit(staleness, &change),
            Some(curves) => curves.benefit(staleness, &change, frequency),
            None => staleness.benefit(&change, frequency),
        }
    }

    /// [`Staleness::average`] of row `i`.
    pub(super) fn average(&self, staleness: Staleness, i: usize, frequency: f64) -> f64 {
        let change = self.change(i);
        match self.curves() {
            Some(curves) => curves.average(staleness, &change, frequency),
            None => staleness.average(&change, frequency),
        }
    }

    /// [`Averages::of`] row `i`.
    pub(super) fn averages(&self, order: Order, i: usize, frequency: f64) -> Averages {
        if self.curves().is_none() {
            return Averages::of(&self.change(i), order, frequency);
        }
        let under = |metric| self.average(Staleness { metric, order }, i, frequency);
        Averages {
            stale: under(Metric::Freshness),
            age: under(Metric::Age),
            content: under(Metric::Content),
            harmonic: under(Metric::Harmonic),
        }
    }

    /// [`Staleness::freshness`] of row `i`.
    pub(super) fn freshness(&self, order: Order, i: usize, frequency: f64) -> f64 {
        let change = self.change(i);
        match self.curves() {
            Some(curves) => curves.freshness(order, &change, frequency),
            None => Staleness { metric: Metric::Freshness, order }.freshness(&change, frequency),
        }
    }
}
