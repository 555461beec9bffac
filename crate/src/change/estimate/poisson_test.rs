//! Is it Poisson? (Cho §6.2.) A test that needs no rate at all.
//!
//! Given their number n, the changes of a Poisson process in a window are n independent uniform moments, whatever the rate. The
//! n + 1 spacings between them and the ends of the window, sorted and stretched by Durbin's transform, are again those of n
//! uniform moments, but bursts and regularity now show as a drift to one side (J. Durbin, 1961; P. A. W. Lewis, 1965). The
//! Anderson–Darling statistic of these moments has a p-value that allows for the fitted rate exactly, and uses the cut gaps at
//! both ends too.

use crate::numeric::sort;

/// Fewer changes than this are not tested.
pub const LEAST_CHANGES: usize = 5;

/// The p-value of the hypothesis that these changes, in order, within [start, end], are Poisson; NaN where there are too few.
#[must_use]
pub fn poisson_p(changes: &[f64], start: f64, end: f64) -> f64 {
    let n = changes.len();
    let length = end - start;
    if n < LEAST_CHANGES || length <= 0.0 {
        return f64::NAN;
    }
    let mut spacing: Vec<f64> = Vec::with_capacity(n + 1);
    let mut last = start;
    for &change in changes {
        spacing.push((change - last) / length);
        last = change;
    }
    spacing.push((end - last) / length);
    sort::floats(&mut spacing);
    let (mut moment, mut shorter) = (0.0, 0.0);
    let moments: Vec<f64> = (0..n)
        .map(|j| {
            moment += (n + 1 - j) as f64 * (spacing[j] - shorter);
            shorter = spacing[j];
            moment
        })
        .collect();
    1.0 - anderson_darling_chance(n, anderson_darling(&moments))
}

/// A² of sorted values that should be uniform on (0, 1).
fn anderson_darling(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    // A value of exactly 0 or 1 comes from rounding or from two changes at one moment.
    let inside = |x: f64| x.clamp(1e-12, 1.0 - 1e-12);
    let sum: f64 = (0..n)
        .map(|i| {
            let (low, high) = (inside(sorted[i]), inside(sorted[n - 1 - i]));
            (2 * i + 1) as f64 * (libm::log(low) + libm::log1p(-high))
        })
        .sum();
    -(n as f64) - sum / n as f64
}

/// P(A² < z) for n values (G. Marsaglia, J. Marsaglia, "Evaluating the Anderson–Darling distribution", 2004): the limit for
/// many values, good to six digits, and a correction for few.
fn anderson_darling_chance(n: usize, z: f64) -> f64 {
    if z <= 0.0 {
        return 0.0;
    }
    let polynomial = |x: f64, from_highest: &[f64]| from_highest.iter().fold(0.0, |sum, term| sum * x + term);
    let limit = if z < 2.0 {
        let sum = polynomial(z, &[0.001_686_91, -0.011_672, 0.034_796_2, -0.064_982_1, 0.247_105, 2.000_12]);
        libm::exp(-1.233_714_1 / z) / z.sqrt() * sum
    } else {
        let sum = polynomial(z, &[-0.000_314_6, 0.008_056, -0.082_433, 0.434_24, -2.306_95, 1.077_6]);
        libm::exp(-libm::exp(sum))
    };
    let n = n as f64;
    let edge = 0.01265 + 0.1757 / n;
    let correction = if limit > 0.8 {
        polynomial(limit, &[255.7844, -1116.360, 1950.646, -1705.091, 745.2337, -130.2137]) / n
    } else if limit < edge {
        let t = limit / edge;
        t.sqrt() * (1.0 - t) * (49.0 * t - 102.0) * (0.0037 / (n * n) + 0.00078 / n + 0.00006) / n
    } else {
        let t = (limit - edge) / (0.8 - edge);
        polynomial(t, &[1.91864, -8.259, 14.458, -14.6538, 6.54034, -0.000_226_33]) * (0.04213 + 0.01365 / n) / n
    };
    (limit + correction).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_tables_and_samples() {
        // The upper 10 and 5 % points for many values, as every table has them.
        for (z, chance) in [(1.933, 0.90), (2.492, 0.95)] {
            let found = anderson_darling_chance(500, z);
            assert!((found - chance).abs() < 0.001, "{z}: {found}");
        }
        // Few values: shares of 400,000 (n = 5) and 100,000 (n = 20) samples drawn in Python, to three standard errors.
        for (n, error, samples) in [
            (5, 0.0018, [(1.610, 0.84634), (2.492, 0.94773), (3.857, 0.98859)]),
            (20, 0.0035, [(1.610, 0.84668), (2.492, 0.94931), (3.857, 0.98930)]),
        ] {
            for (z, chance) in samples {
                let found = anderson_darling_chance(n, z);
                assert!((found - chance).abs() < error, "{n}, {z}: {found}");
            }
        }
    }

    #[test]
    fn equal_gaps_and_one_burst_are_no_poisson_process() {
        let even: Vec<f64> = (1..=20).map(f64::from).collect();
        assert!(poisson_p(&even, 0.0, 21.0) < 1e-4);
        let burst: Vec<f64> = (0..20).map(|k| 10.0 + 0.01 * f64::from(k)).collect();
        assert!(poisson_p(&burst, 0.0, 21.0) < 1e-4);
        assert!(poisson_p(&even[..4], 0.0, 21.0).is_nan());
    }
}
