//! What rows are worth, alone and together.

/// Values that add up without rounding: multiples of 2^−50 of their sum's power of two, and none above 0 becomes 0.
#[must_use]
pub(in crate::probe) fn on_grid(values: &[f64]) -> Vec<f64> {
    let total: f64 = values.iter().sum();
    let (_, exponent) = libm::frexp(total);
    let unit = libm::ldexp(1.0, (exponent - 50).max(-1000));
    values.iter().map(|&value| if value > 0.0 { libm::rint(value / unit).max(1.0) * unit } else { 0.0 }).collect()
}

/// What a row adds to the queries that match it: nothing once it is covered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Live {
    pub(super) value: f64,
    /// The best score for a gain of 1 among the queries for this row alone that are in the heap; 0 if there is none, and
    /// infinite where there is nothing to gain, so that the least of many rows passes over it.
    pub(super) alone: f64,
}

pub(super) const NOTHING: Live = Live { value: 0.0, alone: f64::INFINITY };

/// What the uncovered rows of a query come to.
#[derive(Debug)]
pub(super) struct Weighed {
    pub(super) gain: f64,
    /// The most that one of them is worth.
    pub(super) dearest: f64,
    /// How many are worth anything.
    pub(super) rows: u32,
    /// The least `alone` of those.
    pub(super) alone: f64,
}

impl Weighed {
    pub(super) const NONE: Self = Self { gain: 0.0, dearest: 0.0, rows: 0, alone: f64::INFINITY };

    /// Of a keyword, whose rows are not looked at one by one.
    pub(super) fn keyword(gain: f64, dearest: f64) -> Self {
        Self { gain, dearest, rows: 0, alone: 0.0 }
    }

    #[inline]
    pub(super) fn add(&mut self, row: Live) {
        self.gain += row.value;
        self.dearest = self.dearest.max(row.value);
        self.rows += u32::from(row.value > 0.0);
        self.alone = self.alone.min(row.alone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_on_the_grid_do_not_depend_on_their_order() {
        let values: Vec<f64> = (0..2_000).map(|k| libm::exp(f64::from(k % 37) - 20.0) / 3.0).chain([0.0]).collect();
        let grid = on_grid(&values);
        let forward: f64 = grid.iter().sum();
        let backward: f64 = grid.iter().rev().sum();
        assert_eq!(forward.to_bits(), backward.to_bits());
        assert!((forward / values.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(values.iter().zip(&grid).all(|(value, grid)| (*value > 0.0) == (*grid > 0.0)));
        assert!(on_grid(&[]).is_empty() && on_grid(&[0.0])[0] == 0.0 && on_grid(&[1e-320])[0] > 0.0);
        assert!(on_grid(&[1e300, 1.0])[1] > 0.0);
    }
}
