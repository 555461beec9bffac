//! Ein(x) = ∫₀ˣ (1 − e^−u)/u du, the entire exponential integral: what harmonic staleness grows by.
//!
//! No crate offers it; E₁ from one would cancel against ln x + γ near zero.

use std::sync::LazyLock;

use super::octaves::Octaves;
use super::series::{alternating, factorial};

/// Euler's γ.
const EULER: f64 = 0.577_215_664_901_532_9;

/// As many terms as x < 1/8 needs.
const NEAR_ZERO: [f64; 11] = coefficients();
/// As many terms as x < 1 needs: Ein(x)/x by alternating powers.
pub const NEAR_ONE: [f64; 18] = coefficients();
/// As many terms as x < 3 needs.
const NEAR: [f64; 32] = coefficients();

/// 1/(k·k!), k = 1, 2, …
const fn coefficients<const N: usize>() -> [f64; N] {
    let mut c = [0.0; N];
    let mut k = 1;
    while k <= N {
        c[k - 1] = 1.0 / (k as f64 * factorial(k));
        k += 1;
    }
    c
}

static TABLE: LazyLock<Octaves> = LazyLock::new(|| Octaves::tabulate(-3, 6, &mut slow));

/// Ein(x) for x ≥ 0.
#[inline]
#[must_use]
pub fn ein(x: f64) -> f64 {
    if x < 0.125 {
        x * alternating(&NEAR_ZERO, x)
    } else if let Some(point) = TABLE.at(x) {
        point.value
    } else {
        // E₁(64) is below 1e-29.
        libm::log(x) + EULER
    }
}

/// The series, or ln x + γ + E₁(x) with the continued fraction of E₁.
fn slow(x: f64) -> f64 {
    if x < 3.0 {
        return x * alternating(&NEAR, x);
    }
    let fraction = (1..=60).rev().fold(0.0, |below, n| {
        let n = f64::from(n);
        n * n / (x + 2.0 * n + 1.0 - below)
    });
    libm::log(x) + EULER + libm::exp(-x) / (x + 1.0 - fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_mpmath_to_the_last_bits() {
        // mpmath, 40 digits: e1(x) + log(x) + euler.
        for (x, expected) in [
            (1e-12, 9.999_999_999_997_5e-13),
            (0.1, 0.097_554_530_326_877_85),
            (0.5, 0.443_842_079_117_748_36),
            (1.0, 0.796_599_599_297_053_1),
            (3.0, 1.688_876_334_663_839_6),
            (7.5, 2.592_184_516_337_064_7),
            (40.0, 4.266_095_119_015_469),
            (1e6, 14.392_726_222_865_807),
        ] {
            assert!((ein(x) / expected - 1.0).abs() < 1e-15, "{x}: {} against {expected}", ein(x));
        }
    }

    #[test]
    fn joins_of_its_pieces_do_not_show() {
        for x in [0.125_f64, 3.0, 64.0] {
            let (below, above) = (ein(x * (1.0 - 1e-12)), ein(x * (1.0 + 1e-12)));
            let step = (1.0 - libm::exp(-x)) * 2e-12;
            assert!((above - below - step).abs() < 1e-15 * above.max(1.0), "{x}: {below} {above}");
        }
    }
}
