//! The expected curve of one item: freshness S(t) falls from 1 and age ∫₀ᵗ(1 − S) grows since the last sync t ago (spec:
//! "Staleness cost since the last sync"), and each visit resets both.

use crate::change::Change;
use crate::problem::{Kind, Problem, Result};
use crate::staleness::{Metric, Order, Staleness};
use crate::timetable::MOST_VISITS;

/// The most points of a curve: what pixels can show.
pub const MOST_POINTS: usize = 2_000;

/// The most points that one gap between visits is drawn with; more would not be seen.
const MOST_POINTS_OF_GAP: usize = 100;

/// Expected freshness and age of one item against time, with two points at each visit: just before and just after.
#[derive(Debug, Clone, PartialEq)]
pub struct Sawtooth {
    /// Times, never decreasing.
    pub time: Vec<f64>,
    /// The chance of being fresh.
    pub freshness: Vec<f64>,
    /// Expected time since the first missed change.
    pub age: Vec<f64>,
}

/// The expected curve of an item from `start` to `end`, when it was last synced at `last_sync` ≤ `start` and is visited at the
/// times `visits`, in order and within \[start, end\].
///
/// Has at most [`MOST_POINTS`] points. When there are too many visits to draw each, only the longest of every few neighbouring
/// gaps is drawn: the teeth that are seen are the deepest.
pub fn sawtooth(change: &Change, last_sync: f64, visits: &[f64], start: f64, end: f64) -> Result<Sawtooth> {
    let ordered = last_sync <= start && start < end && end.is_finite() && last_sync.is_finite();
    if !ordered || !visits.is_sorted() || visits.iter().any(|visit| !(start..=end).contains(visit)) {
        let message =
            format!("No curve from {start} to {end} can be drawn after a sync at {last_sync} with these visits.");
        let hint = "The last sync comes first, then the start, then the visits in order, then the end.";
        return Err(Problem::new(Kind::Value, message, hint).in_column("visits"));
    }
    let mut curve = Sawtooth { time: Vec::new(), freshness: Vec::new(), age: Vec::new() };
    let gaps = gaps(last_sync, visits, start, end);
    let inner = (MOST_POINTS / gaps.len()).clamp(2, MOST_POINTS_OF_GAP) - 1;
    for Gap { synced, from, to } in gaps {
        for point in 0..=inner {
            let time = if point == inner { to } else { from + (to - from) * (point as f64 / inner as f64) };
            curve.push(change, time, time - synced);
        }
    }
    Ok(curve)
}

/// The visits within \[start, end) at a fixed frequency after a last sync at or before `start`; none at frequency 0.
pub fn regular_visits(frequency: f64, last_sync: f64, start: f64, end: f64) -> Result<Vec<f64>> {
    let visits = frequency * (end - start);
    if !(frequency >= 0.0 && last_sync <= start && start < end) || visits.is_nan() || last_sync.is_infinite() {
        let message =
            format!("No visits at frequency {frequency} can be made from {start} to {end} after {last_sync}.");
        let hint = "Give a frequency of 0 or more and a last sync at or before the start.";
        return Err(Problem::new(Kind::Value, message, hint).in_column("frequency"));
    }
    if visits > MOST_VISITS as f64 {
        let hint = format!("Shorten the horizon to {} or less.", MOST_VISITS as f64 / frequency);
        return Err(Problem::new(Kind::Size, format!("There would be {visits:.0} visits."), hint).in_column("horizon"));
    }
    if frequency == 0.0 {
        return Ok(vec![]);
    }
    let first = f64::max(((start - last_sync) * frequency).ceil(), 1.0);
    let times = (0..).map(|visit: u32| last_sync + (first + f64::from(visit)) / frequency);
    // The first may round to just before the start; an interval that rounds away would never reach the end.
    Ok(times.skip_while(|time| *time < start).take_while(|time| *time < end).take(MOST_VISITS + 1).collect())
}

impl Sawtooth {
    fn push(&mut self, change: &Change, time: f64, since: f64) {
        self.time.push(time);
        if change.never() || since <= 0.0 {
            self.freshness.push(1.0);
            self.age.push(0.0);
            return;
        }
        // The stale share of an item synced every t is ∫₀ᵗ(1 − S)/t.
        let stale = Staleness { metric: Metric::Freshness, order: Order::Fixed };
        self.freshness.push(change.survival(since));
        self.age.push(since * stale.average(change, 1.0 / since));
    }
}

/// A stretch of the curve, from `from` to `to`, after a sync at `synced`.
struct Gap {
    synced: f64,
    from: f64,
    to: f64,
}

/// The stretches to draw: all between the visits, or the longest of every few neighbours.
fn gaps(last_sync: f64, visits: &[f64], start: f64, end: f64) -> Vec<Gap> {
    let mut gaps = vec![];
    let mut synced = last_sync;
    for to in visits.iter().copied().chain([end]) {
        gaps.push(Gap { synced, from: synced.max(start), to });
        synced = to;
    }
    let most = MOST_POINTS / 2;
    if gaps.len() <= most {
        return gaps;
    }
    let neighbours = gaps.len().div_ceil(most);
    let mut longest = Vec::with_capacity(most);
    let mut rest = gaps.into_iter().peekable();
    while rest.peek().is_some() {
        longest.extend(rest.by_ref().take(neighbours).max_by(|a, b| (a.to - a.synced).total_cmp(&(b.to - b.synced))));
    }
    longest
}
