//! Mean and spread of runs, a run at a time (B. P. Welford, "Note on a method for calculating corrected sums of squares and
//! products", 1962).

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// The 97.5 % quantiles of Student's t with 1 to 4 degrees of freedom, where the expansion below is too rough.
const STUDENT: [f64; 4] = [12.706_204_736_432_1, 4.302_652_729_911_28, 3.182_446_305_284_26, 2.776_445_105_197_79];

/// The running mean and sum of squared deviations.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spread {
    pub mean: f64,
    squares: f64,
}

impl Spread {
    /// Takes in the `count`-th value, counted from 1.
    pub fn add(&mut self, value: f64, count: usize) {
        let before = value - self.mean;
        self.mean += before / count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Half the width of the band in which 95 % of single runs lie; NaN with fewer than two.
    pub fn band(&self, count: usize) -> f64 {
        if count < 2 { f64::NAN } else { NORMAL * (self.squares / (count - 1) as f64).sqrt() }
    }

    /// Half the width of the 95 % confidence interval of the mean, by Student's t; NaN with fewer than two.
    pub fn interval(&self, count: usize) -> f64 {
        if count < 2 {
            return f64::NAN;
        }
        student(count - 1) * (self.squares / (count - 1) as f64 / count as f64).sqrt()
    }
}

/// The 97.5 % quantile of Student's t, from 5 degrees of freedom on by Abramowitz & Stegun 26.7.5.
fn student(freedom: usize) -> f64 {
    if let Some(quantile) = freedom.checked_sub(1).and_then(|index| STUDENT.get(index)) {
        return *quantile;
    }
    let v = freedom as f64;
    let z = NORMAL;
    let z2 = z * z;
    let g1 = (z2 + 1.0) * z / 4.0;
    let g2 = ((5.0 * z2 + 16.0) * z2 + 3.0) * z / 96.0;
    let g3 = (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) * z / 384.0;
    let g4 = ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0) * z / 92160.0;
    z + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v
}

#[cfg(test)]
mod tests {
    use super::{Spread, student};

    #[test]
    fn student_quantiles_agree_with_published_tables() {
        for (freedom, quantile) in
            [(1, 12.706), (2, 4.303), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)]
        {
            assert!((student(freedom) - quantile).abs() < 1e-3, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn spread_is_that_of_the_definition() {
        let values = [1e9 + 1.0, 1e9 + 2.0, 1e9 + 4.0, 1e9 + 5.0];
        let mut spread = Spread::default();
        for (index, value) in values.iter().enumerate() {
            spread.add(*value, index + 1);
        }
        assert!((spread.mean - (1e9 + 3.0)).abs() < 1e-6);
        let deviation = (10.0_f64 / 3.0).sqrt();
        assert!((spread.band(4) - 1.96 * deviation).abs() < 1e-3);
        assert!((spread.interval(4) - 3.182 * deviation / 2.0).abs() < 1e-3);
        assert!(spread.band(1).is_nan() && spread.interval(1).is_nan());
    }
}
