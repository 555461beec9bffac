//! How regular the visits are (spec: "Order policies", Cho §4): the universal functions of r = λI that Poisson changes
//! need for each distribution of the gaps.
//!
//! With X the gap relative to its mean and L(s) = E e^(−sX), F̄ = (1 − L(r))/r and the gain λ·b = 1 − L(r) + rL′(r);
//! age follows from those two with m₂ = E X². All of it cancels as r → 0, where the power series in r with the moments
//! of X take over.

use super::many::{BLOCK, Column, ManyCosts};
use crate::numeric::ein::{NEAR_ONE, ein};
use crate::numeric::series::{alternating, alternating_pair, factorial};

/// What [`Gaps`] says about one r; a loop that uses only some of it pays only for that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// [`Gaps::freshness`].
    pub fresh: f64,
    /// [`Gaps::stale`].
    pub stale: f64,
    /// [`Gaps::age`].
    pub age: f64,
    /// [`Gaps::gain_over_r`].
    pub gain_over_r: f64,
    /// [`Gaps::gain_age`].
    pub gain_age: f64,
}

/// A distribution of gaps with mean 1.
pub trait Gaps {
    /// m₂ = E X².
    const SECOND: f64;
    /// m₃ = E X³.
    const THIRD: f64;

    /// F̄.
    fn freshness(r: f64) -> f64;
    /// 1 − F̄.
    fn stale(r: f64) -> f64;
    /// Ā/I.
    fn age(r: f64) -> f64;
    /// Harmonic average.
    fn harmonic(r: f64) -> f64;
    /// [`Self::harmonic`] when [`Self::stale`] is already at hand.
    #[inline]
    #[must_use]
    fn harmonic_beside(r: f64, _stale: f64) -> f64 {
        Self::harmonic(r)
    }
    /// Everything at once, for the price of one exponential.
    fn costs(r: f64) -> Costs;
    /// The same, and the harmonic average, of the first `len` items of a block.
    fn many_costs(r: &Column, len: usize, out: &mut ManyCosts)
    where
        Self: Sized,
    {
        for (k, &r) in r[..len].iter().enumerate() {
            out.set::<Self>(k, r);
        }
    }
    /// λ·b for freshness; rises from 0 to 1.
    fn gain(r: f64) -> f64;
    /// 1 − gain, without cancellation where the gain is close to 1.
    fn shortfall(r: f64) -> f64;
    /// gain/r, which does not underflow before r does.
    fn gain_over_r(r: f64) -> f64;
    /// b/I² for age; rises from 0 to m₂/2.
    fn gain_age(r: f64) -> f64;
}

/// Gaps of exactly I.
#[derive(Debug, Clone, Copy)]
pub struct Fixed;
/// Reshuffled each round: gaps triangular on [0, 2I].
#[derive(Debug, Clone, Copy)]
pub struct Random;
/// Gaps exponential with mean I.
#[derive(Debug, Clone, Copy)]
pub struct PurelyRandom;

impl Gaps for Fixed {
    const SECOND: f64 = 1.0;
    const THIRD: f64 = 1.0;

    #[inline]
    fn freshness(r: f64) -> f64 {
        if r == 0.0 { 1.0 } else { -libm::expm1(-r) / r }
    }

    #[inline]
    fn stale(r: f64) -> f64 {
        if r < 1.0 { r * (0.5 - Self::age(r)) } else { 1.0 - (1.0 - libm::exp(-r)) / r }
    }

    #[inline]
    fn age(r: f64) -> f64 {
        if r < 1.0 { r * alternating(&FIXED_AGE, r) } else { 0.5 - Self::stale(r) / r }
    }

    #[inline]
    fn harmonic(r: f64) -> f64 {
        Self::harmonic_beside(r, Self::stale(r))
    }

    #[inline]
    fn harmonic_beside(r: f64, stale: f64) -> f64 {
        ein(r) - stale
    }

    #[inline]
    fn costs(r: f64) -> Costs {
        if r < 1.0 {
            let age = r * alternating(&FIXED_AGE, r);
            let gain_age = 0.5 * r - (1.0 + r) * age;
            let stale = r * (0.5 - age);
            Costs { fresh: 1.0 - stale, stale, age, gain_over_r: r * (0.5 - gain_age), gain_age }
        } else {
            // Past 45 the exponential is lost beside 1.
            let (unchanged, shortfall) = if r < 45.0 {
                let unchanged = libm::exp(-r);
                (unchanged, unchanged * (1.0 + r))
            } else {
                (0.0, 0.0)
            };
            let per_r = 1.0 / r;
            let fresh = (1.0 - unchanged) * per_r;
            let stale = 1.0 - fresh;
            let gain_over_r = (1.0 - shortfall) * per_r;
            Costs { fresh, stale, age: 0.5 - stale * per_r, gain_over_r, gain_age: 0.5 - gain_over_r * per_r }
        }
    }

    /// The series for all of them, also where it makes no sense: then those are done once more.
    fn many_costs(r: &Column, len: usize, out: &mut ManyCosts) {
        // The last pair may hold what an earlier block left: nobody reads it.
        for pair in 0..len.div_ceil(2).min(BLOCK / 2) {
            let k = 2 * pair;
            let r = [r[k], r[k + 1]];
            let (age, ein) = (alternating_pair(&FIXED_AGE, r), alternating_pair(&NEAR_ONE, r));
            for lane in 0..2 {
                let (k, r, age) = (k + lane, r[lane], r[lane] * age[lane]);
                let gain_age = 0.5 * r - (1.0 + r) * age;
                let stale = r * (0.5 - age);
                out.fresh[k] = 1.0 - stale;
                out.stale[k] = stale;
                out.age[k] = age;
                out.gain_over_r[k] = r * (0.5 - gain_age);
                out.gain_age[k] = gain_age;
                out.harmonic[k] = r * ein[lane] - stale;
            }
        }
        for (k, &r) in r[..len].iter().enumerate() {
            if r >= 1.0 {
                out.set::<Self>(k, r);
            }
        }
    }

    #[inline]
    fn gain(r: f64) -> f64 {
        if r < 1.0 { r * Self::gain_over_r(r) } else { 1.0 - Self::shortfall(r) }
    }

    #[inline]
    fn shortfall(r: f64) -> f64 {
        // Past 800 both factors leave the range of floats, in opposite directions.
        if r < 800.0 { libm::exp(-r) * (1.0 + r) } else { 0.0 }
    }

    #[inline]
    fn gain_over_r(r: f64) -> f64 {
        if r < 1.0 { r * (0.5 - Self::gain_age(r)) } else { Self::gain(r) / r }
    }

    #[inline]
    fn gain_age(r: f64) -> f64 {
        // Eliminating e^−r between Ā and b.
        if r < 1.0 { 0.5 * r - (1.0 + r) * Self::age(r) } else { 0.5 - Self::gain(r) / r / r }
    }
}

impl Gaps for Random {
    const SECOND: f64 = 7.0 / 6.0;
    const THIRD: f64 = 1.5;

    #[inline]
    fn freshness(r: f64) -> f64 {
        // (1 − φ²)/r with φ = (1 − e^−r)/r.
        if r < 0.5 { 1.0 - Self::stale(r) } else { Fixed::stale(r) / r * (1.0 + Fixed::freshness(r)) }
    }

    #[inline]
    fn stale(r: f64) -> f64 {
        if r < 0.5 { r * (Self::SECOND / 2.0 - Self::age(r)) } else { 1.0 - Self::freshness(r) }
    }

    #[inline]
    fn age(r: f64) -> f64 {
        if r < 0.5 { r * alternating(&RANDOM_AGE, r) } else { Self::SECOND / 2.0 - Self::stale(r) / r }
    }

    #[inline]
    fn harmonic(r: f64) -> f64 {
        if r < 1.0 {
            return r * alternating(&RANDOM_HARMONIC, r);
        }
        // 8g(2r) − 2g(r), where g(r) = r⁻³ times the threefold integral of Ein from 0 to r.
        let algebraic = |r: f64| (0.5 - (0.5 - 1.0 / (3.0 * r)) / r) / r;
        let exponential = |r: f64| libm::exp(-r) * ((r * r - r) / 6.0 + 1.0 / 3.0) / (r * r * r);
        let rest = 8.0 * algebraic(2.0 * r) - 2.0 * algebraic(r) - 11.0 / 6.0;
        if r < 64.0 {
            (4.0 * ein(2.0 * r) - ein(r)) / 3.0 + rest - (8.0 * exponential(2.0 * r) - 2.0 * exponential(r))
        } else {
            // The exponentials are gone and Ein(2r) = Ein(r) + ln 2.
            ein(r) + 4.0 / 3.0 * core::f64::consts::LN_2 + rest
        }
    }

    #[inline]
    fn costs(r: f64) -> Costs {
        let most = Self::SECOND / 2.0;
        if r < 0.5 {
            let (age, gain_age) = (r * alternating(&RANDOM_AGE, r), r * alternating(&RANDOM_GAIN_AGE, r));
            let stale = r * (most - age);
            Costs { fresh: 1.0 - stale, stale, age, gain_over_r: r * (most - gain_age), gain_age }
        } else {
            let fixed = Fixed::costs(r);
            let per_r = 1.0 / r;
            let ever = fixed.stale * (1.0 + fixed.fresh);
            let fresh = ever * per_r;
            let stale = 1.0 - fresh;
            let gain_over_r = (ever - 2.0 * fixed.fresh * fixed.gain_over_r) * per_r;
            Costs { fresh, stale, age: most - stale * per_r, gain_over_r, gain_age: most - gain_over_r * per_r }
        }
    }

    #[inline]
    fn gain(r: f64) -> f64 {
        if r < 0.5 {
            r * Self::gain_over_r(r)
        } else {
            let fresh = Fixed::freshness(r);
            Fixed::stale(r) * (1.0 + fresh) - 2.0 * fresh * (Fixed::gain(r) / r)
        }
    }

    #[inline]
    fn shortfall(r: f64) -> f64 {
        let fresh = Fixed::freshness(r);
        fresh * (fresh + 2.0 * Fixed::gain_over_r(r))
    }

    #[inline]
    fn gain_over_r(r: f64) -> f64 {
        if r < 0.5 { r * (Self::SECOND / 2.0 - Self::gain_age(r)) } else { Self::gain(r) / r }
    }

    #[inline]
    fn gain_age(r: f64) -> f64 {
        if r < 0.5 { r * alternating(&RANDOM_GAIN_AGE, r) } else { Self::SECOND / 2.0 - Self::gain(r) / r / r }
    }
}

impl Gaps for PurelyRandom {
    const SECOND: f64 = 2.0;
    const THIRD: f64 = 6.0;

    #[inline]
    fn freshness(r: f64) -> f64 {
        1.0 / (1.0 + r)
    }

    #[inline]
    fn stale(r: f64) -> f64 {
        // r/(1 + r), also at r = ∞.
        1.0 / (1.0 + 1.0 / r)
    }

    #[inline]
    fn age(r: f64) -> f64 {
        Self::stale(r)
    }

    #[inline]
    fn harmonic(r: f64) -> f64 {
        libm::log1p(r)
    }

    #[inline]
    fn costs(r: f64) -> Costs {
        let (fresh, stale) = (Self::freshness(r), Self::stale(r));
        Costs { fresh, stale, age: stale, gain_over_r: stale * fresh, gain_age: stale * (1.0 + fresh) }
    }

    #[inline]
    fn gain(r: f64) -> f64 {
        Self::stale(r) * Self::stale(r)
    }

    #[inline]
    fn shortfall(r: f64) -> f64 {
        Self::freshness(r) * (1.0 + Self::stale(r))
    }

    #[inline]
    fn gain_over_r(r: f64) -> f64 {
        Self::stale(r) * Self::freshness(r)
    }

    #[inline]
    fn gain_age(r: f64) -> f64 {
        Self::stale(r) * (1.0 + Self::freshness(r))
    }
}

/// Ā/I by powers of r, enough of them for r·max(X) ≤ 1.
const FIXED_AGE: [f64; 18] = age_series(false);
const RANDOM_AGE: [f64; 18] = age_series(true);

/// b/I² by powers of r: each term of Ā·f differentiated.
const RANDOM_GAIN_AGE: [f64; 18] = {
    let mut c = RANDOM_AGE;
    let mut i = 0;
    while i < c.len() {
        c[i] *= (i + 2) as f64;
        i += 1;
    }
    c
};

/// The harmonic average by powers of r, for r·max(X) ≤ 2.
const RANDOM_HARMONIC: [f64; 27] = {
    let mut c = [0.0; 27];
    let mut k = 1;
    while k <= c.len() {
        c[k - 1] = moment(true, k + 1) / (k as f64 * factorial(k + 1));
        k += 1;
    }
    c
};

const fn age_series(random: bool) -> [f64; 18] {
    let mut c = [0.0; 18];
    let mut i = 0;
    while i < c.len() {
        c[i] = moment(random, i + 3) / factorial(i + 3);
        i += 1;
    }
    c
}

/// E X^k: 1 for fixed order, (2^(k+2) − 2)/((k+1)(k+2)) for the triangular gaps of random order.
const fn moment(random: bool, k: usize) -> f64 {
    if random { ((1_u64 << (k + 2)) - 2) as f64 / ((k + 1) * (k + 2)) as f64 } else { 1.0 }
}
