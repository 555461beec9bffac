//! Full history: n changes in a span τ, λ̂ = n/τ with standard error √n/τ (spec: "Where rates come from").
//!
//! The interval is Jeffreys': from the 2.5 % to the 97.5 % quantile of a Gamma(n + ½). The exact interval of Garwood covers 95 % at
//! the least, and 98 % and more at few changes; this one covers 95 % on average there too (L. D. Brown, T. T. Cai, A. `DasGupta`,
//! *Interval estimation in exponential families*, 2003).

use crate::numeric::gamma::lower_regularized;
use crate::numeric::root::log_root;

/// The chance left on either side of an interval.
const TAIL: f64 = 0.025;

/// What is left of a mean after no change at all: the 97.5 % quantile of a Gamma(½). No change is as likely as 8 % there.
pub(super) const NONE: f64 = 2.511_943_093_657_458;

/// From here on the cube-root normal approximation is exact to six digits.
const MANY: f64 = 1e5;

/// The 97.5 % quantile of the normal distribution.
pub(super) const NORMAL: f64 = 1.959_963_984_540_054;

/// The 95 % interval of a rate after so many changes in a span; without a change it starts at 0.
pub(super) fn interval(changes: f64, exposure: f64) -> (f64, f64) {
    if exposure <= 0.0 {
        return (0.0, f64::INFINITY);
    }
    if changes == 0.0 {
        return (0.0, NONE / exposure);
    }
    let bound = |tail: f64, z: f64| {
        let guess = wilson_hilferty(changes + 0.5, z);
        if changes >= MANY { guess } else { log_root(|mean| lower_regularized(changes + 0.5, mean), tail, guess) }
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
    fn limits_are_quantiles_of_jeffreys_gamma() {
        // Half of the χ² quantiles with 2n + 1 degrees of freedom, as R's qchisq has them.
        for (n, low, high) in [
            (1.0, 0.215_795_3 / 2.0, 9.348_403_6 / 2.0),
            (2.0, 0.831_211_6 / 2.0, 12.832_502_0 / 2.0),
            (5.0, 3.815_748_3 / 2.0, 21.920_049_3 / 2.0),
            (12.0, 13.119_720_0 / 2.0, 40.646_469_1 / 2.0),
        ] {
            let found = interval(n, 2.0);
            assert!(
                (found.0 * 2.0 / low - 1.0).abs() < 1e-7 && (found.1 * 2.0 / high - 1.0).abs() < 1e-7,
                "{n}: {found:?}"
            );
        }
    }

    #[test]
    fn no_change_leaves_an_upper_limit() {
        // P(½, x) = erf √x.
        assert!((libm::erf(NONE.sqrt()) - 0.975).abs() < 1e-14);
        assert_eq!(interval(0.0, 10.0), (0.0, NONE / 10.0));
        assert_eq!(interval(3.0, 0.0), (0.0, f64::INFINITY));
    }

    #[test]
    fn many_changes_are_approximated_without_a_step() {
        let (below, above) = (interval(MANY - 1.0, 1.0), interval(MANY, 1.0));
        assert!((above.0 - below.0 - 1.0).abs() < 0.02 && (above.1 - below.1 - 1.0).abs() < 0.02);
    }
}
