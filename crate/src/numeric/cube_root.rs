//! The cube root, which content freshness takes of a million numbers at a time.
//!
//! `libm::cbrt` rounds correctly with the help of fused multiply-adds, which WebAssembly has to emulate: twenty times the
//! cost for the last half of a bit.

/// ∛x, within a bit of its last.
#[inline]
#[must_use]
pub fn cbrt(x: f64) -> f64 {
    if !(f64::MIN_POSITIVE..f64::INFINITY).contains(&x) {
        return libm::cbrt(x);
    }
    // A third of the exponent, negated, is 1/∛x to 4 %; the constant makes its errors above and below alike.
    #[allow(clippy::cast_possible_truncation)] // 32 bits are left
    let high = (x.to_bits() >> 32) as u32;
    let mut y = f64::from_bits(u64::from(0x553E_E861 - high / 3) << 32);
    // y·(1 − h)^(−1/3) by its power series: h is 0.1 at first, then 1e-6.
    let mut h = 1.0 - x * y * y * y;
    y += y * h * (1.0 / 3.0 + h * (2.0 / 9.0 + h * (14.0 / 81.0 + h * (35.0 / 243.0))));
    h = 1.0 - x * y * y * y;
    y += y * h * (1.0 / 3.0 + h * (2.0 / 9.0));
    // One step of Newton's method on t³ = x takes out the rounding of y.
    let t = x * y * y;
    t - (t * t * t - x) * (y * y) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_within_a_bit_of_the_correctly_rounded_root_over_all_decades() {
        for k in 0..200_000_u32 {
            let x = libm::exp(-700.0 + 0.007 * f64::from(k));
            let (root, exact) = (cbrt(x), libm::cbrt(x));
            assert!(root.to_bits().abs_diff(exact.to_bits()) <= 1, "{x}: {root} against {exact}");
        }
    }

    #[test]
    fn ends_are_those_of_the_library() {
        for x in [0.0, -0.0, 5e-324, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, -8.0] {
            assert!((cbrt(x) - libm::cbrt(x)).abs() <= 1e-15 * libm::cbrt(x).abs() || cbrt(x).is_infinite(), "{x}");
        }
        assert!(cbrt(f64::NAN).is_nan());
    }
}
