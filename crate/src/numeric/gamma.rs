//! The lower incomplete gamma function, scaled so that nothing overflows and no digit is lost.
//!
//! statrs has P(a, x), but through std's `ln` and `exp`, which differ between native and wasm, and through ln Γ, which
//! costs digits as a grows; the scaled form needs neither where its series runs.

/// a·x^(−a)·γ(a, x) = a ∫₀¹ u^(a−1) e^(−xu) du for a > 0, x ≥ 0: falls from 1 at x = 0.
#[must_use]
pub fn scaled_lower(a: f64, x: f64) -> f64 {
    if x <= a + 2.0 { near(x, || 1.0 + series(a, x)) } else { complete(a, x) - upper(a, x) }
}

/// [`scaled_lower`] less e^(−x), which is what is left of it at the far end: a ∫₀¹ u^(a−1) (e^(−xu) − e^(−x)) du.
#[must_use]
pub fn scaled_lower_excess(a: f64, x: f64) -> f64 {
    if x <= a + 2.0 { near(x, || series(a, x)) } else { complete(a, x) - upper(a, x) - libm::exp(-x) }
}

/// e^(−x) times a sum of at most √a or so, which far out cannot save it from underflow and need not be taken.
fn near(x: f64, sum: impl Fn() -> f64) -> f64 {
    if x > 1100.0 { 0.0 } else { libm::exp(-x) * sum() }
}

/// P(a, x), the chance that a Gamma(a) variable stays below x, for a up to 10⁶.
#[must_use]
pub fn lower_regularized(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x <= a + 2.0 {
        mass(a, x) * (1.0 + series(a, x))
    } else {
        1.0 - mass(a, x) * a * fraction(a, x)
    }
}

/// x^a·e^(−x)/Γ(a+1): the step from P(a+1, x) to P(a, x).
#[must_use]
pub fn mass(a: f64, x: f64) -> f64 {
    if a < STIRLING { libm::exp(-x) / complete(a, x) } else { mass_beside(a, x / a - 1.0) }
}

/// From here on Stirling's series for ln Γ is exact.
const STIRLING: f64 = 30.0;

/// [`mass`] at x = a·(1 + `beside`) for a ≥ 30, where its factors would overflow, and their logarithms cancel.
#[must_use]
pub fn mass_beside(a: f64, beside: f64) -> f64 {
    let per = 1.0 / a;
    let square = per * per;
    let stirling = per * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)));
    libm::exp(-a * log_excess(beside) - stirling) / (2.0 * core::f64::consts::PI * a).sqrt()
}

/// y − ln(1 + y).
fn log_excess(y: f64) -> f64 {
    if y.abs() > 0.1 {
        return y - libm::log1p(y);
    }
    let terms = (2..=18).rev().fold(0.0, |sum, k| 1.0 / f64::from(k) - y * sum);
    y * y * terms
}

/// Bounds the loops: what they need grows like 9√a.
const MOST_TERMS: f64 = 1e4;

/// Σ x^k / ((a+1)…(a+k)), k ≥ 1: all positive.
fn series(a: f64, x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 0.0;
    let mut k = 1.0;
    loop {
        term *= x / (a + k);
        sum += term;
        if term <= 1e-17 * sum || k >= MOST_TERMS {
            return sum;
        }
        k += 1.0;
    }
}

/// Γ(a+1)·x^(−a): [`scaled_lower`] without the tail above x. Infinite or zero only where the product itself is.
#[must_use]
pub fn complete(a: f64, x: f64) -> f64 {
    let power = libm::pow(x, -a);
    if a < 150.0 && (1e-280..1e280).contains(&power) {
        libm::tgamma(a + 1.0) * power
    } else if a < 1e15 {
        // Logarithms cost digits as a grows, but their sum is in range whenever the product is.
        libm::exp(libm::lgamma(a + 1.0) - a * libm::log(x))
    } else {
        // The logarithms themselves are about to overflow; only which of them is larger still matters.
        libm::exp(a * (libm::log(a) - 1.0 - libm::log(x)))
    }
}

/// a·x^(−a)·Γ(a, x) for x > a + 1.
fn upper(a: f64, x: f64) -> f64 {
    if x > 750.0 + a { 0.0 } else { a * libm::exp(-x) * fraction(a, x) }
}

/// x^(−a)·e^x·Γ(a, x) for x > a + 1, by Legendre's continued fraction (modified Lentz).
fn fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let mut d = 1.0 / b;
    let mut c = f64::INFINITY;
    let mut fraction = d;
    let mut k = 1.0;
    loop {
        let n = -k * (k - a);
        b += 2.0;
        d = 1.0 / (n * d + b);
        c = b + n / c;
        fraction *= c * d;
        if (c * d - 1.0).abs() < 1e-16 || k > MOST_TERMS {
            return fraction;
        }
        k += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_mpmath_on_both_sides_of_the_switch() {
        // a, x, a·x^(−a)·γ(a, x), P(a, x): mpmath, 40 digits.
        for (a, x, scaled, regularized) in [
            (0.2, 0.001, 0.999_833_378_777_464_1, 0.273_530_102_033_034),
            (0.2, 3.0, 0.734_322_779_242_913_3, 0.996_296_828_158_709_3),
            (1.0, 1.0, 0.632_120_558_828_557_7, 0.632_120_558_828_557_7),
            (3.3, 5.2, 0.032_949_096_089_891_43, 0.857_924_624_900_982_9),
            (3.3, 5.4, 0.029_675_407_407_415_17, 0.875_166_513_848_609_1),
            (6.7, 40.0, 5.112_710_824_792_082e-8, 0.999_999_999_983_842_3),
            (40.0, 10.0, 5.990_153_273_097_659e-5, 7.341_636_314_560_472e-13),
            (40.0, 60.0, 6.088_172_857_208_591_6e-24, 0.997_451_807_696_386_6),
        ] {
            assert!((scaled_lower(a, x) / scaled - 1.0).abs() < 1e-14, "{a} {x}: {}", scaled_lower(a, x));
            let chance = lower_regularized(a, x);
            assert!((chance / regularized - 1.0).abs() < 1e-14, "{a} {x}: {chance}");
        }
    }

    #[test]
    fn large_shapes_neither_underflow_nor_lose_their_digits() {
        // a, x, P(a, x): mpmath, 40 digits.
        for (a, x, expected) in [
            (800.0, 900.0, 0.999_674_918_692_082_2),
            (2500.0, 2400.0, 0.021_659_687_865_363_33),
            (2500.0, 2600.0, 0.976_181_001_979_259_4),
            (1e4, 1e4, 0.501_329_808_339_955_2),
            (1e4, 1.03e4, 0.998_529_505_103_614_3),
        ] {
            let chance = lower_regularized(a, x);
            assert!((chance / expected - 1.0).abs() < 1e-12, "{a} {x}: {chance}");
            let step = lower_regularized(a, x) - lower_regularized(a + 1.0, x);
            assert!((step / mass(a, x) - 1.0).abs() < 1e-9, "{a} {x}: {step}");
        }
    }

    #[test]
    fn the_excess_keeps_its_digits_where_it_is_small() {
        // a·x/(a + 1)·(1/a) = x/(a + 1) to first order.
        assert!((scaled_lower_excess(2.0, 1e-12) / (1e-12 / 3.0) - 1.0).abs() < 1e-11);
        let (a, x) = (1.5, 9.0);
        assert!((scaled_lower_excess(a, x) - (scaled_lower(a, x) - libm::exp(-x))).abs() < 1e-16);
    }

    #[test]
    fn ends_are_reached_without_surprise() {
        assert_eq!(scaled_lower(0.7, 0.0).to_bits(), 1.0_f64.to_bits());
        assert_eq!(scaled_lower(0.7, f64::INFINITY).to_bits(), 0.0_f64.to_bits());
        assert_eq!(lower_regularized(0.7, 0.0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(lower_regularized(0.7, 1e9).to_bits(), 1.0_f64.to_bits());
    }
}
