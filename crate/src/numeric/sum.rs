//! Sums of a million terms that keep their last digits (Neumaier's compensated summation).

/// A running sum that carries what rounding has taken.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sum {
    total: f64,
    lost: f64,
}

impl Sum {
    /// Adds one term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let next = self.total + term;
        self.lost +=
            if self.total.abs() >= term.abs() { (self.total - next) + term } else { (term - next) + self.total };
        self.total = next;
    }

    /// The sum so far.
    #[inline]
    #[must_use]
    pub fn total(&self) -> f64 {
        // An infinite term leaves ∞ − ∞ in the loss.
        if self.total.is_finite() { self.total + self.lost } else { self.total }
    }
}

impl FromIterator<f64> for Sum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

/// The compensated sum of `terms`.
pub fn sum(terms: impl IntoIterator<Item = f64>) -> f64 {
    terms.into_iter().collect::<Sum>().total()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_large_terms_hide_comes_back_when_they_cancel() {
        assert_eq!(sum([1.0, 1e100, 1.0, -1e100]).to_bits(), 2.0_f64.to_bits());
    }

    #[test]
    fn a_million_tenths_are_a_hundred_thousand() {
        assert_eq!(sum(std::iter::repeat_n(0.1, 1_000_000)).to_bits(), 100_000.0_f64.to_bits());
    }

    #[test]
    fn infinite_terms_stay_infinite() {
        assert!(sum([1.0, f64::INFINITY, 2.0]).is_infinite());
    }
}
