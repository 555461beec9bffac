//! What a caller knows of the server that the queries go to.

use std::sync::Arc;

use serde::Deserialize;
use tsify::Tsify;

use super::raw::Raw;
use crate::probe::{Counts, Relation, Server, Vocabulary};
use crate::problem::Result;

/// What is known of the server.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ServerFields {
    /// How many tuples it has.
    #[tsify(optional)]
    size: Option<f64>,
    /// How many of them match each keyword; keywords that no row has are ignored.
    #[tsify(type = "Record<string, number>")]
    counts: Raw,
    /// How many match two keywords.
    #[tsify(optional, type = "[string, string, number][]")]
    pairs: Option<Raw>,
    /// Without `sample`: `counts`, `pairs` and `size` are those of a sample, and one tuple of it stands for so many of the server.
    /// With `sample`: the factor of the sample's counts; fitted to `counts` unless given.
    #[tsify(optional)]
    scale: Option<f64>,
    /// Counts of a sample corpus, for what `counts` and `pairs` do not say.
    #[tsify(optional)]
    sample: Option<SampleFields>,
}

/// Counts of a sample corpus.
#[derive(Deserialize, Tsify)]
pub struct SampleFields {
    /// How many tuples it has.
    #[tsify(optional)]
    size: Option<f64>,
    /// How many of them match each keyword.
    #[tsify(type = "Record<string, number>")]
    counts: Raw,
    /// How many match two keywords.
    #[tsify(optional, type = "[string, string, number][]")]
    pairs: Option<Raw>,
}

fn counts(vocabulary: &Vocabulary, size: Option<f64>, counts: &Raw, pairs: Option<&Raw>) -> Result<Counts> {
    let mut all = Counts::new(size)?;
    counts.counts(vocabulary, &mut all)?;
    if let Some(pairs) = pairs {
        pairs.pairs(vocabulary, &mut all)?;
    }
    Ok(all)
}

impl ServerFields {
    pub(super) fn server(&self, relation: &Relation) -> Result<Arc<Server>> {
        let vocabulary = relation.vocabulary();
        let own = counts(vocabulary, self.size, &self.counts, self.pairs.as_ref())?;
        match (&self.sample, self.scale) {
            (Some(sample), scale) => {
                let sample = counts(vocabulary, sample.size, &sample.counts, sample.pairs.as_ref())?;
                relation.server(own, Some(sample), scale)
            }
            (None, Some(scale)) => relation.server(Counts::default(), Some(own), Some(scale)),
            (None, None) => relation.server(own, None, None),
        }
    }
}
