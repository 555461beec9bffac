//! Full history: n changes in a span τ, λ̂ = n/τ with standard error √n/τ (spec: "Where rates come from").
//!
//! The interval is the *mid-P* one: half of the chance of the count itself is given to either tail. The exact interval of
//! Garwood covers 95 % at the least and 97 to 98 % at small counts; mid-P covers 95 % on average (H. O. Lancaster, 1961).

use crate::numeric::gamma::lower_regularized;
use crate::numeric::root::log_root;

/// The chance left on either side of an interval.
pub(super) const TAIL: f64 = 0.025;

/// From here on the cube-root normal approximation is exact to six digits.
const MANY: f64 = 1e5;

/// The 97.5 % quantile of the normal distribution.
pub(super) const NORMAL: f64 = 1.959_963_984_540_054;

/// The 95 % interval of a rate after so many changes in a span; without a change, from 0 to the 95 % upper limit.
pub(super) fn interval(changes: f64, exposure: f64) -> (f64, f64) {
    if exposure <= 0.0 {
        return (0.0, f64::INFINITY);
    }
    let bound = |tail: f64, z: f64| {
        if changes == 0.0 {
            // ½·e^(−μ) = 0.025.
            return if z < 0.0 { 0.0 } else { -libm::log(2.0 * TAIL) };
        }
        let guess = wilson_hilferty(changes + 0.5, z);
        if changes >= MANY {
            return guess;
        }
        let chance = |mean: f64| 0.5 * (lower_regularized(changes, mean) + lower_regularized(changes + 1.0, mean));
        log_root(chance, tail, guess)
    };
    (bound(TAIL, -NORMAL) / exposure, bound(1.0 - TAIL, NORMAL) / exposure)
}

/// The quantile of a Gamma(a) at the normal quantile z (E. B. Wilson, M. M. Hilferty, 1931).
fn wilson_hilferty(a: f64, z: f64) -> f64 {
    let step = 1.0 - 1.0 / (9.0 * a) + z / (3.0 * a.sqrt());
    a * (step * step * step).max(1e-4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_chance_of_the_count_lies_on_either_side() {
        // Poisson sums by hand: P(N < n) + P(N = n)/2 = 0.025 at the upper end, 0.975 at the lower.
        for n in [1_u32, 2, 5, 17, 60] {
            let (low, high) = interval(f64::from(n), 1.0);
            for (mean, expected) in [(low, 0.975), (high, 0.025)] {
                let mut term = f64::exp(-mean);
                let mut below = 0.0;
                for k in 0..n {
                    below += term;
                    term *= mean / f64::from(k + 1);
                }
                assert!((below + 0.5 * term - expected).abs() < 1e-12, "{n}: {mean}");
            }
        }
    }

    #[test]
    fn no_change_leaves_the_rule_of_three() {
        let (low, high) = interval(0.0, 10.0);
        assert!(low == 0.0 && (high - 0.299_573_227_355_399).abs() < 1e-12);
        assert_eq!(interval(3.0, 0.0), (0.0, f64::INFINITY));
    }

    #[test]
    fn many_changes_are_approximated_without_a_step() {
        let (below, above) = (interval(MANY - 1.0, 1.0), interval(MANY, 1.0));
        assert!((above.0 - below.0 - 1.0).abs() < 0.02 && (above.1 - below.1 - 1.0).abs() < 0.02);
    }
}
