//! How items change (spec: "change model"): the chance of no change within a span, for each model, and [rates from logs](estimate).

pub mod estimate;

use serde::{Deserialize, Serialize};

use crate::numeric::gamma::complete;

/// The family of change models that a set of items follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Model {
    /// Changes at a known rate λ: S(t) = exp(−λt).
    #[default]
    Poisson,
    /// S(t) = exp(−λ t^γ).
    Weibull,
    /// A rate that is itself uncertain, λ ~ Gamma(shape α, rate β): S(t) = (1 + t/β)^(−α).
    GammaPoisson,
}

/// How one item changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// Changes at rate λ ≥ 0.
    Poisson {
        /// λ, changes per unit of time.
        rate: f64,
    },
    /// S(t) = exp(−rate·t^shape), renewed by each sync.
    Weibull {
        /// λ ≥ 0.
        rate: f64,
        /// γ > 0.
        shape: f64,
    },
    /// λ ~ Gamma(alpha, rate beta).
    GammaPoisson {
        /// α ≥ 0, the Gamma's shape.
        alpha: f64,
        /// β > 0, the Gamma's rate.
        beta: f64,
    },
}

impl Change {
    /// S(t): the chance that nothing changes within `t` of a sync.
    #[must_use]
    pub fn survival(&self, t: f64) -> f64 {
        libm::exp(-self.hazard(t))
    }

    /// Whether the item never changes, so that it is fresh for free.
    #[must_use]
    pub fn never(&self) -> bool {
        match *self {
            Self::Poisson { rate } | Self::Weibull { rate, .. } => rate == 0.0,
            Self::GammaPoisson { alpha, .. } => alpha == 0.0,
        }
    }

    /// 1 − S(t): the chance of a change within `t`, also where it is too small to be told from 0 as 1 − S.
    #[must_use]
    pub fn missed(&self, t: f64) -> f64 {
        -libm::expm1(-self.hazard(t))
    }

    /// −ln S(t).
    fn hazard(&self, t: f64) -> f64 {
        match *self {
            // However long: 0·∞ is no number.
            _ if self.never() => 0.0,
            Self::Poisson { rate } => rate * t,
            Self::Weibull { rate, shape } => rate * libm::pow(t, shape),
            Self::GammaPoisson { alpha, beta } => alpha * libm::log1p(t / beta),
        }
    }

    /// `E[T] = ∫ S`: the mean time from a sync to the first change; ∞ when there may never be one, for Gamma–Poisson with
    /// α ≤ 1, where rates near zero are too likely, and where it is beyond all floats.
    #[must_use]
    pub fn mean_time(&self) -> f64 {
        match *self {
            Self::Poisson { rate } => 1.0 / rate,
            Self::Weibull { rate, shape } => complete(1.0 / shape, rate),
            Self::GammaPoisson { alpha, beta } => {
                if alpha > 1.0 {
                    beta / (alpha - 1.0)
                } else {
                    f64::INFINITY
                }
            }
        }
    }

    /// Changes per unit of time in the long run: λ, `1/E[T]` for Weibull, α/β.
    #[must_use]
    pub fn mean_rate(&self) -> f64 {
        match *self {
            Self::Poisson { rate } => rate,
            Self::Weibull { .. } => 1.0 / self.mean_time(),
            Self::GammaPoisson { alpha, beta } => alpha / beta,
        }
    }

    /// The λ of a Weibull of this shape γ whose mean time between changes is 1/`mean_rate`: λ = (mean rate · Γ(1 + 1/γ))^γ.
    #[must_use]
    pub fn weibull_rate(mean_rate: f64, shape: f64) -> f64 {
        let pace = mean_rate * libm::tgamma(1.0 + 1.0 / shape);
        if (1e-280..1e280).contains(&pace) {
            libm::pow(pace, shape)
        } else {
            // Γ overflows long before its root.
            libm::pow(mean_rate, shape) * libm::exp(shape * libm::lgamma(1.0 + 1.0 / shape))
        }
    }

    /// The family that this change belongs to.
    #[must_use]
    pub fn model(&self) -> Model {
        match self {
            Self::Poisson { .. } => Model::Poisson,
            Self::Weibull { .. } => Model::Weibull,
            Self::GammaPoisson { .. } => Model::GammaPoisson,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALIKE: [Change; 2] = [Change::Poisson { rate: 0.7 }, Change::Weibull { rate: 0.7, shape: 1.0 }];

    #[test]
    fn weibull_of_shape_one_is_poisson() {
        let [poisson, weibull] = ALIKE;
        assert_eq!(poisson.survival(2.0).to_bits(), weibull.survival(2.0).to_bits());
        assert!((poisson.mean_time() / weibull.mean_time() - 1.0).abs() < 1e-15);
        assert!((weibull.mean_rate() - 0.7).abs() < 1e-15);
    }

    #[test]
    fn a_sharp_gamma_is_nearly_poisson_and_a_vague_one_may_never_change() {
        let sharp = Change::GammaPoisson { alpha: 7e8, beta: 1e9 };
        assert!((sharp.survival(2.0) - ALIKE[0].survival(2.0)).abs() < 1e-8);
        assert!((sharp.mean_time() * 0.7 - 1.0).abs() < 1e-8);
        assert!(Change::GammaPoisson { alpha: 1.0, beta: 3.0 }.mean_time().is_infinite());
    }

    #[test]
    fn chances_too_small_for_one_minus_survival_are_kept() {
        for change in [ALIKE[0], ALIKE[1], Change::GammaPoisson { alpha: 7.0, beta: 10.0 }] {
            assert!((change.missed(1e-20) / 0.7e-20 - 1.0).abs() < 1e-15, "{change:?}");
        }
    }

    #[test]
    fn what_never_changes_waits_for_ever() {
        for change in [
            Change::Poisson { rate: 0.0 },
            Change::Weibull { rate: 0.0, shape: 2.0 },
            Change::GammaPoisson { alpha: 0.0, beta: 1.0 },
        ] {
            assert!(change.never());
            assert!(change.mean_time().is_infinite(), "{change:?}");
            assert!(change.mean_rate().abs() < f64::MIN_POSITIVE, "{change:?}");
        }
    }

    #[test]
    fn weibull_means_are_right_as_long_as_floats_hold_them() {
        // mpmath: λ^(−1/γ)·Γ(1 + 1/γ).
        for (rate, shape, mean) in [
            (1000.0, 0.005, 7.886_578_673_647_958e-226),
            (50.0, 0.005, 1.267_324_330_972_635_3e35),
            (1e3, 1.0 / 149.0, 3.808_922_637_630_546e-187),
            (1e-300, 2.0, 8.862_269_254_527_58e149),
            (1e300, 0.97, 5.339_017_383_488_6e-310),
        ] {
            let change = Change::Weibull { rate, shape };
            assert!((change.mean_time() / mean - 1.0).abs() < 1e-11, "{change:?}: {}", change.mean_time());
        }
        for (rate, shape) in [(1.0, 0.005), (1e-9, 0.02), (1.0, 1e-320)] {
            let change = Change::Weibull { rate, shape };
            assert!(change.mean_time() > 1e300 && change.mean_rate() < 1e-300, "{change:?}");
        }
        assert!(Change::Weibull { rate: 1e9, shape: 0.02 }.mean_time() < 1e-300);
    }

    #[test]
    fn the_rate_of_a_mean_has_that_mean_also_for_tiny_shapes() {
        for shape in [0.005, 0.0066, 0.02, 0.5, 3.0, 80.0] {
            for mean_rate in [1e-3, 1.0, 200.0] {
                let change = Change::Weibull { rate: Change::weibull_rate(mean_rate, shape), shape };
                assert!((change.mean_rate() / mean_rate - 1.0).abs() < 1e-10, "{change:?}: {}", change.mean_rate());
            }
        }
    }
}
