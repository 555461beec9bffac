//! Staleness: the cost since the last sync, its long-run average, and the benefit of one more unit of frequency
//! (spec: "Staleness cost since the last sync", "Order policies").

mod curves;
pub mod gamma_database;
pub(crate) mod gaps;
mod inverse;
pub(crate) mod many;
pub(crate) mod poisson;
pub mod recurrence;
mod renewal;

use serde::{Deserialize, Serialize};

use crate::change::{Change, Model};
pub(crate) use curves::Curves;
use gaps::{Fixed, Gaps, PurelyRandom, Random};
use poisson::Response;

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

/// The long-run averages of one item under all four metrics; NaN where its model does not define one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Averages {
    /// 1 − F̄.
    pub stale: f64,
    /// Ā.
    pub age: f64,
    /// Content freshness.
    pub content: f64,
    /// Harmonic.
    pub harmonic: f64,
}

impl Averages {
    /// Of an item visited `frequency` times per unit of time.
    #[must_use]
    pub fn of(change: &Change, order: Order, frequency: f64) -> Self {
        if let Change::Poisson { rate } = *change {
            return match order {
                Order::Fixed => poisson::averages::<Fixed>(rate, frequency),
                Order::Random => poisson::averages::<Random>(rate, frequency),
                Order::PurelyRandom => poisson::averages::<PurelyRandom>(rate, frequency),
            };
        }
        let under = |metric| Staleness { metric, order }.average(change, frequency);
        Self {
            stale: under(Metric::Freshness),
            age: under(Metric::Age),
            content: under(Metric::Content),
            harmonic: under(Metric::Harmonic),
        }
    }
}

/// Runs an expression with `R` standing for the [`poisson::Response`] of a [`Staleness`], so that a loop inside it is
/// compiled once for each metric and order: `with_response!(staleness, R => items.map(|rate| R::demand(rate, price)))`.
macro_rules! with_response {
    ($staleness:expr, $R:ident => $body:expr) => {
        $crate::staleness::with_response!(@orders $staleness, $R, $body,
            Freshness Age Content Harmonic)
    };
    (@orders $staleness:expr, $R:ident, $body:expr, $($metric:ident)*) => {
        match ($staleness.metric, $staleness.order) {
            $(
                ($crate::staleness::Metric::$metric, $crate::staleness::Order::Fixed) => {
                    type $R = $crate::staleness::poisson::$metric<$crate::staleness::gaps::Fixed>;
                    $body
                }
                ($crate::staleness::Metric::$metric, $crate::staleness::Order::Random) => {
                    type $R = $crate::staleness::poisson::$metric<$crate::staleness::gaps::Random>;
                    $body
                }
                ($crate::staleness::Metric::$metric, $crate::staleness::Order::PurelyRandom) => {
                    type $R = $crate::staleness::poisson::$metric<$crate::staleness::gaps::PurelyRandom>;
                    $body
                }
            )*
        }
    };
}

pub(crate) use with_response;

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
        if !self.defined_for(change.model()) {
            return f64::NAN;
        }
        match *change {
            Change::Poisson { rate } => with_response!(self, R => R::average(rate, frequency)),
            _ if self.metric == Metric::Content => self.average(&content_equivalent(change), frequency),
            _ => renewal::average(*self, change, frequency),
        }
    }

    /// F̄, the share of time that the copy is up to date, under this order; exact to the last digits also where it is
    /// so small that one minus the stale share would lose it.
    #[must_use]
    pub fn freshness(&self, change: &Change, frequency: f64) -> f64 {
        if change.never() {
            return 1.0;
        }
        match *change {
            Change::Poisson { rate } => match self.order {
                Order::Fixed => Fixed::freshness(rate / frequency),
                Order::Random => Random::freshness(rate / frequency),
                Order::PurelyRandom => PurelyRandom::freshness(rate / frequency),
            },
            _ => renewal::freshness(self.order, change, frequency),
        }
    }

    /// b(I) = −d average / d frequency at interval I = 1/frequency, for frequency > 0.
    #[must_use]
    pub fn benefit(&self, change: &Change, frequency: f64) -> f64 {
        if !self.defined_for(change.model()) {
            return f64::NAN;
        }
        match *change {
            Change::Poisson { rate } => with_response!(self, R => R::benefit(rate, frequency)),
            _ if self.metric == Metric::Content => self.benefit(&content_equivalent(change), frequency),
            _ => renewal::benefit(*self, change, frequency),
        }
    }

    /// The frequency with benefit(f) = `price` (> 0), with its slope; 0 when even the first visit is worth less.
    #[must_use]
    pub fn demand(&self, change: &Change, price: f64) -> Demand {
        if !self.defined_for(change.model()) {
            return Demand { frequency: f64::NAN, slope: f64::NAN };
        }
        match *change {
            Change::Poisson { rate } => with_response!(self, R => R::demand(rate, price)),
            _ if self.metric == Metric::Content => self.demand(&content_equivalent(change), price),
            _ => renewal::demand(*self, change, price),
        }
    }
}

/// Delays add up over all changes, so content freshness sees a change model only through its mean rate.
fn content_equivalent(change: &Change) -> Change {
    Change::Poisson { rate: change.mean_rate() }
}
