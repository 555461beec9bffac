//! Databases whose rates follow a gamma distribution (Cho §5.1, Table 3): uniform against proportional refreshing.
//!
//! With mean rate λ̄ and δ the rates' standard deviation over their mean, the rates are Gamma(shape 1/δ²), and the mean
//! over items visited alike is that of one Gamma–Poisson item. The paper's formulas divide by 1 − δ² and 1 − 2δ²; the
//! divided differences behind [`Change::GammaPoisson`] have no such holes, so nothing special happens at or near them.

use super::gaps::{Fixed, Gaps};
use super::{Metric, Order, Staleness};
use crate::change::Change;
use crate::numeric::gamma::{lower_regularized, mass_beside};
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
/// deviation over the mean. Below δ = 0.03 the edges of the bins are Wilson and Hilferty's, within δ³ or so.
#[must_use]
pub fn rates(mean: f64, deviation: f64, count: usize) -> Vec<f64> {
    let shape = 1.0 / (deviation * deviation);
    if shape < 1e3 {
        spread(mean, shape, count)
    } else if shape < 1e24 {
        narrow(mean, shape, count)
    } else {
        vec![mean; count]
    }
}

/// [`rates`] by the exact edges of the bins.
fn spread(mean: f64, shape: f64, count: usize) -> Vec<f64> {
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

/// [`rates`] for α so large that P(α, x) takes too long: (x/α)^⅓ is all but normal with mean 1 − 1/(9α) and variance
/// 1/(9α) (Wilson and Hilferty).
fn narrow(mean: f64, shape: f64, count: usize) -> Vec<f64> {
    let bins = count as f64;
    let mut below = 0.0;
    let mut normal = 1.0;
    (1..=count)
        .map(|bin| {
            // P(α + 1, x) = P(α, x) − mass, and P(α, x) grows by 1/count from edge to edge.
            let step = if bin == count {
                0.0
            } else {
                // Both tails from the same side: a quantile and its mirror image are each other's negatives to the bit.
                let tail = bin.min(count - bin) as f64 / bins;
                normal = upper_normal_quantile(tail, normal);
                let deviate = if 2 * bin < count { -normal } else { normal };
                let cube_root = deviate / (3.0 * shape.sqrt()) - 1.0 / (9.0 * shape);
                mass_beside(shape, cube_root * (3.0 + cube_root * (3.0 + cube_root)))
            };
            let rate = mean * (1.0 - bins * (step - below));
            below = step;
            rate.max(0.0)
        })
        .collect()
}

/// The x ≥ 0 that a standard normal variable exceeds with chance `tail` ≤ ½, starting from a `guess`.
fn upper_normal_quantile(tail: f64, guess: f64) -> f64 {
    let beyond = |x: f64| 0.5 * libm::erfc(x * core::f64::consts::FRAC_1_SQRT_2);
    let mut x = guess;
    for _ in 0..50 {
        let density = libm::exp(-0.5 * x * x) / (2.0 * core::f64::consts::PI).sqrt();
        // Newton's method on the logarithm, which is concave: no step is too long.
        let chance = beyond(x);
        let step = libm::log(chance / tail) * chance / density;
        x = (x + step).max(0.0);
        if step.abs() <= 1e-15 * x.max(1.0) {
            break;
        }
    }
    x
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
    fn rates_that_hardly_differ_keep_their_mean_and_their_deviation() {
        for deviation in [0.05, 0.035, 0.031, 0.02, 0.01, 1e-3, 1e-6, 1e-9] {
            for count in [2, 10, 1000, 4001] {
                let rates = rates(1.0, deviation, count);
                let bins = count as f64;
                let mean = rates.iter().sum::<f64>() / bins;
                let variance = rates.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / bins;
                assert!((mean - 1.0).abs() < 1e-13, "δ = {deviation}: mean {mean}");
                assert!(rates.is_sorted(), "δ = {deviation}");
                // Two halves of a normal lie √(2/π) deviations from their mean.
                let kept = if count == 2 { (2.0 / core::f64::consts::PI).sqrt() } else { 1.0 };
                let slack = if count == 10 { 0.06 } else { 0.02 };
                assert!(
                    (variance.sqrt() / (deviation * kept) - 1.0).abs() < slack,
                    "δ = {deviation}, {count}: {rates:?}"
                );
            }
        }
        assert_eq!(rates(2.0, 1e-30, 2), vec![2.0; 2]);
    }

    #[test]
    fn approximate_edges_give_the_rates_of_exact_ones() {
        for shape in [1e3, 2e4] {
            for (exact, near) in spread(1.0, shape, 50).into_iter().zip(narrow(1.0, shape, 50)) {
                assert!((exact / near - 1.0).abs() < 0.3 / (shape * shape.sqrt()), "{shape}: {exact} {near}");
            }
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
