//! How many tuples of the server match a query, `|R_S(q)|`, by the best knowledge there is (spec "Input"; Yang et al. §4.1).
//!
//! In the order of preference, and each count says which it is:
//!
//! 1. *given*: a count that the person has;
//! 2. *margins*: for a pair without a count whose two keywords have given counts f₁, f₂, the most likely count under the
//!    sample's 2×2 table and those margins (P. Li, K. W. Church, "A sketch algorithm for estimating two-way and multi-way
//!    associations", 2007): scaling alone would ignore the margins;
//! 3. *sample*: the count in a sample corpus × the scale factor c, which is given or calibrated;
//! 4. *independence*: S(a)·S(b)/D; for three keywords from their pairs, D·S(ab)S(ac)S(bc)/(S(a)S(b)S(c)), which is
//!    independence where the pairs are independent, and never above the least pair;
//! 5. *local*: nothing is known of a keyword, so it is taken to be as rare as it is here.
//!
//! No count is below the local one, and none below 1. D is the given size, else the sample's size × c, else the largest
//! count or the local table, whichever is larger: a smaller D makes pairs look more frequent, so queries look dearer.

use hashbrown::HashMap;
use serde::Serialize;

use super::index::Lists;
use super::keywords::Vocabulary;
use crate::numeric::sort;
use crate::problem::{Kind, Problem, Result};

/// Where a server count comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Source {
    /// A count that was given.
    Given,
    /// The most likely count under the sample's table and the given margins.
    Margins,
    /// The sample's count, scaled.
    Sample,
    /// Keywords taken to occur independently.
    Independence,
    /// The local count, for want of any other.
    Local,
}

impl Source {
    /// Its name, as JavaScript has it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Margins => "margins",
            Self::Sample => "sample",
            Self::Independence => "independence",
            Self::Local => "local",
        }
    }
}

/// Counts of keywords and of pairs of them, by number; what no row has is left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    /// How many tuples there are in all.
    pub size: Option<f64>,
    /// By [`key`]; a keyword alone is a pair with itself.
    known: HashMap<u64, f64>,
    pairs: usize,
    largest: f64,
}

/// A pair as one number, whatever its order.
fn key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

impl Counts {
    /// No counts, of a corpus of this size.
    pub fn new(size: Option<f64>) -> Result<Self> {
        if let Some(size) = size
            && !(size.is_finite() && size >= 1.0)
        {
            return Err(Problem::new(
                Kind::Value,
                format!("the server's size is {size}, not a number of tuples from 1 up"),
                "Give the number of all tuples that the server can return, or leave it out.",
            )
            .in_column("size"));
        }
        Ok(Self { size, ..Self::default() })
    }

    /// Takes in the count of a keyword; refuses what is no count.
    pub fn keyword(&mut self, vocabulary: &Vocabulary, attribute: u16, text: &str, count: f64) -> Result<()> {
        let count = checked(count).ok_or_else(|| no_count(&format!("{text:?}"), count, "counts"))?;
        self.largest = self.largest.max(count);
        if let Some(keyword) = vocabulary.find(attribute, text) {
            self.known.insert(key(keyword, keyword), count);
        }
        Ok(())
    }

    /// Takes in the count of a pair; refuses what is no count.
    pub fn pair(&mut self, vocabulary: &Vocabulary, a: (u16, &str), b: (u16, &str), count: f64) -> Result<()> {
        let count = checked(count).ok_or_else(|| no_count(&format!("{:?} and {:?}", a.1, b.1), count, "pairs"))?;
        self.largest = self.largest.max(count);
        if let (Some(a), Some(b)) = (vocabulary.find(a.0, a.1), vocabulary.find(b.0, b.1))
            && a != b
        {
            self.pairs += 1;
            self.known.insert(key(a, b), count);
        }
        Ok(())
    }

    /// The counts of a corpus, given as rows of ascending keywords of the local vocabulary.
    #[must_use]
    pub fn of_corpus(rows: &Lists) -> Self {
        let mut counts = Self { size: Some(rows.len().max(1) as f64), ..Self::default() };
        for row in rows.iter() {
            for (place, &a) in row.iter().enumerate() {
                counts.pairs += row.len() - place - 1;
                for &b in &row[place..] {
                    let count = counts.known.entry(key(a, b)).or_insert(0.0);
                    *count += 1.0;
                    counts.largest = counts.largest.max(*count);
                }
            }
        }
        counts
    }

    fn of(&self, a: u32, b: u32) -> Option<f64> {
        self.known.get(&key(a, b)).copied()
    }

    /// How many counts there are that some row can use.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn checked(count: f64) -> Option<f64> {
    (count.is_finite() && count >= 0.0).then_some(count)
}

fn no_count(what: &str, count: f64, column: &str) -> Problem {
    Problem::new(
        Kind::Value,
        format!("the server's count of {what} is {count}, not a number from 0 up"),
        "Leave out the keywords whose counts are not known.",
    )
    .in_column(column)
}

/// How a sample's counts become the server's: c = exp(median of ln(server / sample)) over what both have counted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Calibration {
    /// The factor c.
    pub scale: f64,
    /// The lower quartile of the ratios.
    pub low: f64,
    /// The upper quartile of the ratios.
    pub high: f64,
    /// How many counts both have.
    pub counts: usize,
}

/// The factor that brings `sample` to `given`, from the counts above 0 that both have; none if there is no such count.
#[must_use]
pub fn calibrate(given: &Counts, sample: &Counts) -> Option<Calibration> {
    let mut ratios: Vec<f64> = Vec::new();
    for (key, &server) in &given.known {
        if let Some(&sample) = sample.known.get(key)
            && server > 0.0
            && sample > 0.0
        {
            ratios.push(libm::log(server) - libm::log(sample));
        }
    }
    sort::floats(&mut ratios);
    // The usual quantile: linear between the order statistics.
    let quantile = |share: f64| -> Option<f64> {
        let place = share * ratios.len().checked_sub(1)? as f64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
        let below = place as usize;
        let above = ratios.get(below + 1).unwrap_or(&ratios[below]);
        Some(libm::exp(ratios[below] + (place - below as f64) * (above - ratios[below])))
    };
    Some(Calibration { scale: quantile(0.5)?, low: quantile(0.25)?, high: quantile(0.75)?, counts: ratios.len() })
}

/// What is known of the server, ready to answer for any query.
#[derive(Debug, Clone)]
pub struct Server {
    size: f64,
    single: Vec<(f64, Source)>,
    given: Counts,
    sample: Option<(Counts, f64)>,
    /// How the scale factor was found, if it was not given.
    pub calibration: Option<Calibration>,
}

impl Server {
    /// Puts together what is known. `local` is how many rows each keyword has, `rows` how many there are.
    pub fn new(
        given: Counts,
        sample: Option<Counts>,
        scale: Option<f64>,
        local: &[usize],
        rows: usize,
    ) -> Result<Self> {
        if let Some(scale) = scale
            && !(scale > 0.0 && scale.is_finite())
        {
            return Err(Problem::new(
                Kind::Value,
                format!("the scale factor is {scale}, not above 0"),
                "It says how many tuples of the server one tuple of the sample stands for: 4.6, say.",
            )
            .in_column("scale"));
        }
        let mut calibration = None;
        let sample = sample.map(|sample| {
            let by_size = || Some(given.size? / sample.size?);
            let scale = scale.or_else(|| {
                calibration = calibrate(&given, &sample);
                calibration.map(|fit| fit.scale).or_else(by_size)
            });
            (sample, scale.unwrap_or(1.0))
        });
        let scaled_size = sample.as_ref().and_then(|(counts, scale)| Some(counts.size? * scale));
        let largest = sample.as_ref().map_or(0.0, |(counts, scale)| counts.largest * scale).max(given.largest);
        // A server smaller than what it is said to return is a contradiction; the counts win.
        let size = given.size.or(scaled_size).unwrap_or(0.0).max(largest).max(rows as f64).max(1.0);
        let single = (0_u32..)
            .zip(local)
            .map(|(keyword, &local)| {
                let scaled = || Some(sample.as_ref()?.0.of(keyword, keyword)? * sample.as_ref()?.1);
                let (count, source) = match (given.of(keyword, keyword), scaled()) {
                    (Some(count), _) => (count, Source::Given),
                    (None, Some(count)) => (count, Source::Sample),
                    (None, None) => (0.0, Source::Local),
                };
                (floored(count, local), source)
            })
            .collect();
        Ok(Self { size, single, given, sample, calibration })
    }

    /// D, how many tuples the server is taken to have.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The factor that the sample's counts were multiplied by.
    #[must_use]
    pub fn scale(&self) -> Option<f64> {
        self.sample.as_ref().map(|(_, scale)| *scale)
    }

    /// `|R_S(q)|` of a query of one to three keywords that `local` rows match.
    #[inline(never)]
    #[must_use]
    pub fn count(&self, terms: &[u32], local: usize) -> (f64, Source) {
        let (count, source) = match *terms {
            [a] => self.single[a as usize],
            [a, b] => self.estimated_pair(a, b),
            [a, b, c] => {
                let pairs = [self.estimated_pair(a, b).0, self.estimated_pair(a, c).0, self.estimated_pair(b, c).0];
                let singles: f64 = terms.iter().map(|&term| self.single[term as usize].0).product();
                let least = pairs.into_iter().fold(f64::INFINITY, f64::min);
                ((self.size * pairs.into_iter().product::<f64>() / singles).min(least), Source::Independence)
            }
            _ => (self.size, Source::Independence),
        };
        (floored(count, local), source)
    }

    #[inline(never)]
    fn estimated_pair(&self, a: u32, b: u32) -> (f64, Source) {
        if self.given.pairs > 0
            && let Some(count) = self.given.of(a, b)
        {
            return (count, Source::Given);
        }
        let [(f1, source_a), (f2, source_b)] = [self.single[a as usize], self.single[b as usize]];
        if let Some((sample, scale)) = &self.sample {
            let seen = sample.of(a, b);
            if source_a == Source::Given
                && source_b == Source::Given
                && let Some(tuples) = sample.size
            {
                let [n1, n2] = [a, b].map(|term| sample.of(term, term).unwrap_or(0.0));
                let both = seen.unwrap_or(0.0);
                let table = [both, n1 - both, n2 - both, tuples - n1 - n2 + both].map(|cell| cell.max(0.0));
                return (most_likely_pair(table, f1, f2, self.size), Source::Margins);
            }
            if let Some(seen) = seen {
                return ((seen * scale).min(f1).min(f2), Source::Sample);
            }
        }
        (f1 * f2 / self.size, Source::Independence)
    }
}

fn floored(count: f64, local: usize) -> f64 {
    count.max(local as f64).max(1.0)
}

/// The count a of a pair that makes a sample's 2×2 table (both, only first, only second, neither) most likely when f₁, f₂
/// tuples of D have each keyword: the maximum of
/// `a_s ln a + b_s ln(f₁ − a) + c_s ln(f₂ − a) + d_s ln(D − f₁ − f₂ + a)`.
///
/// That is concave, so its slope falls through zero once, or the maximum is at an end. Newton's method inside a bracket.
#[must_use]
pub fn most_likely_pair([both, first, second, neither]: [f64; 4], f1: f64, f2: f64, size: f64) -> f64 {
    let (mut low, mut high) = (f64::max(0.0, f1 + f2 - size), f1.min(f2));
    if low >= high {
        return high.max(0.0);
    }
    // A cell that the sample has never seen has no part in the likelihood, whatever its denominator.
    let part = |count: f64, of: f64| if count == 0.0 { 0.0 } else { count / of };
    let slope = |a: f64| part(both, a) - part(first, f1 - a) - part(second, f2 - a) + part(neither, size - f1 - f2 + a);
    let bend = |a: f64| {
        let square = |count: f64, of: f64| if count == 0.0 { 0.0 } else { count / of / of };
        -square(both, a) - square(first, f1 - a) - square(second, f2 - a) - square(neither, size - f1 - f2 + a)
    };
    if slope(low) <= 0.0 {
        return low;
    }
    if slope(high) >= 0.0 {
        return high;
    }
    let mut a = 0.5 * (low + high);
    for _ in 0..200 {
        let here = slope(a);
        if here > 0.0 {
            low = a;
        } else {
            high = a;
        }
        let mut next = a - here / bend(a);
        if !(next > low && next < high) {
            next = 0.5 * (low + high);
        }
        if (next - a).abs() <= 1e-15 * a {
            return next;
        }
        a = next;
    }
    a
}
