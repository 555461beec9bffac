//! Poisson changes in closed form (spec: "Freshness and age under Poisson", "Order policies", Cho Table 2).
//!
//! With r = λI everything is one universal function per metric and order: average = Iᵈ·A(r) and benefit = Iᵈ⁺¹·B(r),
//! where d = 0 for the metrics without a unit (freshness, harmonic) and 1 for those that are times (age, content).
//! Written with X the gap relative to its mean, L(s) = E e^(−sX), m₂ = E X² and s(r) = 1 − (1 − L)/r the stale share:
//!
//! | metric | A | B |
//! |---|---|---|
//! | freshness | s | (1 − L + rL′)/r |
//! | age | m₂/2 − s/r | m₂/2 − (1 − L + rL′)/r² |
//! | content | m₃r/6 | m₃r/3 |
//! | harmonic | E ∫₀^X Ein(rx) dx | s |
//!
//! All cancel as r → 0, where the power series in r with the moments of X take over.

use crate::numeric::series::{alternating, factorial};

/// Terms of every series: enough for 1e-17 at r·max(X) = 1.
const TERMS: usize = 19;
type Series = [f64; TERMS];

/// E X^k: 1 for fixed order, (2^(k+2) − 2)/((k+1)(k+2)) for the triangular gaps of random order.
const fn moment(random: bool, k: usize) -> f64 {
    if random { ((1_u64 << (k + 2)) - 2) as f64 / ((k + 1) * (k + 2)) as f64 } else { 1.0 }
}

/// The four universal functions that need a series, as coefficients of r, r², … with alternating signs.
struct NearZero {
    stale: Series,
    age: Series,
    benefit_freshness: Series,
    benefit_age: Series,
}

const fn near_zero(random: bool) -> NearZero {
    let mut of =
        NearZero { stale: [0.0; TERMS], age: [0.0; TERMS], benefit_freshness: [0.0; TERMS], benefit_age: [0.0; TERMS] };
    let mut i = 0;
    while i < TERMS {
        let k = i + 1;
        of.stale[i] = moment(random, k + 1) / factorial(k + 1);
        of.age[i] = moment(random, k + 2) / factorial(k + 2);
        of.benefit_freshness[i] = k as f64 * of.stale[i];
        of.benefit_age[i] = (k + 1) as f64 * of.age[i];
        i += 1;
    }
    of
}

static FIXED: NearZero = near_zero(false);
static RANDOM: NearZero = near_zero(true);

/// m₂ of the triangular gaps.
const RANDOM_SECOND: f64 = 7.0 / 6.0;

/// Gaps of exactly I.
pub(crate) mod fixed {
    use super::{FIXED, alternating};

    /// F̄ = (1 − e^−r)/r.
    #[inline]
    pub(crate) fn freshness(r: f64) -> f64 {
        if r == 0.0 { 1.0 } else { -libm::expm1(-r) / r }
    }

    /// 1 − F̄.
    #[inline]
    pub(crate) fn stale(r: f64) -> f64 {
        if r < 1.0 { r * alternating(&FIXED.stale, r) } else { 1.0 - (1.0 - libm::exp(-r)) / r }
    }

    /// Ā/I.
    #[inline]
    pub(crate) fn age(r: f64) -> f64 {
        if r < 1.0 { r * alternating(&FIXED.age, r) } else { 0.5 - stale(r) / r }
    }

    /// λ·b for freshness: 1 − e^−r(1 + r).
    #[inline]
    pub(crate) fn benefit_freshness(r: f64) -> f64 {
        if r < 1.0 {
            r * (r * alternating(&FIXED.benefit_freshness, r))
        } else if r < 800.0 {
            1.0 - libm::exp(-r) * (1.0 + r)
        } else {
            1.0
        }
    }

    /// b/I² for age.
    #[inline]
    pub(crate) fn benefit_age(r: f64) -> f64 {
        if r < 1.0 { r * alternating(&FIXED.benefit_age, r) } else { 0.5 - benefit_freshness(r) / r / r }
    }
}

/// Gaps triangular on [0, 2I].
pub(crate) mod random {
    use super::{RANDOM, RANDOM_SECOND, alternating, fixed};

    /// F̄ = (1 − ((1 − e^−r)/r)²)/r.
    #[inline]
    pub(crate) fn freshness(r: f64) -> f64 {
        if r < 0.5 { 1.0 - stale(r) } else { fixed::stale(r) / r * (1.0 + fixed::freshness(r)) }
    }

    /// 1 − F̄.
    #[inline]
    pub(crate) fn stale(r: f64) -> f64 {
        if r < 0.5 { r * alternating(&RANDOM.stale, r) } else { 1.0 - freshness(r) }
    }

    /// Ā/I.
    #[inline]
    pub(crate) fn age(r: f64) -> f64 {
        if r < 0.5 { r * alternating(&RANDOM.age, r) } else { RANDOM_SECOND / 2.0 - stale(r) / r }
    }

    /// λ·b for freshness.
    #[inline]
    pub(crate) fn benefit_freshness(r: f64) -> f64 {
        if r < 0.5 {
            r * (r * alternating(&RANDOM.benefit_freshness, r))
        } else {
            let fresh = fixed::freshness(r);
            fixed::stale(r) * (1.0 + fresh) - 2.0 * fresh * (fixed::benefit_freshness(r) / r)
        }
    }

    /// b/I² for age.
    #[inline]
    pub(crate) fn benefit_age(r: f64) -> f64 {
        if r < 0.5 {
            r * alternating(&RANDOM.benefit_age, r)
        } else {
            RANDOM_SECOND / 2.0 - benefit_freshness(r) / r / r
        }
    }
}
