//! A timetable as the page shows it: its load over time, and when each row comes next.

use super::dataset::Dataset;
use super::{PIXELS, Series};
use crate::allocate::Averages;
use crate::change::Change;
use crate::problem::Result;
use crate::staleness::Order;
use crate::timetable::Timetable;

/// Load over time, in at most as many bins as pixels show.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Start of each bin.
    pub time: Series,
    /// Mean visits per slot.
    pub mean: Series,
    /// Most visits in a slot.
    pub most: Series,
}

/// The load of a timetable that starts at `start`.
#[must_use]
pub fn load(timetable: &Timetable, start: f64) -> Load {
    let slots = timetable.load.len();
    let bin = slots.div_ceil(PIXELS).max(1);
    let bins = timetable.load.chunks(bin);
    Load {
        time: (0..bins.len()).map(|k| start + (k * bin) as f64 * timetable.slot).collect(),
        mean: bins.clone().map(|bin| bin.iter().map(|&n| f64::from(n)).sum::<f64>() / bin.len() as f64).collect(),
        most: bins.map(|bin| f64::from(bin.iter().copied().max().unwrap_or(0))).collect(),
    }
}

/// When each of `rows` rows is visited first; NaN where it is not.
#[must_use]
pub fn next_visits(timetable: &Timetable, rows: usize) -> Vec<f64> {
    let mut next = vec![f64::NAN; rows];
    for (&time, &item) in timetable.time.iter().zip(&timetable.item).rev() {
        next[item as usize] = time;
    }
    next
}

/// The plan as a simulation needs it.
pub struct Simulated<'a> {
    /// How each row changes.
    pub changes: Vec<Change>,
    /// Weight × count of each row.
    pub weight: Vec<f64>,
    /// Visits a day to each row.
    pub frequency: &'a [f64],
    /// How regular they are.
    pub order: Order,
    /// What the formulas say will come of it.
    pub predicted: Averages,
}

impl Dataset {
    /// The plan's frequencies and when each row was last visited, for a timetable.
    pub fn to_schedule(&self) -> Result<(&[f64], Option<&[f64]>)> {
        Ok((&self.solved()?.chosen.frequency, self.last_sync.as_deref()))
    }

    /// The plan, for a simulation.
    pub fn to_simulate(&self) -> Result<Simulated<'_>> {
        let solved = self.solved()?;
        let rows = 0..solved.items.len();
        Ok(Simulated {
            changes: rows.clone().map(|i| solved.items.change(i)).collect(),
            weight: rows.map(|i| solved.items.stake(i)).collect(),
            frequency: &solved.chosen.frequency,
            order: solved.knobs.order,
            predicted: solved.chosen.averages,
        })
    }
}
