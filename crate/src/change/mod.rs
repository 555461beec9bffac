//! How items change (spec: "change model"): the chance of no change within a span, for each model.

use serde::{Deserialize, Serialize};

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
        match *self {
            Self::Poisson { rate } => libm::exp(-rate * t),
            Self::Weibull { rate, shape } => libm::exp(-rate * libm::pow(t, shape)),
            Self::GammaPoisson { alpha, beta } => libm::exp(-alpha * libm::log1p(t / beta)),
        }
    }

    /// Whether the item never changes, so that it is fresh for free.
    #[must_use]
    pub fn never(&self) -> bool {
        match *self {
            Self::Poisson { rate } | Self::Weibull { rate, .. } => rate == 0.0,
            Self::GammaPoisson { alpha, .. } => alpha == 0.0,
        }
    }
}
