//! Staleness: the cost since the last sync, its long-run average, and the benefit of one more unit of frequency
//! (spec: "Staleness cost since the last sync", "Order policies").

mod poisson;

use serde::{Deserialize, Serialize};

use crate::change::{Change, Model};
use crate::numeric::root::log_root;
use poisson::fixed;

/// What the plan wants low (for freshness: one minus it).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Metric {
    /// The share of time that the copy is up to date.
    #[default]
    Freshness,
    /// Time since the first missed change.
    Age,
    /// Sum of the delays of all missed changes.
    Content,
    /// 1 + 1/2 + … + 1/k for k missed changes.
    Harmonic,
}

/// How regular the visits to one item are (Cho §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Order {
    /// Gaps of exactly I.
    #[default]
    Fixed,
    /// Reshuffled each round: gaps triangular on [0, 2I].
    Random,
    /// Gaps exponential with mean I.
    PurelyRandom,
}

/// What an item asks for at a price, and how that moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// The best frequency f at this price; 0 when no visit is worth it.
    pub frequency: f64,
    /// df / d ln(price), never positive.
    pub slope: f64,
}

/// A metric under an order policy: the pair that turns a change model into costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Staleness {
    /// What is wanted low.
    pub metric: Metric,
    /// How regular visits are.
    pub order: Order,
}

impl Staleness {
    /// Whether this metric has a meaning under this model.
    #[must_use]
    pub fn defined_for(&self, model: Model) -> bool {
        model != Model::Weibull || matches!(self.metric, Metric::Freshness | Metric::Age)
    }

    /// Long-run average cost of an item visited `frequency` times per unit of time; for freshness this is the *stale*
    /// share 1 − F̄. At frequency 0 an item that changes costs 1 (freshness) or ∞; one that never changes costs 0.
    #[must_use]
    pub fn average(&self, change: &Change, frequency: f64) -> f64 {
        if change.never() {
            return 0.0;
        }
        let interval = 1.0 / frequency;
        match (*change, self.metric, self.order) {
            (Change::Poisson { rate }, Metric::Freshness, Order::Fixed) => fixed::stale(rate * interval),
            (Change::Poisson { rate }, Metric::Age, Order::Fixed) => interval * fixed::age(rate * interval),
            _ => f64::NAN,
        }
    }

    /// b(I) = −d average / d frequency at interval I = 1/frequency, for frequency > 0.
    #[must_use]
    pub fn benefit(&self, change: &Change, frequency: f64) -> f64 {
        if change.never() {
            return 0.0;
        }
        let interval = 1.0 / frequency;
        match (*change, self.metric, self.order) {
            (Change::Poisson { rate }, Metric::Freshness, Order::Fixed) => {
                fixed::benefit_freshness(rate * interval) / rate
            }
            (Change::Poisson { rate }, Metric::Age, Order::Fixed) => {
                interval * (interval * fixed::benefit_age(rate * interval))
            }
            _ => f64::NAN,
        }
    }

    /// The frequency with benefit(f) = `price` (> 0), with its slope; 0 when even the first visit is worth less.
    #[must_use]
    pub fn demand(&self, change: &Change, price: f64) -> Demand {
        if change.never() {
            return Demand { frequency: 0.0, slope: 0.0 };
        }
        if let Change::Poisson { rate } = *change
            && self.metric == Metric::Freshness
            && price * rate >= 1.0
        {
            return Demand { frequency: 0.0, slope: 0.0 };
        }
        let interval = log_root(|i| self.benefit(change, 1.0 / i), price, price.sqrt());
        let step = 1e-5;
        let elasticity =
            libm::log(self.benefit(change, (1.0 - step) / interval) / self.benefit(change, (1.0 + step) / interval))
                / (2.0 * step);
        Demand { frequency: 1.0 / interval, slope: -1.0 / (interval * elasticity) }
    }
}
