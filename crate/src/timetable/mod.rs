//! From frequencies to visits (spec: "From frequencies to a timetable").
//!
//! The rule is *earliest eligible virtual deadline first* (I. Stoica, H. Abdel-Wahab, "Earliest Eligible Virtual Deadline
//! First: A Flexible and Accurate Mechanism for Proportional Share Resource Allocation", 1995). Visits are made one after
//! another at the pace of the whole demand, F = Σf: the n-th at `start + (n + o)/F`, where 0 < o < 1 is the same for all. An
//! item that joins at time s may have its k-th visit (k = 0, 1, …) from s + k/f on, its *virtual start*, and is due it before
//! s + (k+1)/f, its *virtual deadline*; each visit goes to the eligible item with the earliest deadline.
//!
//! # Lag
//!
//! The *lag* of an item at time t is the service that it should have had minus the visits that it has had,
//!
//! > lag(t) = f·(t − s) − visits made in \[start, t\]
//!
//! positive when it is behind, negative when it is ahead, in visits. **It always lies in \[−1, 1)**: no item is ever a whole
//! visit behind, and none more than one ahead (Stoica & Abdel-Wahab, corollary of theorem 1, for requests of one quantum).
//!
//! *Proof.* A visit never comes before its virtual start, so lag ≥ −1. For the other side it is enough that every visit
//! comes before its deadline. Suppose one with deadline d does not. Let t₀ be the last visit before d that went to a later
//! deadline than d or to nobody. At t₀ nothing that was eligible was due by d, so all visits in (t₀, d), and the missed one,
//! began their windows after t₀ and are due by d: of one item, fewer than f·(d − t₀) such windows fit, hence fewer than
//! F·(d − t₀) of all items. But ⌈F·(d − t₀)⌉ − 1 visits were made in (t₀, d), and with the missed one that is no fewer than
//! F·(d − t₀): a contradiction. (Without such a t₀ take `start` in its place: at most F·(d − start) windows fit, while the
//! visits made, at least F·(d − start) − o, and the missed one are more.) ∎
//!
//! Windows that start apart change nothing in the proof, which is why [`Request::last_sync`] may set each item's s freely.
//! Since everything is served at the pace F, any slot of length D holds ⌊F·D⌋ or ⌈F·D⌉ turns: the load is as even as whole
//! visits can be, and a capacity of at least F·D visits per slot is kept without further ado. A turn when no item is
//! eligible is left out.

mod check;
mod overdue;
mod scheduler;
#[cfg(test)]
mod tests;

pub use scheduler::Scheduler;

use crate::problem::Result;

/// The most visits that one timetable may hold.
pub const MOST_VISITS: usize = 5_000_000;

/// What is to be turned into visits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request<'a> {
    /// Visits per unit of time, one for each item; 0 for an item that is never visited.
    pub frequency: &'a [f64],
    /// How long the timetable runs.
    pub horizon: f64,
    /// The length of a slot, the span over which load and capacity are counted. One unit of time when left out, or the whole
    /// horizon if that is shorter, or a ten-thousandth of a horizon beyond 10,000 units.
    pub slot: Option<f64>,
    /// The most visits in a slot; when left out, the least that the demand fits into.
    pub capacity: Option<u32>,
    /// When each item was last synced, at or before `start`; NaN when unknown. The next visit is due one interval later, an
    /// item whose visit was due before `start` is overdue. Unknown, or left out, means due at the start.
    pub last_sync: Option<&'a [f64]>,
    /// When the timetable starts.
    pub start: f64,
}

/// Visits in order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Timetable {
    /// When each visit takes place, never decreasing, within \[start, start + horizon); evenly spread within each slot.
    pub time: Vec<f64>,
    /// Which item each visit goes to.
    pub item: Vec<u32>,
    /// The largest |lag| of any item at any moment of the timetable, in visits (see the module's "Lag").
    pub max_lag: f64,
    /// Visits in each slot; the last slot may be cut short by the horizon.
    pub load: Vec<u32>,
    /// The length of a slot.
    pub slot: f64,
    /// The most visits in a slot.
    pub capacity: u32,
}

/// The timetable of a request, from start to end; see [`Scheduler`] for doing it in steps.
///
/// ```
/// use afresh::timetable::{Request, timetable};
///
/// let request =
///     Request { frequency: &[2.0, 1.0], horizon: 2.0, slot: None, capacity: None, last_sync: None, start: 0.0 };
/// let plan = timetable(&request)?;
/// assert_eq!(plan.item, [0, 1, 0, 0, 1, 0]);
/// assert_eq!(plan.load, [3, 3]);
/// assert!(plan.max_lag <= 1.0);
/// # Ok::<(), afresh::problem::Problem>(())
/// ```
pub fn timetable(request: &Request) -> Result<Timetable> {
    Ok(Scheduler::new(request)?.finish())
}
