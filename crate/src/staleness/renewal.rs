//! Weibull and Gamma–Poisson changes (spec: "Under Weibull", "change model"): every cost as an integral of a positive
//! function, so that no regime loses digits.
//!
//! With Q(x) = P(X > x) the tail of the relative gap, R(x) = ∫ₓ^∞ Q and q its density, at interval I:
//!
//! | metric | average | benefit | d benefit / d ln I |
//! |---|---|---|---|
//! | freshness | ∫ (1 − S(Ix)) Q dx | I ∫ h(Ix) Q dx, h(u) = −u S′(u) | I ∫ h(Ix) x q dx |
//! | age | I ∫ (1 − S(Ix)) R dx | I² ∫ x (1 − S(Ix)) Q dx | I² ∫ x² (1 − S(Ix)) q dx |
//! | harmonic | ∫ (1 − S(Ix)) R/x dx | I ∫ (1 − S(Ix)) Q dx | I ∫ (1 − S(Ix)) x q dx |
//!
//! Under fixed order these have closed forms: incomplete gamma functions for Weibull, divided differences of the
//! exponential for Gamma–Poisson.

use super::{Demand, Metric, Order, Staleness};
use crate::change::Change;
use crate::numeric::differences::exp_difference;
use crate::numeric::gamma::{complete, scaled_lower, scaled_lower_excess};
use crate::numeric::quadrature::downwards;
use crate::numeric::root::log_newton;
use crate::numeric::series::{alternating, factorial};

/// [`Staleness::average`].
pub(super) fn average(of: Staleness, change: &Change, frequency: f64) -> f64 {
    if change.never() || frequency == f64::INFINITY {
        0.0
    } else if frequency == 0.0 {
        if of.metric == Metric::Freshness { 1.0 } else { f64::INFINITY }
    } else {
        powers(of.metric, 1.0 / frequency, 0) * Law::new(change, frequency).average(of.metric, of.order)
    }
}

/// [`Staleness::freshness`].
pub(super) fn freshness(order: Order, change: &Change, frequency: f64) -> f64 {
    if change.never() || frequency == f64::INFINITY {
        1.0
    } else if frequency == 0.0 {
        0.0
    } else {
        Law::new(change, frequency).part(Part::Fresh, order)[0]
    }
}

/// [`Staleness::benefit`].
pub(super) fn benefit(of: Staleness, change: &Change, frequency: f64) -> f64 {
    if change.never() || frequency == f64::INFINITY {
        return 0.0;
    }
    let most = most(of.metric, change);
    if frequency == 0.0 { most } else { benefit_and_slope(of, change, 1.0 / frequency)[0].min(most) }
}

/// [`Staleness::demand`].
pub(super) fn demand(of: Staleness, change: &Change, price: f64) -> Demand {
    if change.never() || price >= most(of.metric, change) {
        return Demand { frequency: 0.0, slope: 0.0 };
    }
    let guess = guess(of, change, price);
    let (interval, elasticity) = log_newton(|interval| benefit_and_slope(of, change, interval), price, guess);
    Demand { frequency: 1.0 / interval, slope: -1.0 / (interval * elasticity) }
}

/// An interval from which Newton's method has not far to go.
fn guess(of: Staleness, change: &Change, price: f64) -> f64 {
    // Fixed order has closed forms, a fiftieth of the cost of the integrals, and never lies far from the others.
    if of.order != Order::Fixed {
        return 1.0 / demand(Staleness { order: Order::Fixed, ..of }, change, price).frequency;
    }
    // Where visits are frequent the benefit is about rate·I^power.
    let (rate, shape) = match *change {
        Change::Poisson { rate } => (rate, 1.0),
        Change::Weibull { rate, shape } => (rate, shape),
        Change::GammaPoisson { alpha, beta } => (alpha / beta, 1.0),
    };
    let power = if of.metric == Metric::Age { shape + 2.0 } else { shape + 1.0 };
    libm::pow(price, 1.0 / power) * libm::pow(rate, -1.0 / power)
}

/// The most that a visit can be worth: for freshness the whole time until the first change.
pub(super) fn most(metric: Metric, change: &Change) -> f64 {
    if metric == Metric::Freshness { change.mean_time() } else { f64::INFINITY }
}

fn benefit_and_slope(of: Staleness, change: &Change, interval: f64) -> [f64; 2] {
    let most = most(of.metric, change);
    if matches!(change, Change::Weibull { .. }) && interval > 1e30 * most {
        // The item has surely changed long before; further out z overflows and I·F̄ would be ∞·0.
        return [most, 0.0];
    }
    let law = Law::new(change, 1.0 / interval);
    law.benefit(of.metric, of.order).map(|part| powers(of.metric, interval, 1) * part)
}

/// I^(d + more), d = 1 for age.
pub(super) fn powers(metric: Metric, interval: f64, more: i32) -> f64 {
    (0..more + i32::from(metric == Metric::Age)).fold(1.0, |power, _| power * interval)
}

/// Floats that can be multiplied by anything that matters beside them.
const IN_RANGE: core::ops::Range<f64> = 1e-280..1e280;

/// A change model seen from an interval I: time is x = t/I.
#[derive(Debug, Clone, Copy)]
pub(super) enum Law {
    /// S = exp(−z·x^γ) = exp(−(x/scale)^γ).
    ///
    /// Large γ take z beyond the floats, small ones the scale z^(−1/γ); never both where it matters.
    Weibull { z: f64, scale: f64, shape: f64 },
    /// S = (1 + x·ratio)^(−α), ratio = I/β.
    GammaPoisson { ratio: f64, alpha: f64 },
}

/// What is asked of a law, without the powers of I.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Fresh,
    Stale,
    Turnover,
    Age,
    AgeGain,
    Harmonic,
}

impl Part {
    /// How many there are.
    pub(super) const COUNT: usize = 6;
}

impl Law {
    pub(super) fn new(change: &Change, frequency: f64) -> Self {
        match *change {
            Change::Poisson { rate } => Self::Weibull { z: rate / frequency, scale: frequency / rate, shape: 1.0 },
            Change::Weibull { rate, shape } => {
                let scale = libm::pow(rate, -1.0 / shape) * frequency;
                let power = libm::pow(1.0 / frequency, shape);
                let z = if IN_RANGE.contains(&power) { rate * power } else { libm::pow(1.0 / scale, shape) };
                Self::Weibull { z, scale, shape }
            }
            Change::GammaPoisson { alpha, beta } => Self::GammaPoisson { ratio: 1.0 / (beta * frequency), alpha },
        }
    }

    /// The logarithm of the one thing that I moves, z or I/β, at I = 1; `None` where `change` has another shape.
    pub(super) fn log_clock(&self, change: &Change) -> Option<f64> {
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
        match (*self, *change) {
            (Self::Weibull { shape, .. }, Change::Weibull { rate, shape: own }) if same(shape, own) => {
                Some(libm::log(rate))
            }
            (Self::GammaPoisson { alpha, .. }, Change::GammaPoisson { alpha: own, beta }) if same(alpha, own) => {
                Some(-libm::log(beta))
            }
            _ => None,
        }
    }

    /// The same law at another I.
    pub(super) fn with_clock(&self, clock: f64) -> Self {
        match *self {
            Self::Weibull { shape, .. } => Self::Weibull { z: clock, scale: libm::pow(clock, -1.0 / shape), shape },
            Self::GammaPoisson { alpha, .. } => Self::GammaPoisson { ratio: clock, alpha },
        }
    }

    /// d ln clock / d ln I.
    pub(super) fn power(&self) -> f64 {
        if let Self::Weibull { shape, .. } = *self { shape } else { 1.0 }
    }

    /// Long-run average over Iᵈ, d = 1 for age.
    fn average(&self, metric: Metric, order: Order) -> f64 {
        match metric {
            Metric::Freshness => self.part(Part::Stale, order)[0],
            Metric::Age => self.part(Part::Age, order)[0],
            Metric::Harmonic => self.part(Part::Harmonic, order)[0],
            Metric::Content => f64::NAN,
        }
    }

    /// Benefit over Iᵈ⁺¹, and its derivative by ln I over the same.
    fn benefit(&self, metric: Metric, order: Order) -> [f64; 2] {
        match metric {
            Metric::Freshness => self.part(Part::Turnover, order),
            Metric::Age => self.part(Part::AgeGain, order),
            Metric::Harmonic => self.part(Part::Stale, order),
            Metric::Content => [f64::NAN; 2],
        }
    }

    /// A part; those that are benefits with their derivative by ln I.
    pub(super) fn part(&self, part: Part, order: Order) -> [f64; 2] {
        match (order, *self) {
            (Order::Fixed, _) if part == Part::Harmonic => self.integral(part, order),
            (Order::Fixed, Self::Weibull { z, scale, shape }) => [weibull(part, z, scale, shape), self.end(part)],
            (Order::Fixed, Self::GammaPoisson { ratio, alpha }) => [gamma_poisson(part, ratio, alpha), self.end(part)],
            _ => self.integral(part, order),
        }
    }

    /// The integrand of the benefit at x = 1: its derivative by ln I under fixed order.
    fn end(&self, part: Part) -> f64 {
        let [survival, missed, turnover] = self.at(1.0);
        match part {
            Part::Fresh => survival,
            Part::Turnover => turnover,
            _ => missed,
        }
    }

    /// S, 1 − S and −u·S′ at u = Ix.
    fn at(&self, x: f64) -> [f64; 3] {
        match *self {
            Self::Weibull { z, scale, shape } => {
                let hazard = if IN_RANGE.contains(&z) { z * libm::pow(x, shape) } else { libm::pow(x / scale, shape) };
                let survival = libm::exp(-hazard);
                let turnover = if survival > 0.0 { shape * hazard * survival } else { 0.0 };
                [survival, -libm::expm1(-hazard), turnover]
            }
            Self::GammaPoisson { ratio, alpha } => {
                let t = ratio * x;
                let hazard = alpha * libm::log1p(t);
                let survival = libm::exp(-hazard);
                [survival, -libm::expm1(-hazard), alpha / (1.0 + 1.0 / t) * survival]
            }
        }
    }

    fn integral(&self, part: Part, order: Order) -> [f64; 2] {
        let mut sum = [0.0; 2];
        match order {
            Order::Fixed => self.add(&mut sum, part, [0.0, 1.0], 2.0, |x| [1.0, 1.0 - x, 0.0]),
            Order::Random => {
                self.add(&mut sum, part, [1.0, 2.0], 2.0, |x| {
                    let left = 2.0 - x;
                    [0.5 * left * left, left * left * left / 6.0, left]
                });
                let tails = |x: f64| [1.0 - 0.5 * x * x, 1.0 - x + x * x * x / 6.0, x];
                self.add(&mut sum, part, [0.0, 1.0], 2.0, tails);
            }
            Order::PurelyRandom => {
                let (end, width) = self.purely_random_end();
                self.add(&mut sum, part, [0.0, end], width, |x| [libm::exp(-x); 3]);
            }
        }
        sum
    }

    /// Adds the integral from a to b, given Q, R and q there, which a panel of `width` in ln x resolves.
    fn add(&self, sum: &mut [f64; 2], part: Part, [a, b]: [f64; 2], width: f64, tails: impl Fn(f64) -> [f64; 3]) {
        let integrand = |x: f64| {
            let [tail, rest, density] = tails(x);
            let [survival, missed, turnover] = self.at(x);
            match part {
                Part::Fresh => [survival * tail, 0.0],
                Part::Stale => [missed * tail, missed * x * density],
                Part::Turnover => [turnover * tail, turnover * x * density],
                Part::Age => [missed * rest, 0.0],
                Part::AgeGain => [x * missed * tail, x * missed * x * density],
                Part::Harmonic => [missed * rest / x, 0.0],
            }
        };
        let Knee { scale, low, high, steepness } = self.knee();
        let [low, high] = [low, high].map(|x| x.clamp(a, b));
        let fine = width.min(2.0 / steepness);
        // Above the knee the item has surely changed.
        if !matches!(part, Part::Fresh | Part::Turnover) {
            // There a tail e^(−x) falls by e^(−8) or less per panel.
            downwards(sum, [high, b], width.min(8.0 / high), b, integrand);
        }
        downwards(sum, [low, high], fine, scale, integrand);
        // Below it surely not; what is left of the chance that it has is a power of x.
        downwards(sum, [a, low], if part == Part::Fresh { width } else { fine }, scale, integrand);
    }

    /// Where between "surely not changed" and "surely changed" the law lies, and how steep it is there.
    fn knee(&self) -> Knee {
        let (scale, steepness) = match *self {
            Self::Weibull { scale, shape, .. } => (scale, shape.max(1.0)),
            Self::GammaPoisson { ratio, alpha } => ((1.0 / ratio).min(1.0 / (ratio * alpha)), 1.0),
        };
        // e^(−x^γ) is as smooth per 1/γ of ln x as e^(−x) is per unit: only a steep one needs panels of its own.
        let (low, high) = if steepness > 1.0 {
            // Hazards of e^−42, lost beside 1, and of e^6.7, whose survival is no float.
            (scale * libm::exp(-42.0 / steepness), scale * libm::exp(6.7 / steepness))
        } else {
            (0.0, f64::INFINITY)
        };
        Knee { scale: scale.max(1e-280), low, high, steepness }
    }

    /// How far gaps with tail e^(−x) matter, and how wide panels may be there.
    fn purely_random_end(&self) -> (f64, f64) {
        let Knee { high, steepness, .. } = self.knee();
        if steepness <= 1.0 {
            return (64.0, 2.0);
        }
        // x^(γ+2)·e^(−x) reaches far beyond its peak, but nothing reaches farther beyond the knee than e^(−x) does.
        let power = steepness + 3.0;
        ((64.0 + power + 9.0 * power.sqrt()).min(high + 64.0).min(750.0), 1.0)
    }
}

/// See [`Law::knee`].
struct Knee {
    scale: f64,
    low: f64,
    high: f64,
    steepness: f64,
}

/// 1/k!, k = 1, 2, …
const RECIPROCAL: [f64; 20] = {
    let mut c = [0.0; 20];
    let mut k = 1;
    while k <= c.len() {
        c[k - 1] = 1.0 / factorial(k);
        k += 1;
    }
    c
};

/// n ∫₀¹ x^(n−1) (1 − e^(−z x^γ)) dx.
fn weibull_missed(n: f64, z: f64, scale: f64, shape: f64) -> f64 {
    if z < 1.0 {
        let mut k = 0.0;
        z * alternating(
            &RECIPROCAL.map(|c| {
                k += 1.0;
                c * n / (k * shape + n)
            }),
            z,
        )
    } else if z < IN_RANGE.end {
        1.0 - scaled_lower(n / shape, z)
    } else {
        1.0 - surely_changed(n, scale, shape)
    }
}

/// n ∫₀^∞ x^(n−1) e^(−(x/scale)^γ) dx: all of the time until the change lies within the interval.
fn surely_changed(n: f64, scale: f64, shape: f64) -> f64 {
    // With γ so small that Γ overflows, the scale has long underflown.
    if scale > 0.0 { complete(n / shape, 1.0) * libm::pow(scale, n) } else { 0.0 }
}

fn weibull(part: Part, z: f64, scale: f64, shape: f64) -> f64 {
    let missed = |n| weibull_missed(n, z, scale, shape);
    match part {
        Part::Fresh | Part::Turnover if z >= IN_RANGE.end => surely_changed(1.0, scale, shape),
        Part::Fresh => scaled_lower(1.0 / shape, z),
        Part::Turnover => scaled_lower_excess(1.0 / shape, z),
        Part::AgeGain => 0.5 * missed(2.0),
        Part::Age => missed(1.0) - 0.5 * missed(2.0),
        Part::Stale | Part::Harmonic => missed(1.0),
    }
}

/// With U = ln(1 + I/β) and t = β(e^u − 1), every integrand is a sum of exponentials of u.
fn gamma_poisson(part: Part, ratio: f64, alpha: f64) -> f64 {
    if ratio == 0.0 {
        return if part == Part::Fresh { 1.0 } else { 0.0 };
    }
    let u = libm::log1p(ratio);
    let per_interval = u / -libm::expm1(-u);
    let a = alpha * u;
    match part {
        Part::Fresh => per_interval * exp_difference([-u, -a]),
        Part::Turnover => a * per_interval * exp_difference([-u, -u - a, -a]),
        Part::AgeGain => {
            let sum = exp_difference([-2.0 * u, -u, -a, 0.0]) + exp_difference([-2.0 * u, -u - a, -u, -a]);
            a * per_interval * per_interval * sum
        }
        Part::Age => gamma_poisson(Part::Stale, ratio, alpha) - gamma_poisson(Part::AgeGain, ratio, alpha),
        Part::Stale | Part::Harmonic => a * per_interval * exp_difference([-u, 0.0, -a]),
    }
}
