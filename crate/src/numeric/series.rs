//! Power series with alternating signs, the way out of every cancellation near zero.

/// c₀ − c₁x + c₂x² − …, by Horner's rule for even and odd powers apart: two short chains of additions that do not wait for
/// each other.
#[inline]
#[must_use]
pub fn alternating<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let square = x * x;
    let (mut even, mut odd) = (0.0, 0.0);
    for pair in coefficients.chunks(2).rev() {
        // N may be odd: then the highest coefficient stands alone.
        even = even * square + pair[0];
        odd = odd * square + pair.get(1).copied().unwrap_or(0.0);
    }
    even - x * odd
}

/// [`alternating`] of two numbers side by side, as the two halves of a vector.
#[inline]
#[must_use]
pub fn alternating_pair<const N: usize>(coefficients: &[f64; N], x: [f64; 2]) -> [f64; 2] {
    let square = [x[0] * x[0], x[1] * x[1]];
    let (mut even, mut odd) = ([0.0; 2], [0.0; 2]);
    for pair in coefficients.chunks(2).rev() {
        let next = pair.get(1).copied().unwrap_or(0.0);
        for lane in 0..2 {
            even[lane] = even[lane] * square[lane] + pair[0];
            odd[lane] = odd[lane] * square[lane] + next;
        }
    }
    [even[0] - x[0] * odd[0], even[1] - x[1] * odd[1]]
}

/// n! as a float; exact up to 22.
#[must_use]
pub const fn factorial(n: usize) -> f64 {
    let mut product = 1.0;
    let mut k = 2;
    while k <= n {
        product *= k as f64;
        k += 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alternating_series_of_the_exponential_is_the_exponential() {
        let mut reciprocals = [0.0; 20];
        for (k, c) in reciprocals.iter_mut().enumerate() {
            *c = 1.0 / factorial(k);
        }
        assert!((alternating(&reciprocals, 0.7) - libm::exp(-0.7)).abs() < 3e-16);
        for (x, value) in [0.7, 0.2].into_iter().zip(alternating_pair(&reciprocals, [0.7, 0.2])) {
            assert_eq!(alternating(&reciprocals, x).to_bits(), value.to_bits());
        }
    }
}
