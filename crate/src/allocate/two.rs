//! Two elements, the smallest database in which fast and slow compete (Cho §5.2: Fig. 9 and Table 4).

use super::curve::check_points;
use super::{Averages, Goal, Items, Policy, Question, allocate, averages};
use crate::problem::{Kind, Problem, Result};
use crate::staleness::Staleness;

/// One way to split the budget between two items.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// The share of the budget that the second item gets.
    pub share: f64,
    /// The frequencies of the two.
    pub frequency: [f64; 2],
    /// What they come to.
    pub averages: Averages,
}

/// What comes of every split of a budget between two items.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitCurve {
    /// Splits from share 0 to share 1, evenly; bounds of the items aside.
    pub splits: Vec<Split>,
    /// The best split for the metric asked about.
    pub optimal: Split,
    /// Both alike.
    pub uniform: Split,
    /// In proportion to the rates of change.
    pub proportional: Split,
}

/// Follows the share of the second item from 0 to 1; `items` must be two.
pub fn split_curve(items: &Items, staleness: Staleness, budget: f64, points: usize) -> Result<SplitCurve> {
    if items.len() != 2 {
        return Err(Problem::new(
            Kind::Length,
            format!("a split is between two items, but there are {}", items.len()),
            "Give exactly two items.",
        ));
    }
    check_points(items.model(), points)?;
    let question = |policy| Question { staleness, policy, ..Question::new(Goal::Budget(budget)) };
    let mark = |policy| {
        allocate(items, &question(policy)).map(|plan| {
            let share = if plan.spent > 0.0 { items.size(1) * plan.frequency[1] / plan.spent } else { 0.0 };
            Split { share, frequency: [plan.frequency[0], plan.frequency[1]], averages: plan.averages }
        })
    };
    let (optimal, uniform, proportional) =
        (mark(Policy::Optimal)?, mark(Policy::Uniform)?, mark(Policy::Proportional)?);
    let splits = (0..points)
        .map(|k| {
            let share = k as f64 / (points - 1) as f64;
            let frequency = [(1.0 - share) * budget / items.size(0), share * budget / items.size(1)];
            Split { share, frequency, averages: averages(items, staleness.order, &frequency) }
        })
        .collect();
    Ok(SplitCurve { splits, optimal, uniform, proportional })
}

/// The crude model of Table 4: an element changes exactly once in each of `intervals` equal parts of a day, at a moment that
/// nobody knows, and is synced `syncs` times a day, spread evenly. Returns the expected freshness gained, in days: j syncs
/// within a part of length 1 gain j/(2(j + 1)).
#[must_use]
pub fn crude_benefit(intervals: u32, syncs: u32) -> f64 {
    if intervals == 0 {
        return 0.0;
    }
    let gain = |j: u32| f64::from(j) / (2.0 * (f64::from(j) + 1.0));
    let (each, extra) = (syncs / intervals, syncs % intervals);
    (f64::from(intervals - extra) * gain(each) + f64::from(extra) * gain(each + 1)) / f64::from(intervals)
}

/// The split of `syncs` a day between two elements of the crude model that gains most; of equals, the one with the fewest
/// for the first.
#[must_use]
pub fn crude_best(intervals: [u32; 2], syncs: u32) -> [u32; 2] {
    let total = |first: u32| crude_benefit(intervals[0], first) + crude_benefit(intervals[1], syncs - first);
    let best = (1..=syncs).fold(0, |best, first| if total(first) > total(best) + 1e-12 { first } else { best });
    [best, syncs - best]
}
