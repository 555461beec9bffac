//! The lower incomplete gamma function, scaled so that nothing overflows and no digit is lost.
//!
//! statrs has P(a, x), but through std's `ln` and `exp`, which differ between native and wasm, and through ln Γ, which
//! costs digits as a grows; the scaled form needs neither where its series runs.

/// a·x^(−a)·γ(a, x) = a ∫₀¹ u^(a−1) e^(−xu) du for a > 0, x ≥ 0: falls from 1 at x = 0.
#[must_use]
pub fn scaled_lower(a: f64, x: f64) -> f64 {
    if x <= a + 2.0 { libm::exp(-x) * (1.0 + series(a, x)) } else { complete(a, x) - upper(a, x) }
}

/// [`scaled_lower`] less e^(−x), which is what is left of it at the far end: a ∫₀¹ u^(a−1) (e^(−xu) − e^(−x)) du.
#[must_use]
pub fn scaled_lower_excess(a: f64, x: f64) -> f64 {
    if x <= a + 2.0 { libm::exp(-x) * series(a, x) } else { complete(a, x) - upper(a, x) - libm::exp(-x) }
}

/// P(a, x), the chance that a Gamma(a) variable stays below x.
#[must_use]
pub fn lower_regularized(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x <= a + 2.0 {
        scaled_lower(a, x) / complete(a, x)
    } else {
        1.0 - upper(a, x) / complete(a, x)
    }
}

/// Σ x^k / ((a+1)…(a+k)), k ≥ 1: all positive.
fn series(a: f64, x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 0.0;
    let mut k = 1.0;
    loop {
        term *= x / (a + k);
        sum += term;
        if term <= 1e-17 * sum {
            return sum;
        }
        k += 1.0;
    }
}

/// Γ(a+1)·x^(−a): [`scaled_lower`] without the tail above x.
fn complete(a: f64, x: f64) -> f64 {
    if a < 150.0 {
        libm::tgamma(a + 1.0) * libm::pow(x, -a)
    } else {
        libm::exp(libm::lgamma(a + 1.0) - a * libm::log(x))
    }
}

/// a·x^(−a)·Γ(a, x) for x > a + 1, by Legendre's continued fraction (modified Lentz).
fn upper(a: f64, x: f64) -> f64 {
    if x > 750.0 + a {
        return 0.0;
    }
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
        if (c * d - 1.0).abs() < 1e-16 || k > 500.0 {
            return a * libm::exp(-x) * fraction;
        }
        k += 1.0;
    }
}
