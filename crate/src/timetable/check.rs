//! What a timetable request must satisfy, and the quantities that follow from it.

use super::{MOST_VISITS, Request};
use crate::problem::{Kind, Problem, Result};

/// Demand may exceed capacity by this share before it counts as too much: adding up a million frequencies rounds by less.
const ROUNDING: f64 = 1e-10;

/// The most slots that load is counted for.
const MOST_SLOTS: f64 = 5e6;

/// A request that can be met: pace, slots and capacity.
#[derive(Debug)]
pub(super) struct Checked {
    /// Visits per unit of time, all items together.
    pub pace: f64,
    pub slot: f64,
    pub slots: usize,
    pub capacity: u32,
}

impl Checked {
    pub fn of(request: &Request) -> Result<Self> {
        let Request { frequency, horizon, capacity, start, .. } = *request;
        if frequency.is_empty() {
            let hint = "Give the visits per unit of time of at least one item.";
            return Err(Problem::new(Kind::Value, "There are no frequencies.", hint).in_column("frequency"));
        }
        if let Some(row) = frequency.iter().position(|f| !(f.is_finite() && *f >= 0.0)) {
            let message = format!("The frequency of item {row} is {}.", frequency[row]);
            let hint = "A frequency is a finite number of visits per unit of time, 0 or more.";
            return Err(Problem::new(Kind::Value, message, hint).at_row(row).in_column("frequency"));
        }
        positive("horizon", horizon)?;
        if !start.is_finite() || start + horizon <= start || (start + horizon).is_infinite() {
            let message = format!("A timetable cannot start at {start} and run for {horizon}.");
            let hint =
                "Start is a finite time in the same unit as the horizon, not so large that the horizon vanishes in it.";
            return Err(Problem::new(Kind::Value, message, hint).in_column("start"));
        }
        check_last_sync(request)?;

        let demand: f64 = frequency.iter().sum();
        let visits = demand * horizon;
        if visits > MOST_VISITS as f64 {
            let message = format!("The timetable would hold {visits:.0} visits; {MOST_VISITS} is the most.");
            let hint = format!("Shorten the horizon to {} or less.", MOST_VISITS as f64 / demand);
            return Err(Problem::new(Kind::Size, message, hint).in_column("horizon"));
        }

        let slot = request.slot.unwrap_or_else(|| horizon.min(f64::max(1.0, horizon / 1e4)));
        positive("slot", slot)?;
        if horizon / slot > MOST_SLOTS {
            let message = format!("A slot of {slot} divides the horizon into {:.0} slots.", horizon / slot);
            let hint = format!("Make the slot at least {}.", horizon / MOST_SLOTS);
            return Err(Problem::new(Kind::Size, message, hint).in_column("slot"));
        }
        positive("capacity", capacity.map_or(1.0, f64::from))?;
        let (pace, capacity) = match capacity {
            None => (demand, whole(demand * slot * (1.0 - ROUNDING))),
            Some(capacity) if demand * slot > f64::from(capacity) * (1.0 + ROUNDING) => {
                let needed = whole(demand * slot * (1.0 - ROUNDING));
                let message =
                    format!("The frequencies ask for {} visits per slot; the capacity is {capacity}.", demand * slot);
                let hint = format!("Allow {needed} visits per slot, or plan with a smaller budget.");
                return Err(Problem::new(Kind::Infeasible, message, hint).in_column("capacity"));
            }
            Some(capacity) => (demand.min(f64::from(capacity) / slot), capacity),
        };
        Ok(Self { pace, slot, slots: count(horizon / slot), capacity })
    }
}

/// Checks that every known last sync lies at or before the start.
fn check_last_sync(request: &Request) -> Result<()> {
    let Some(last_sync) = request.last_sync else { return Ok(()) };
    if last_sync.len() != request.frequency.len() {
        let message =
            format!("There are {} times of last sync for {} frequencies.", last_sync.len(), request.frequency.len());
        let hint = "Give one for each item, NaN where it is unknown.";
        return Err(Problem::new(Kind::Length, message, hint).in_column("lastSync"));
    }
    if let Some(row) = last_sync.iter().position(|t| t.is_infinite() || *t > request.start) {
        let message =
            format!("Item {row} was last synced at {}; the timetable starts at {}.", last_sync[row], request.start);
        let hint = "Give lastSync on the same time axis as start, at or before it, NaN where it is unknown.";
        return Err(Problem::new(Kind::Value, message, hint).at_row(row).in_column("lastSync"));
    }
    Ok(())
}

/// Checks that a number is above 0 and finite.
fn positive(column: &str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    let hint = format!("Give a finite {column} above 0.");
    Err(Problem::new(Kind::Value, format!("The {column} is {value}."), hint).in_column(column))
}

/// The least capacity that holds `visits` per slot, at least 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is positive")]
fn whole(visits: f64) -> u32 {
    (visits.ceil() as u32).max(1)
}

/// How many slots a horizon of that many slots touches, at least 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most MOST_SLOTS, and positive")]
fn count(slots: f64) -> usize {
    ((slots * (1.0 - ROUNDING)).ceil() as usize).max(1)
}
