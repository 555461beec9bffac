//! Poisson changes (spec: "Freshness and age under Poisson", "Order policies", Cho Table 2), as kernels that a loop over
//! a million items can inline.
//!
//! With r = λI everything is one universal function per metric and order: average = Iᵈ·A(r) and benefit = Iᵈ⁺¹·B(r),
//! where d = 0 for the metrics without a unit (freshness, harmonic) and 1 for those that are times (age, content).
//! With s the stale share and g the gain of [`Gaps`]:
//!
//! | metric | A | B |
//! |---|---|---|
//! | freshness | s | g/r |
//! | age | m₂/2 − s/r | m₂/2 − g/r² |
//! | content | m₃r/6 | m₃r/3 |
//! | harmonic | E ∫₀^X Ein(rx) dx | s |

use std::marker::PhantomData;
use std::sync::LazyLock;

use super::gaps::{Costs, Fixed, Gaps, PurelyRandom, Random};
use super::inverse::Inverse;
use super::{Averages, Demand};
use crate::numeric::cube_root::cbrt;
use crate::numeric::octaves::Point;

/// How an item that changes at `rate` ≥ 0 answers to a frequency or a price, for one metric and order.
pub trait Response {
    /// Long-run average cost at `frequency` ≥ 0 (for freshness: the stale share).
    fn average(rate: f64, frequency: f64) -> f64;
    /// −d average / d frequency.
    fn benefit(rate: f64, frequency: f64) -> f64;
    /// The frequency whose benefit is `price` > 0; 0 when even the first visit is worth less.
    fn demand(rate: f64, price: f64) -> Demand;
}

/// The share of time that the copy is out of date.
#[derive(Debug, Clone, Copy)]
pub struct Freshness<G>(PhantomData<G>);
/// Time since the first missed change.
#[derive(Debug, Clone, Copy)]
pub struct Age<G>(PhantomData<G>);
/// Sum of the delays of all missed changes.
#[derive(Debug, Clone, Copy)]
pub struct Content<G>(PhantomData<G>);
/// 1 + 1/2 + … + 1/k for k missed changes.
#[derive(Debug, Clone, Copy)]
pub struct Harmonic<G>(PhantomData<G>);

/// Gaps for which the benefits can be inverted fast; each point is r with dr/d ln y.
pub trait Invertible: Gaps {
    /// r with [`Gaps::gain`] = y, for y ≤ ½.
    fn invert_gain(y: f64) -> Point;
    /// r with [`Gaps::shortfall`] = q, for 0 < q ≤ ½; the slope is dr/d ln q.
    fn invert_shortfall(q: f64) -> Point;
    /// r with r²·[`Gaps::gain_age`] = y.
    fn invert_age(y: f64) -> Point;
    /// r with r·[`Gaps::stale`] = y.
    fn invert_harmonic(y: f64) -> Point;
}

impl<G: Invertible> Response for Freshness<G> {
    #[inline]
    fn average(rate: f64, frequency: f64) -> f64 {
        if rate == 0.0 { 0.0 } else { G::stale(rate / frequency) }
    }

    #[inline]
    fn benefit(rate: f64, frequency: f64) -> f64 {
        let r = rate / frequency;
        if rate == 0.0 {
            0.0
        } else if r < 1.0 {
            G::gain_over_r(r) / frequency
        } else {
            G::gain(r) / rate
        }
    }

    #[inline]
    fn demand(rate: f64, price: f64) -> Demand {
        let y = rate * price;
        if y < 0.5 {
            if y < TINY {
                return near_zero(rate, price, 2, 0.5 * G::SECOND);
            }
            return respond(rate, G::invert_gain(y));
        }
        let q = shortfall(rate, price, y);
        if q > 0.0 {
            let Point { value, slope } = G::invert_shortfall(q);
            respond(rate, Point { value, slope: -slope * y / q })
        } else {
            Demand { frequency: 0.0, slope: 0.0 }
        }
    }
}

impl<G: Invertible> Response for Age<G> {
    #[inline]
    fn average(rate: f64, frequency: f64) -> f64 {
        if rate == 0.0 { 0.0 } else { G::age(rate / frequency) / frequency }
    }

    #[inline]
    fn benefit(rate: f64, frequency: f64) -> f64 {
        if rate == 0.0 { 0.0 } else { G::gain_age(rate / frequency) / frequency / frequency }
    }

    #[inline]
    fn demand(rate: f64, price: f64) -> Demand {
        let y = rate * price * rate;
        if y < TINY {
            near_zero(rate, price, 3, G::THIRD / 3.0)
        } else if y > HUGE {
            let frequency = (0.5 * G::SECOND).sqrt() / price.sqrt();
            Demand { frequency, slope: -0.5 * frequency }
        } else {
            respond(rate, G::invert_age(y))
        }
    }
}

impl<G: Invertible> Response for Content<G> {
    #[inline]
    fn average(rate: f64, frequency: f64) -> f64 {
        if rate == 0.0 { 0.0 } else { G::THIRD / 6.0 * (rate / frequency) / frequency }
    }

    #[inline]
    fn benefit(rate: f64, frequency: f64) -> f64 {
        if rate == 0.0 { 0.0 } else { G::THIRD / 3.0 * (rate / frequency) / frequency / frequency }
    }

    #[inline]
    fn demand(rate: f64, price: f64) -> Demand {
        let cube = G::THIRD / 3.0 * rate / price;
        if !(TINY..HUGE).contains(&cube) {
            return near_zero(rate, price, 3, G::THIRD / 3.0);
        }
        let frequency = cbrt(cube);
        Demand { frequency, slope: -frequency / 3.0 }
    }
}

impl<G: Invertible> Response for Harmonic<G> {
    #[inline]
    fn average(rate: f64, frequency: f64) -> f64 {
        if rate == 0.0 { 0.0 } else { G::harmonic(rate / frequency) }
    }

    #[inline]
    fn benefit(rate: f64, frequency: f64) -> f64 {
        if rate == 0.0 { 0.0 } else { G::stale(rate / frequency) / frequency }
    }

    #[inline]
    fn demand(rate: f64, price: f64) -> Demand {
        let y = rate * price;
        if y < TINY {
            near_zero(rate, price, 2, 0.5 * G::SECOND)
        } else if y > HUGE {
            Demand { frequency: 1.0 / price, slope: -1.0 / price }
        } else {
            respond(rate, G::invert_harmonic(y))
        }
    }
}

/// All four averages of an item that changes at `rate`, for little more than the price of one.
#[inline]
#[must_use]
pub fn averages<G: Gaps>(rate: f64, frequency: f64) -> Averages {
    if rate == 0.0 {
        return Averages { stale: 0.0, age: 0.0, content: 0.0, harmonic: 0.0 };
    }
    let interval = 1.0 / frequency;
    let r = rate / frequency;
    averages_of::<G>(&G::costs(r), r, interval)
}

/// [`averages`] of visits every `interval`, from what is already known of r = rate·interval.
#[inline]
#[must_use]
pub fn averages_of<G: Gaps>(costs: &Costs, r: f64, interval: f64) -> Averages {
    Averages {
        stale: costs.stale,
        age: costs.age * interval,
        content: G::THIRD / 6.0 * r * interval,
        harmonic: G::harmonic_beside(r, costs.stale),
    }
}

/// Below this, y may have lost digits to underflow, and its leading power is exact.
const TINY: f64 = 1e-280;
/// Above this, y may be about to overflow, and the benefit no longer depends on the rate.
const HUGE: f64 = 1e280;

/// f = λ/r and df/d ln(price) = −(λ/r²)·dr/d ln(y).
#[inline]
fn respond(rate: f64, Point { value: r, slope }: Point) -> Demand {
    let per_r = 1.0 / r;
    let frequency = rate * per_r;
    Demand { frequency, slope: -frequency * slope * per_r }
}

/// Visits so frequent that benefit = coefficient·λ·I^power. Also where items end that never change.
#[cold]
fn near_zero(rate: f64, price: f64, power: i32, coefficient: f64) -> Demand {
    let root = |x: f64| if power == 2 { x.sqrt() } else { cbrt(x) };
    let frequency = root(rate) / root(price) * root(coefficient);
    Demand { frequency, slope: -frequency / f64::from(power) }
}

/// 1 − rate·price with the rounding error of the product, `y`, put back (Dekker's product).
#[inline]
fn shortfall(rate: f64, price: f64, y: f64) -> f64 {
    let split = |x: f64| {
        let shifted = x * 134_217_729.0;
        let high = shifted - (shifted - x);
        (high, x - high)
    };
    let ((a, b), (c, d)) = (split(rate), split(price));
    let error = ((a * c - y) + a * d + b * c) + b * d;
    // Splitting overflows beyond 1e300 only; there the last bit of y has to do.
    if error.is_finite() { (1.0 - y) - error } else { 1.0 - y }
}

/// The highest power of two to which unbounded benefits are tabulated.
const HIGH: i32 = 10;

macro_rules! tabulated {
    ($name:ident, $inverse:expr) => {
        fn $name() -> &'static Inverse {
            static TABLE: LazyLock<Inverse> = LazyLock::new(|| $inverse);
            &TABLE
        }
    };
}

tabulated!(fixed_gain, Inverse::saturating(&Fixed::gain, &Fixed::shortfall));
tabulated!(fixed_age, Inverse::unbounded(3, HIGH, &|r| r * r * Fixed::gain_age(r)));
tabulated!(fixed_harmonic, Inverse::unbounded(2, HIGH, &|r| r * Fixed::stale(r)));
tabulated!(random_gain, Inverse::saturating(&Random::gain, &Random::shortfall));
tabulated!(random_age, Inverse::unbounded(3, HIGH, &|r| r * r * Random::gain_age(r)));
tabulated!(random_harmonic, Inverse::unbounded(2, HIGH, &|r| r * Random::stale(r)));
tabulated!(purely_random_age, Inverse::unbounded(3, HIGH, &|r| r * r * PurelyRandom::gain_age(r)));

/// Past the table of [`Fixed`]'s shortfall: r − ln(1 + r) = −ln q by Newton's method.
#[cold]
fn saturated(q: f64) -> f64 {
    let target = -libm::log(q);
    let newton = |r: f64, _| r - (r - libm::log1p(r) - target) * (1.0 + 1.0 / r);
    (0..5).fold(target + libm::log1p(target), newton)
}

/// Past the table the exponentials are gone, and y = m₂r²/2 − gain(r) with a gain that hardly moves.
#[cold]
fn large_age<G: Gaps>(y: f64) -> Point {
    let r = (0..4).fold((2.0 * y / G::SECOND).sqrt(), |r, _| (2.0 * (y + G::gain(r)) / G::SECOND).sqrt());
    Point { value: r, slope: y / (G::SECOND * r) }
}

/// Past the table y = r·stale(r) = r − (1 − L), and L = 1 − r·F̄ hardly moves.
#[cold]
fn large_harmonic<G: Gaps>(y: f64) -> Point {
    let r = (0..4).fold(y + 1.0, |r, _| y + r * G::freshness(r));
    Point { value: r, slope: y }
}

/// At the root e^−r follows from y, so that slopes are closed forms too, cheaper than the tables' own.
impl Invertible for Fixed {
    #[inline]
    fn invert_gain(y: f64) -> Point {
        let r = fixed_gain().at(y).unwrap_or(NOWHERE).value;
        Point { value: r, slope: y * (1.0 + r) / (r * (1.0 - y)) }
    }

    #[inline]
    fn invert_shortfall(q: f64) -> Point {
        let r = fixed_gain().at_shortfall(q).map_or_else(|| saturated(q), |point| point.value);
        Point { value: r, slope: -(1.0 + r) / r }
    }

    #[inline]
    fn invert_age(y: f64) -> Point {
        let r = fixed_age().at(y).unwrap_or_else(|| large_age::<Self>(y)).value;
        Point { value: r, slope: y * (1.0 + r) / (r * (r + (0.5 * r * r - y))) }
    }

    #[inline]
    fn invert_harmonic(y: f64) -> Point {
        let r = fixed_harmonic().at(y).unwrap_or_else(|| large_harmonic::<Self>(y)).value;
        // r − y = 1 − e^−r.
        Point { value: r, slope: if y < 64.0 { y / (r - y) } else { y } }
    }
}

impl Invertible for Random {
    #[inline]
    fn invert_gain(y: f64) -> Point {
        random_gain().at(y).unwrap_or(NOWHERE)
    }

    #[inline]
    fn invert_shortfall(q: f64) -> Point {
        random_gain().at_shortfall(q).unwrap_or_else(|| {
            let r = (3.0 / q).sqrt();
            Point { value: r, slope: -0.5 * r }
        })
    }

    #[inline]
    fn invert_age(y: f64) -> Point {
        random_age().at(y).unwrap_or_else(|| large_age::<Self>(y))
    }

    #[inline]
    fn invert_harmonic(y: f64) -> Point {
        random_harmonic().at(y).unwrap_or_else(|| large_harmonic::<Self>(y))
    }
}

impl Invertible for PurelyRandom {
    /// √y = r/(1 + r).
    #[inline]
    fn invert_gain(y: f64) -> Point {
        let r = y.sqrt() / (1.0 - y.sqrt());
        Point { value: r, slope: 0.5 * r * (1.0 + r) }
    }

    #[inline]
    fn invert_shortfall(q: f64) -> Point {
        let stale = (1.0 - q).sqrt();
        let r = stale * (1.0 + stale) / q;
        Point { value: r, slope: -0.5 * r * (1.0 + r) * q / (1.0 - q) }
    }

    #[inline]
    fn invert_age(y: f64) -> Point {
        purely_random_age().at(y).unwrap_or_else(|| large_age::<Self>(y))
    }

    /// y = r²/(1 + r).
    #[inline]
    fn invert_harmonic(y: f64) -> Point {
        let r = 0.5 * (y + y.sqrt() * (y + 4.0).sqrt());
        Point { value: r, slope: r * (1.0 + r) / (2.0 + r) }
    }
}

/// Where a price that is not a number leads.
const NOWHERE: Point = Point { value: f64::NAN, slope: f64::NAN };
