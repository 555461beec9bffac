//! Databases whose rates follow a gamma distribution (Cho §5.1, Table 3): uniform against proportional refreshing.
//!
//! With mean rate λ̄ and δ the rates' standard deviation over their mean, the rates are Gamma(shape 1/δ²), and the mean
//! over items visited alike is that of one Gamma–Poisson item. The paper's formulas divide by 1 − δ² and 1 − 2δ²; the
//! divided differences behind [`Change::GammaPoisson`] have no such holes, so nothing special happens at or near them.

use super::gaps::{Fixed, Gaps};
use super::{Metric, Order, Staleness};
use crate::change::Change;
use crate::numeric::gamma::lower_regularized;
use crate::numeric::root::log_root;

/// A database with gamma-distributed rates, refreshed so that each item is visited once per unit of time on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GammaDatabase {
    /// r = λ̄I: changes per visit, on average over the items.
    pub ratio: f64,
    /// δ²: variance of the rates over their mean squared.
    pub variance: f64,
}

impl GammaDatabase {
    /// Mean freshness when all items are visited alike.
    #[must_use]
    pub fn uniform_freshness(&self) -> f64 {
        Staleness { metric: Metric::Freshness, order: Order::Fixed }.freshness(&self.item(), 1.0)
    }

    /// Mean age over I when all items are visited alike.
    #[must_use]
    pub fn uniform_age(&self) -> f64 {
        Staleness { metric: Metric::Age, order: Order::Fixed }.average(&self.item(), 1.0)
    }

    /// Mean freshness when visits are in proportion to rates: every item has the same r.
    #[must_use]
    pub fn proportional_freshness(&self) -> f64 {
        Fixed::freshness(self.ratio)
    }

    /// Mean age over I when visits are in proportion to rates; infinite once δ² ≥ 1, where items that hardly ever
    /// change, and so are hardly ever visited, are too many.
    #[must_use]
    pub fn proportional_age(&self) -> f64 {
        if self.variance < 1.0 { Fixed::age(self.ratio) / (1.0 - self.variance) } else { f64::INFINITY }
    }

    /// An item drawn at random, at I = 1.
    fn item(&self) -> Change {
        if self.variance > 0.0 && self.ratio > 0.0 {
            let alpha = 1.0 / self.variance;
            Change::GammaPoisson { alpha, beta: alpha / self.ratio }
        } else {
            Change::Poisson { rate: self.ratio }
        }
    }
}

/// `count` rates that stand for a gamma database: the mean of each of `count` equally likely bins, in increasing order.
///
/// Bins keep the mean of the whole exactly, which quantiles at their middles would not. `deviation` is δ, the standard
/// deviation over the mean.
#[must_use]
pub fn rates(mean: f64, deviation: f64, count: usize) -> Vec<f64> {
    let shape = 1.0 / (deviation * deviation);
    if !shape.is_finite() {
        return vec![mean; count];
    }
    let bins = count as f64;
    let mut below = 0.0;
    let mut edge = shape;
    (1..=count)
        .map(|bin| {
            // E[λ; λ < x] = λ̄·P(α + 1, αx/λ̄).
            let reached = if bin == count {
                1.0
            } else {
                edge = log_root(|x| lower_regularized(shape, x), bin as f64 / bins, edge);
                lower_regularized(shape + 1.0, edge)
            };
            let rate = mean * bins * (reached - below);
            below = reached;
            rate.max(0.0)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_keep_their_mean_and_nearly_their_deviation() {
        for deviation in [0.1_f64, 0.5, 1.0, 2.0] {
            let rates = rates(3.0, deviation, 2000);
            let mean = rates.iter().sum::<f64>() / 2000.0;
            let variance = rates.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / 2000.0;
            assert!((mean / 3.0 - 1.0).abs() < 1e-12, "δ = {deviation}: mean {mean}");
            assert!((variance.sqrt() / (3.0 * deviation) - 1.0).abs() < 0.01, "δ = {deviation}: variance {variance}");
            assert!(rates.is_sorted(), "δ = {deviation}");
        }
    }

    #[test]
    fn exponential_rates_have_the_quantile_means_of_the_exponential() {
        // Halves of the exponential split at ln 2: means 1 − ln 2 and 1 + ln 2.
        let halves = rates(1.0, 1.0, 2);
        assert!((halves[0] - (1.0 - core::f64::consts::LN_2)).abs() < 1e-14, "{halves:?}");
        assert!((halves[1] - (1.0 + core::f64::consts::LN_2)).abs() < 1e-14, "{halves:?}");
    }

    #[test]
    fn without_spread_all_rates_are_the_mean() {
        assert_eq!(rates(2.5, 0.0, 3), vec![2.5; 3]);
        assert!(rates(1.0, 1.0, 0).is_empty());
    }

    #[test]
    fn nothing_happens_around_the_holes_of_the_printed_formulas() {
        for hole in [0.5, 1.0] {
            let at = |variance| GammaDatabase { ratio: 2.0, variance };
            for step in [1e-15, 1e-12, 1e-9] {
                let freshness = at(hole + step).uniform_freshness() - at(hole - step).uniform_freshness();
                let age = at(hole + step).uniform_age() - at(hole - step).uniform_age();
                assert!(freshness.abs() < step + 1e-15 && age.abs() < step + 1e-15, "{hole} ± {step}");
            }
        }
    }
}
