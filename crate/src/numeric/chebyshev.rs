//! A smooth function on [−1, 1] as a sum of Chebyshev polynomials, from its values at their roots.

/// How many polynomials: enough for a function that is analytic within a distance of 4.5 to reach the last bit.
pub const TERMS: usize = 18;

/// Σ cₖ Tₖ(t).
#[derive(Debug, Clone, PartialEq)]
pub struct Chebyshev([f64; TERMS]);

impl Chebyshev {
    /// The sum that agrees with `f` at the roots of the next polynomial.
    #[must_use]
    pub fn interpolate(f: impl Fn(f64) -> f64) -> Self {
        let angle = |j: usize| core::f64::consts::PI * (j as f64 + 0.5) / TERMS as f64;
        let values: [f64; TERMS] = core::array::from_fn(|j| f(libm::cos(angle(j))));
        // Only differences from one value pass through the sums, so that rounding there is of second order.
        let base = values[TERMS / 2];
        let mut series = core::array::from_fn(|k| {
            let terms = values.iter().enumerate().map(|(j, v)| (v - base) * libm::cos(k as f64 * angle(j)));
            terms.sum::<f64>() * if k == 0 { 1.0 } else { 2.0 } / TERMS as f64
        });
        series[0] += base;
        Self(series)
    }

    /// The value and the derivative at `t`, by Clenshaw's recurrence.
    #[inline]
    #[must_use]
    pub fn at(&self, t: f64) -> (f64, f64) {
        let (mut b, mut before) = (0.0, 0.0);
        let (mut slope, mut slope_before) = (0.0, 0.0);
        for &c in self.0[1..].iter().rev() {
            (slope, slope_before) = (2.0 * (t * slope + b) - slope_before, slope);
            (b, before) = (2.0 * t * b - before + c, b);
        }
        (t * b - before + self.0[0], b + t * slope - slope_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exponential_and_its_slope_come_back() {
        let series = Chebyshev::interpolate(|t| libm::exp(0.7 * t));
        for k in 0..=200 {
            let t = -1.0 + 0.01 * f64::from(k);
            let (value, slope) = series.at(t);
            assert!((value / libm::exp(0.7 * t) - 1.0).abs() < 5e-15, "{t}: {value}");
            // At the ends a derivative multiplies rounding by the square of the degree.
            assert!((slope / (0.7 * libm::exp(0.7 * t)) - 1.0).abs() < 1e-11, "{t}: {slope}");
        }
    }
}
