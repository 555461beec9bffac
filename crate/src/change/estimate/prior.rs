//! The population's rates as a Gamma, fitted to all items at once (empirical Bayes), so that an item with little history borrows
//! strength from the others.
//!
//! With cᵢ changes in τᵢ and λᵢ ~ Gamma(a, rate b), cᵢ is negative binomial and
//!
//! ```text
//! ℓ(a, b) = Σ ln Γ(cᵢ + a) − ln Γ(a) + a ln b − (cᵢ + a) ln(b + τᵢ)
//! ```
//!
//! For a given a the best b is one root, Σ a/b = Σ (cᵢ + a)/(b + τᵢ); ln a is searched over a grid and then by golden section,
//! bounded on both sides, which cannot fail where Newton's method in two variables does.

use crate::numeric::root::log_root;

/// A Gamma distribution of rates: shape `alpha`, rate `beta`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Gamma {
    /// The shape.
    pub alpha: f64,
    /// The rate: a time.
    pub beta: f64,
}

/// ln a from 0.001, where hardly any item ever changes, to a million, where all are alike.
const LEAST: f64 = -7.0;
const MOST: f64 = 13.8;
const GRID: usize = 27;
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The Gamma of the population, from a count (whole or not) and an exposure for each item.
///
/// Fewer than three watched items tell nothing of their spread: then it is Jeffreys' Gamma(½, 0), under which an item speaks for
/// itself. Without any change it is Gamma(½, Στ), what Jeffreys' rule makes of all items as one.
#[must_use]
pub fn population(evidence: &[(f64, f64)]) -> Gamma {
    let evidence: Vec<(f64, f64)> = evidence.iter().copied().filter(|(_, exposure)| *exposure > 0.0).collect();
    let (changes, exposure) = evidence.iter().fold((0.0, 0.0), |(c, e), &(count, time)| (c + count, e + time));
    if changes <= 0.0 {
        return Gamma { alpha: 0.5, beta: exposure };
    }
    if evidence.len() < 3 {
        return Gamma { alpha: 0.5, beta: 0.0 };
    }
    let at = |log_alpha: f64| {
        let alpha = libm::exp(log_alpha);
        let beta = best_beta(alpha, &evidence, exposure / changes);
        (log_likelihood(alpha, beta, &evidence), Gamma { alpha, beta })
    };
    let width = (MOST - LEAST) / (GRID - 1) as f64;
    let best = (0..GRID)
        .map(|point| LEAST + width * point as f64)
        .map(|place| (at(place).0, place))
        .fold((f64::NEG_INFINITY, 0.0), |best, next| if next.0 > best.0 { next } else { best });
    let (mut low, mut high) = ((best.1 - width).max(LEAST), (best.1 + width).min(MOST));
    while high - low > 1e-3 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if at(left).0 >= at(right).0 { high = right } else { low = left }
    }
    at(0.5 * (low + high)).1
}

fn best_beta(alpha: f64, evidence: &[(f64, f64)], mean_time: f64) -> f64 {
    let items = evidence.len() as f64;
    // The share of a·N that the items take falls as b does; at the root it is all of it.
    let share = |beta: f64| {
        let weight: f64 = evidence.iter().map(|(count, time)| (count + alpha) / (beta + time)).sum();
        beta * weight / (alpha * items)
    };
    log_root(share, 1.0, alpha * mean_time)
}

fn log_likelihood(alpha: f64, beta: f64, evidence: &[(f64, f64)]) -> f64 {
    let each = |&(count, time): &(f64, f64)| {
        // ln Γ(c + a) − ln Γ(a), which for huge a would lose all digits as a difference.
        let rising = if count <= 8.0 && count.fract() == 0.0 {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 8")]
            let terms = count as u32;
            (0..terms).map(|k| libm::log((alpha + f64::from(k)) / (beta + time))).sum::<f64>()
        } else {
            libm::lgamma(count + alpha) - libm::lgamma(alpha) - count * libm::log(beta + time)
        };
        rising - alpha * libm::log1p(time / beta)
    };
    crate::numeric::sum::sum(evidence.iter().map(each))
}
