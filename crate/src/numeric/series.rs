//! Power series with alternating signs, the way out of every cancellation near zero.

/// c₀ − c₁x + c₂x² − …, by Horner's rule.
#[inline]
#[must_use]
pub fn alternating<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| c - x * sum)
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
    }
}
