//! What a loaded set is, in the few numbers that the page needs before any plan.

use super::dataset::{About, Dataset};
use crate::change::Model;

#[cfg(feature = "wasm")]
use {serde::Serialize, tsify::Tsify};

/// What a loaded set is. Rates are per day.
#[allow(clippy::struct_excessive_bools, reason = "each is a column that the file has or has not")]
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify), serde(rename_all = "camelCase"))]
pub struct DatasetSummary {
    /// Name of the file or example.
    pub title: String,
    /// What one item is: "package".
    pub noun: String,
    /// What many are: "packages".
    pub noun_plural: String,
    /// Where the data come from.
    pub source: String,
    /// Rows.
    pub rows: usize,
    /// Items that the rows stand for.
    pub total_count: f64,
    /// Hosts, if the file names them.
    pub hosts: usize,
    /// The model that the file's own columns ask for.
    pub model: Model,
    /// Whether the file gives each item a Weibull shape.
    pub has_shape: bool,
    /// Whether the file gives each item's rate as a Gamma distribution.
    pub has_posterior: bool,
    /// Whether the file says when items were last visited.
    pub has_last_sync: bool,
    /// Whether weights differ.
    pub weighted: bool,
    /// Smallest rate.
    pub rate_min: f64,
    /// Middle rate.
    pub rate_median: f64,
    /// Largest rate.
    pub rate_max: f64,
    /// Rows that never change.
    pub never_change: usize,
    /// A budget that makes a good first plan.
    pub default_budget: f64,
    /// What was assumed while reading.
    pub notes: Vec<String>,
}

impl Dataset {
    /// What the set is.
    #[must_use]
    pub fn summary(&self) -> DatasetSummary {
        let About { title, noun, plural, source, budget, notes } = self.about.clone();
        let columns = &self.columns;
        let mut rates = columns.rate.clone();
        let middle = rates.len() / 2;
        let (_, &mut rate_median, _) = rates.select_nth_unstable_by(middle, f64::total_cmp);
        DatasetSummary {
            title,
            noun,
            noun_plural: plural,
            source,
            rows: self.len(),
            total_count: columns.count.as_ref().map_or(self.len() as f64, |counts| counts.iter().sum()),
            hosts: self.hosts.len(),
            model: self.native_model(),
            has_shape: columns.shape.is_some(),
            has_posterior: columns.alpha.is_some() && columns.beta.is_some(),
            has_last_sync: self.last_sync.is_some(),
            weighted: columns
                .weight
                .as_ref()
                .is_some_and(|weights| weights.iter().any(|w| w.to_bits() != weights[0].to_bits())),
            rate_min: rates.iter().copied().fold(f64::INFINITY, f64::min),
            rate_median,
            rate_max: rates.iter().copied().fold(0.0, f64::max),
            never_change: rates.iter().filter(|&&rate| rate == 0.0).count(),
            default_budget: budget,
            notes,
        }
    }
}
