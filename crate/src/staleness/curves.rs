//! Weibull or Gamma–Poisson items that share their shape, priced from tables.
//!
//! With the shape and the order fixed, every cost is one universal function of z = λI^γ (Weibull) or I/β (Gamma–Poisson),
//! a mixture of e^(−cz) and so as smooth in ln z as they come. Octave by octave, as they are asked for, those functions
//! are tabulated from [`super::renewal`]; what lies beyond the tables, or has another shape, goes there directly. A set
//! of thousands of items thus costs a few hundred integrals instead of several for each item and price.

use std::sync::OnceLock;

use super::renewal::{self, Law, Part};
use super::{Demand, Metric, Order, Staleness};
use crate::change::Change;
use crate::numeric::chebyshev::Chebyshev;

/// Octaves of z on either side of 1.
const REACH: i32 = 64;
const OCTAVES: usize = 2 * REACH as usize;

/// The costs of all items of one shape.
#[derive(Debug)]
pub(crate) struct Curves {
    law: Law,
    orders: [Tables; 3],
}

/// One series per part and octave, once needed.
type Tables = [[OnceLock<Box<Chebyshev>>; OCTAVES]; Part::COUNT];

impl Curves {
    /// The curves of all items that differ from this one only in how fast their clock goes; `None` for Poisson items, which
    /// have their own, and for items that never change.
    pub(crate) fn of(change: &Change) -> Option<Box<Self>> {
        let law = match change {
            _ if change.never() => return None,
            Change::Poisson { .. } => return None,
            _ => Law::new(change, 1.0),
        };
        let tables = || core::array::from_fn(|_| core::array::from_fn(|_| OnceLock::new()));
        Some(Box::new(Self { law, orders: core::array::from_fn(|_| tables()) }))
    }

    /// Whether `change` is one of the items described.
    pub(crate) fn fit(&self, change: &Change) -> bool {
        self.law.log_clock(change).is_some()
    }

    /// [`Staleness::average`].
    pub(crate) fn average(&self, of: Staleness, change: &Change, frequency: f64) -> f64 {
        let part = match of.metric {
            Metric::Freshness => Part::Stale,
            Metric::Age => Part::Age,
            Metric::Harmonic => Part::Harmonic,
            Metric::Content => return of.average(change, frequency),
        };
        match self.value(part, of, change, frequency) {
            Some(value) => renewal::powers(of.metric, 1.0 / frequency, 0) * value,
            None => of.average(change, frequency),
        }
    }

    /// [`Staleness::freshness`].
    pub(crate) fn freshness(&self, order: Order, change: &Change, frequency: f64) -> f64 {
        let of = Staleness { metric: Metric::Freshness, order };
        self.value(Part::Fresh, of, change, frequency).unwrap_or_else(|| of.freshness(change, frequency))
    }

    /// [`Staleness::benefit`].
    pub(crate) fn benefit(&self, of: Staleness, change: &Change, frequency: f64) -> f64 {
        match benefit_part(of.metric).and_then(|part| self.value(part, of, change, frequency)) {
            Some(value) => {
                (renewal::powers(of.metric, 1.0 / frequency, 1) * value).min(renewal::most(of.metric, change))
            }
            None => of.benefit(change, frequency),
        }
    }

    /// [`Staleness::demand`].
    pub(crate) fn demand(&self, of: Staleness, change: &Change, price: f64) -> Demand {
        self.invert(of, change, price).unwrap_or_else(|| of.demand(change, price))
    }

    /// Newton's method on ln b against ln I, as [`crate::numeric::root::log_newton`], but with steps that do not leave for
    /// octaves that nobody needs.
    fn invert(&self, of: Staleness, change: &Change, price: f64) -> Option<Demand> {
        let (part, clock) = (benefit_part(of.metric)?, self.log_clock(of, change)?);
        if price >= renewal::most(of.metric, change) {
            return Some(Demand { frequency: 0.0, slope: 0.0 });
        }
        let power = self.law.power();
        let degree = if of.metric == Metric::Age { 2.0 } else { 1.0 };
        // Where visits are frequent the benefit is about z·I^degree, or α times that.
        let rate = if let Law::GammaPoisson { alpha, .. } = self.law { clock + libm::log(alpha) } else { clock };
        let mut at = (libm::log(price) - rate) / (power + degree);
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for _ in 0..100 {
            let (value, slope) = self.at(part, of.order, clock + power * at)?;
            let (interval, elasticity) = (libm::exp(at), degree + power * slope / value);
            let benefit = renewal::powers(of.metric, interval, 1) * value;
            *(if benefit < price { &mut low } else { &mut high }) = at;
            let step = (libm::log(benefit / price) / elasticity).clamp(-2.0, 2.0);
            if step.abs() < 1e-9 {
                let interval = interval * (1.0 - step);
                return Some(Demand { frequency: 1.0 / interval, slope: -1.0 / (interval * elasticity) });
            }
            at = if at - step > low && at - step < high { at - step } else { 0.5 * (low + high) };
        }
        None
    }

    /// ln z at I = 1, for items that have a table.
    fn log_clock(&self, of: Staleness, change: &Change) -> Option<f64> {
        self.law.log_clock(change).filter(|_| of.defined_for(change.model()))
    }

    /// A part at a frequency, or nothing where there is no table.
    fn value(&self, part: Part, of: Staleness, change: &Change, frequency: f64) -> Option<f64> {
        let log_z = self.log_clock(of, change)? - self.law.power() * libm::log(frequency);
        self.at(part, of.order, log_z).map(|(value, _)| value)
    }

    /// A part and its derivative by ln z, or nothing where there is no table.
    fn at(&self, part: Part, order: Order, log_z: f64) -> Option<(f64, f64)> {
        let place = log_z * core::f64::consts::LOG2_E;
        let octave = libm::floor(place);
        if !(octave >= f64::from(-REACH) && octave < f64::from(REACH)) {
            return None;
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to OCTAVES − 1
        let cell = &self.orders[order as usize][part as usize][(octave + f64::from(REACH)) as usize];
        let series = cell.get_or_init(|| {
            let value = |t: f64| self.law.with_clock(libm::exp2(octave + 0.5 + 0.5 * t)).part(part, order)[0];
            Box::new(Chebyshev::interpolate(value))
        });
        let (value, slope) = series.at(2.0 * (place - octave) - 1.0);
        Some((value, slope * 2.0 * core::f64::consts::LOG2_E))
    }
}

/// What a benefit is made of; content freshness has closed forms.
fn benefit_part(metric: Metric) -> Option<Part> {
    match metric {
        Metric::Freshness => Some(Part::Turnover),
        Metric::Age => Some(Part::AgeGain),
        Metric::Harmonic => Some(Part::Stale),
        Metric::Content => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_say_what_the_integrals_say() {
        let changes = [
            Change::Weibull { rate: 0.3, shape: 0.6 },
            Change::Weibull { rate: 0.3, shape: 2.5 },
            Change::GammaPoisson { alpha: 0.8, beta: 2.0 },
            Change::GammaPoisson { alpha: 30.0, beta: 40.0 },
        ];
        for change in changes {
            let curves = Curves::of(&change).expect("a renewal");
            for order in [Order::Fixed, Order::Random, Order::PurelyRandom] {
                for metric in [Metric::Freshness, Metric::Age, Metric::Content, Metric::Harmonic] {
                    let of = Staleness { metric, order };
                    if !of.defined_for(change.model()) {
                        continue;
                    }
                    for frequency in [1e-4, 0.013, 0.21, 0.9, 3.7, 1e3] {
                        let same = |a: f64, b: f64| (a / b - 1.0).abs() < 2e-14;
                        let case = format!("{change:?} {of:?} at {frequency}");
                        let (average, exact) = (curves.average(of, &change, frequency), of.average(&change, frequency));
                        assert!(same(average, exact), "{case}: average {average}, not {exact}");
                        let (fresh, exact) =
                            (curves.freshness(order, &change, frequency), of.freshness(&change, frequency));
                        assert!(same(fresh, exact), "{case}: freshness {fresh}, not {exact}");
                        let (benefit, exact) = (curves.benefit(of, &change, frequency), of.benefit(&change, frequency));
                        assert!(same(benefit, exact), "{case}: benefit {benefit}, not {exact}");
                        let (demand, exact) =
                            (curves.demand(of, &change, 0.9 * benefit), of.demand(&change, 0.9 * benefit));
                        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-11;
                        assert!(near(demand.frequency, exact.frequency), "{case}: {demand:?}, not {exact:?}");
                        assert!((demand.slope / exact.slope - 1.0).abs() < 1e-9, "{case}: {demand:?}, not {exact:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn another_shape_or_an_extreme_goes_to_the_integrals() {
        let curves = Curves::of(&Change::Weibull { rate: 1.0, shape: 1.5 }).expect("a renewal");
        let of = Staleness::default();
        for (change, frequency) in [
            (Change::Weibull { rate: 1.0, shape: 1.4 }, 1.0),
            (Change::Weibull { rate: 0.0, shape: 1.5 }, 1.0),
            (Change::Weibull { rate: 1.0, shape: 1.5 }, 0.0),
            (Change::Weibull { rate: 1.0, shape: 1.5 }, 1e60),
            (Change::Weibull { rate: 1.0, shape: 1.5 }, f64::INFINITY),
        ] {
            assert_eq!(curves.average(of, &change, frequency).to_bits(), of.average(&change, frequency).to_bits());
        }
    }
}
