//! How the split of the budget between exactly two items moves (Fig. 9).

use super::Series;
use super::dataset::Solved;
use crate::allocate;
use crate::ingest::Ids;
use crate::problem::Result;

#[cfg(feature = "wasm")]
use {serde::Serialize, tsify::Tsify};

/// Fig. 9: what a split of the budget between two items brings.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify))]
pub struct SplitView {
    /// Names of the two items.
    #[cfg_attr(feature = "wasm", tsify(type = "[string, string]"))]
    pub ids: [String; 2],
    /// One line per budget.
    pub lines: Vec<SplitLine>,
}

/// One budget of Fig. 9.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify))]
pub struct SplitLine {
    /// Visits a day.
    pub budget: f64,
    /// Whether this is the budget of the plan.
    pub current: bool,
    /// Share of the budget given to the second item.
    pub share: Series,
    /// Mean freshness at each share.
    pub freshness: Series,
    /// Mean age at each share.
    pub age: Series,
    /// The best split.
    pub best: SplitPoint,
    /// The split of all alike.
    pub uniform: SplitPoint,
    /// The split in proportion to the rates.
    pub proportional: SplitPoint,
}

/// One split of one budget.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify))]
pub struct SplitPoint {
    /// Share of the budget given to the second item.
    pub share: f64,
    /// Mean freshness.
    pub freshness: f64,
    /// Mean age.
    pub age: f64,
}

pub(super) fn split(solved: &Solved, ids: &Ids) -> Result<Option<SplitView>> {
    if ids.len() != 2 || solved.budget <= 0.0 {
        return Ok(None);
    }
    let lines = [(0.1, false), (0.3, false), (1.0, true), (3.0, false)]
        .map(|(factor, current)| {
            let budget = solved.budget * factor;
            let curve = allocate::split_curve(&solved.items, solved.knobs.staleness(), budget, 200)?;
            let point = |split: &allocate::Split| SplitPoint {
                share: split.share,
                freshness: split.averages.freshness,
                age: split.averages.age,
            };
            let each = |value: fn(&allocate::Split) -> f64| -> Series { curve.splits.iter().map(value).collect() };
            Ok(SplitLine {
                budget,
                current,
                share: each(|split| split.share),
                freshness: each(|split| split.averages.freshness),
                age: each(|split| split.averages.age),
                best: point(&curve.optimal),
                uniform: point(&curve.uniform),
                proportional: point(&curve.proportional),
            })
        })
        .into_iter()
        .collect::<Result<_>>()?;
    Ok(Some(SplitView { ids: [ids.get(0).into_owned(), ids.get(1).into_owned()], lines }))
}
