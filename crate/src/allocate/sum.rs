//! Sums that do not lose what is small beside what is large.

/// A compensated sum (Neumaier): the rounding error of a million additions stays that of a few.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    pub(super) fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        self.lost += if self.sum.abs() >= term.abs() { (self.sum - sum) + term } else { (term - sum) + self.sum };
        self.sum = sum;
    }

    /// The sum; ∞ once a term was.
    pub(super) fn total(self) -> f64 {
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_survive_beside_large_ones() {
        let mut sum = Sum::default();
        for term in [1.0, 1e100, 1.0, -1e100] {
            sum.add(term);
        }
        assert_eq!(sum.total().to_bits(), 2.0_f64.to_bits());
    }

    #[test]
    fn an_infinite_term_makes_an_infinite_sum() {
        let mut sum = Sum::default();
        for term in [1.0, f64::INFINITY, 1.0] {
            sum.add(term);
        }
        assert!(sum.total() == f64::INFINITY);
    }
}
