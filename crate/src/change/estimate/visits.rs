//! Visit logs: what gaps between visits say of the rate when each visit tells only whether something changed, or when the last
//! change was (spec: "Where rates come from").
//!
//! With k changes whose moment is known, E the time known to be without a change (unchanged gaps, and from each known change
//! to the visit that saw it), and τ the gaps in which something changed at an unknown moment,
//!
//! ```text
//! ℓ(λ) = k ln λ − λE + Σ ln(1 − e^(−λτ))         ℓ′(λ) = k/λ − E + Σ τ/(e^(λτ) − 1)
//! ```
//!
//! The score falls from ∞ to −E: one root. Intervals are those of the likelihood ratio, 2(ℓ(λ̂) − ℓ) ≤ 3.84. Where every visit
//! saw a change the rate has no upper end, and where none did no lower one; the other end is then where what was seen would be as
//! likely as 8 %, as it is at Jeffreys' limit of a full history without a change.

use super::full::{self, NONE, NORMAL};
use crate::numeric::root::log_root;

/// What the visits to one item said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Visits {
    /// Gaps in which something changed, at an unknown moment.
    changed: Vec<f64>,
    /// Changes whose moment is known.
    known: f64,
    /// Time known to be without a change.
    quiet: f64,
    /// Gaps, and the shortest and longest of them.
    gaps: f64,
    shortest: f64,
    longest: f64,
    total: f64,
}

/// How a rate was estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Method {
    /// Changes per time watched.
    FullHistory,
    /// Bias-reduced, from visits at equal gaps.
    RegularVisits,
    /// Maximum likelihood, from visits at any gaps.
    IrregularVisits,
    /// Changes per time known to be without one.
    LastModified,
    /// Every visit saw a change: the rate is the lower end of its interval, which has no upper one.
    LowerLimit,
    /// Nothing is known.
    Nothing,
}

/// A rate with its standard error and 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Changes per unit of time.
    pub rate: f64,
    /// Its standard error.
    pub error: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// How it was made.
    pub method: Method,
}

/// Gaps that differ by less than this share are equal: a visit a day is never made to the second.
const REGULAR: f64 = 0.02;

impl Visits {
    /// Adds the gap before a visit; `since` is how long before the visit the last change was, if that is known.
    pub fn add(&mut self, gap: f64, changed: bool, since: Option<f64>) {
        match since.filter(|since| changed && (0.0..=gap).contains(since)) {
            Some(since) => {
                self.known += 1.0;
                self.quiet += since;
            }
            None if changed => self.changed.push(gap),
            None => self.quiet += gap,
        }
        self.shortest = if self.gaps == 0.0 { gap } else { self.shortest.min(gap) };
        self.longest = self.longest.max(gap);
        self.total += gap;
        self.gaps += 1.0;
    }

    /// Visits that saw a change.
    #[must_use]
    pub fn changes(&self) -> f64 {
        self.changed.len() as f64 + self.known
    }

    /// Visits after the first.
    #[must_use]
    pub fn visits(&self) -> f64 {
        self.gaps
    }

    /// The time between the first visit and the last.
    #[must_use]
    pub fn exposure(&self) -> f64 {
        self.total
    }

    /// The rate, by the method that suits the visits.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        if self.gaps == 0.0 || self.total <= 0.0 {
            let (rate, error) = (f64::NAN, f64::NAN);
            return Estimate { rate, error, low: 0.0, high: f64::INFINITY, method: Method::Nothing };
        }
        if self.changed.is_empty() && self.known > 0.0 && self.quiet > 0.0 {
            let (low, high) = full::interval(self.known, self.quiet);
            let (rate, error) = (self.known / self.quiet, self.known.sqrt() / self.quiet);
            return Estimate { rate, error, low, high, method: Method::LastModified };
        }
        let regular = self.known == 0.0 && self.longest - self.shortest <= REGULAR * self.longest;
        let mut method = if regular { Method::RegularVisits } else { Method::IrregularVisits };
        if self.changes() == 0.0 {
            let high = NONE / self.quiet;
            return Estimate { rate: 0.0, error: 1.0 / self.quiet, low: 0.0, high, method };
        }
        if self.quiet <= 0.0 {
            let low = self.all_changed_limit();
            let rate = if regular { self.regular_rate() } else { low };
            method = if regular { method } else { Method::LowerLimit };
            return Estimate { rate, error: f64::INFINITY, low, high: f64::INFINITY, method };
        }
        let peak = self.most_likely();
        let (low, high) = self.ratio_interval(peak);
        let rate = if regular { self.regular_rate() } else { peak };
        let (_, curvature) = self.slopes(peak);
        Estimate { rate, error: peak / curvature.sqrt(), low: low.min(rate), high: high.max(rate), method }
    }

    /// −ln((n − X + ½)/(n + ½))/I: nearly without bias, where X/(nI) counts at most one change a visit.
    fn regular_rate(&self) -> f64 {
        let (visits, seen) = (self.gaps, self.changes());
        -libm::log((visits - seen + 0.5) / (visits + 0.5)) * visits / self.total
    }

    /// The root of the score; needs a change and some quiet time.
    #[must_use]
    pub fn most_likely(&self) -> f64 {
        let pull = |rate: f64| {
            let unknown: f64 = self.changed.iter().map(|gap| gap / libm::expm1(rate * gap)).sum();
            // Falls with the rate; its inverse rises, as the root finder wants it.
            1.0 / (self.known / rate + unknown)
        };
        log_root(pull, 1.0 / self.quiet, self.changes() / self.total)
    }

    /// ℓ(λ).
    fn log_likelihood(&self, rate: f64) -> f64 {
        let unknown: f64 = self.changed.iter().map(|gap| libm::log(-libm::expm1(-rate * gap))).sum();
        let known = if self.known > 0.0 { self.known * libm::log(rate) } else { 0.0 };
        known + unknown - rate * self.quiet
    }

    /// Where ℓ has fallen by 1.92 on either side of its peak.
    fn ratio_interval(&self, peak: f64) -> (f64, f64) {
        let top = self.log_likelihood(peak);
        let miss = |rate: f64| top - self.log_likelihood(rate) - 0.5 * NORMAL * NORMAL;
        let width = libm::exp(NORMAL / self.slopes(peak).1.sqrt().max(0.3));
        (crossing(peak, 1.0 / width, miss), crossing(peak, width, miss))
    }

    /// The rate at which all visits would see a change one time in twelve.
    fn all_changed_limit(&self) -> f64 {
        let chance = |rate: f64| libm::exp(self.log_likelihood(rate));
        log_root(chance, libm::exp(-NONE), self.gaps / self.total)
    }

    /// dℓ/dθ and −d²ℓ/dθ² at θ = ln λ.
    fn slopes(&self, rate: f64) -> (f64, f64) {
        let (mut slope, mut curvature) = (self.known - rate * self.quiet, rate * self.quiet);
        for gap in &self.changed {
            let x = rate * gap;
            // g = x/(eˣ − 1) and −x·g′ = g·(x + g − 1).
            let g = if x > 0.0 { x / libm::expm1(x) } else { 1.0 };
            slope += g;
            curvature += g * (x + g - 1.0).max(0.0);
        }
        (slope, curvature)
    }

    /// The Gamma that the likelihood looks like near a rate, in ln λ: its count c and exposure e in c·ln λ − e·λ.
    #[must_use]
    pub fn as_gamma(&self, rate: f64) -> (f64, f64) {
        let (slope, curvature) = self.slopes(rate);
        ((slope + curvature).max(0.0), curvature / rate)
    }

    /// A rate to look at the likelihood from: the peak, or where there is none a finite stand-in.
    pub(super) fn centre(&self) -> f64 {
        match () {
            () if self.gaps == 0.0 || self.total <= 0.0 => f64::NAN,
            () if self.changes() == 0.0 => 1.0 / self.total,
            () if self.quiet <= 0.0 => self.regular_rate(),
            () => self.most_likely(),
        }
    }
}

/// Where a function that is −1.92 at `peak` and rises to either side crosses 0, going by factors of `step` and then halving.
fn crossing(peak: f64, step: f64, miss: impl Fn(f64) -> f64) -> f64 {
    let (mut inside, mut outside) = (peak, peak * step);
    for _ in 0..200 {
        if miss(outside) >= 0.0 {
            break;
        }
        inside = outside;
        outside *= step;
    }
    for _ in 0..60 {
        let middle = (inside * outside).sqrt();
        if miss(middle) < 0.0 {
            inside = middle;
        } else {
            outside = middle;
        }
        if (outside / inside - 1.0).abs() < 1e-12 {
            break;
        }
    }
    outside
}
