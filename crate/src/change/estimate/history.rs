//! A change history, sorted once: the times of each item one after another, so that every estimate and every replay is a single
//! pass.

use super::Gaps;
use crate::numeric::said::counted;
use crate::numeric::sort;
use crate::problem::{Figure, Kind, Problem, Result};

/// The most events of a history.
pub const MOST_EVENTS: usize = 20_000_000;
/// The most items of a history.
pub const MOST_ITEMS: usize = 1_000_000;

/// What the first event of an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum FirstEvent {
    /// A change like any other; the item was watched from the start of the window.
    #[default]
    Change,
    /// The item's first version: watching starts there, and it is no change.
    Start,
}

/// Change events as people bring them, in any order.
#[derive(Debug, Clone, Copy)]
pub struct Events<'a> {
    /// Which item changed.
    pub item: &'a [u32],
    /// When.
    pub time: &'a [f64],
    /// How many items there are; some may never have changed.
    pub items: usize,
    /// Start of the watching; the first event when left out.
    pub from: Option<f64>,
    /// End of the watching; the last event when left out.
    pub to: Option<f64>,
    /// A change within this span of the last one counted is not counted. Repeats of one moment never are.
    pub merge_within: f64,
    /// What the first event of an item is.
    pub first: FirstEvent,
}

/// The changes of each item within a window, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Where the changes of each item start in `time`, and where the last ends.
    offset: Vec<usize>,
    time: Vec<f64>,
    /// When each item's watching starts; `to` or later for items that came too late.
    start: Vec<f64>,
    from: f64,
    to: f64,
    /// Events not counted because another came just before.
    pub merged: usize,
    /// Events outside the window.
    pub outside: usize,
}

impl History {
    /// Sorts the events by item and time, and keeps those within the window, its ends included.
    pub fn new(events: &Events) -> Result<Self> {
        check(events)?;
        let Events { item, time, items, merge_within, first, .. } = *events;
        let (from, to) = window(events)?;
        let mut offset = vec![0; items + 1];
        for &i in item {
            offset[i as usize + 1] += 1;
        }
        for i in 0..items {
            offset[i + 1] += offset[i];
        }
        let mut place = offset.clone();
        let mut sorted = vec![0.0; time.len()];
        for (&i, &t) in item.iter().zip(time) {
            sorted[place[i as usize]] = t;
            place[i as usize] += 1;
        }
        let mut history = Self {
            offset: vec![0],
            time: Vec::with_capacity(time.len()),
            start: Vec::with_capacity(items),
            from,
            to,
            merged: 0,
            outside: 0,
        };
        for i in 0..items {
            let own = &mut sorted[offset[i]..offset[i + 1]];
            sort::floats(own);
            history.push_item(own, merge_within, first);
        }
        Ok(history)
    }

    fn push_item(&mut self, times: &[f64], merge_within: f64, first: FirstEvent) {
        let (start, times) = match (first, times.split_first()) {
            (FirstEvent::Change, _) => (self.from, times),
            (FirstEvent::Start, Some((&birth, rest))) => (birth.max(self.from), rest),
            // An item of which nothing is known has not been watched.
            (FirstEvent::Start, None) => (f64::INFINITY, times),
        };
        // A birth is no change, but what follows it too closely is part of it.
        let mut last = if first == FirstEvent::Start { start } else { f64::NEG_INFINITY };
        for &t in times {
            if t < self.from || t > self.to {
                self.outside += 1;
            } else if t <= last || t - last < merge_within {
                self.merged += 1;
            } else {
                self.time.push(t);
                last = t;
            }
        }
        self.offset.push(self.time.len());
        self.start.push(start);
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// How many changes there are.
    #[must_use]
    pub fn events(&self) -> usize {
        self.time.len()
    }

    /// The changes of an item, in order.
    #[must_use]
    pub fn changes(&self, item: usize) -> &[f64] {
        &self.time[self.offset[item]..self.offset[item + 1]]
    }

    /// All changes, item after item.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.time
    }

    /// The gaps of an item; one began at its birth if that was within the window.
    #[must_use]
    pub fn gaps(&self, item: usize) -> Gaps<'_> {
        let start = self.start[item];
        Gaps { changes: self.changes(item), birth: (start > self.from).then_some(start), end: self.to }
    }

    /// How many changes an item had in either half of its watching.
    pub(super) fn halves(&self, item: usize) -> [usize; 2] {
        let (changes, middle) = (self.changes(item), 0.5 * (self.start[item] + self.to));
        let earlier = changes.partition_point(|&t| t < middle);
        [earlier, changes.len() - earlier]
    }

    /// When the watching of an item starts.
    #[must_use]
    pub fn start(&self, item: usize) -> f64 {
        self.start[item]
    }

    /// How long an item was watched, from 0 up.
    #[must_use]
    pub fn exposure(&self, item: usize) -> f64 {
        (self.to - self.start[item]).max(0.0)
    }

    /// Start of the window.
    #[must_use]
    pub fn from(&self) -> f64 {
        self.from
    }

    /// End of the window.
    #[must_use]
    pub fn to(&self) -> f64 {
        self.to
    }

    /// What was not counted, in sentences.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        [
            (self.merged, "change", "came too soon after another"),
            (self.outside, "event", "came outside the window of observation"),
        ]
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, noun, why)| format!("Not counted: {} that {why}.", counted(number as f64, noun)))
        .collect()
    }

    /// Some of the items, in the order asked for.
    #[must_use]
    pub fn select(&self, items: &[usize]) -> Self {
        let mut some = Self { offset: vec![0], time: Vec::new(), start: Vec::with_capacity(items.len()), ..*self };
        for &item in items {
            some.time.extend_from_slice(self.changes(item));
            some.offset.push(some.time.len());
            some.start.push(self.start[item]);
        }
        some
    }

    /// Splits at a time: what is known by then, and the changes after it.
    #[must_use]
    pub fn split(&self, at: f64) -> (Self, Self) {
        let empty = |from, to| Self {
            offset: vec![0],
            time: Vec::new(),
            start: Vec::with_capacity(self.len()),
            from,
            to,
            merged: 0,
            outside: 0,
        };
        let (mut before, mut after) = (empty(self.from, at), empty(at, self.to));
        for item in 0..self.len() {
            let changes = self.changes(item);
            let (known, later) = changes.split_at(changes.partition_point(|&t| t <= at));
            for (half, times, start) in
                [(&mut before, known, self.start[item]), (&mut after, later, self.start[item].max(at))]
            {
                half.time.extend_from_slice(times);
                half.offset.push(half.time.len());
                half.start.push(start);
            }
        }
        (before, after)
    }
}

fn check(events: &Events) -> Result<()> {
    let Events { item, time, items, merge_within, .. } = *events;
    if item.len() != time.len() {
        let message = format!("`item` has {} entries and `time` {}", item.len(), time.len());
        return Err(Problem::new(Kind::Length, message, "Give each event its item and its time.").in_column("time"));
    }
    if items == 0 {
        return Err(Problem::new(Kind::Length, "there are no items", "Give at least one event.").in_column("item"));
    }
    if time.len() > MOST_EVENTS || items > MOST_ITEMS {
        let message = format!("more than {MOST_EVENTS} events or {MOST_ITEMS} items");
        return Err(Problem::new(Kind::Size, message, "Leave out the oldest part, or split the set.").in_column("item"));
    }
    if let Some(row) = item.iter().position(|&i| i as usize >= items) {
        let message = format!("event {row} (counting from 0) is of item {}, but there are {items}", item[row]);
        return Err(Problem::new(Kind::Value, message, "Number the items 0, 1, 2, ….").at_row(row).in_column("item"));
    }
    check_times("time", time)?;
    if !(merge_within >= 0.0 && merge_within.is_finite()) {
        let message = format!("`mergeWithin` is {}, not a span from 0 up", Figure(merge_within));
        return Err(
            Problem::new(Kind::Value, message, "Give a length of time, or leave it out.").in_column("mergeWithin")
        );
    }
    Ok(())
}

/// The largest time that differences are still exact enough at: a thousandth of a day at a billion years.
pub const MOST_TIME: f64 = 1e12;

/// Refuses times that are no numbers, or so large that gaps between them would be lost.
pub(super) fn check_times(name: &str, time: &[f64]) -> Result<()> {
    match time.iter().position(|t| t.abs() > MOST_TIME || t.is_nan()) {
        None => Ok(()),
        Some(row) => Err(Problem::new(
            Kind::Value,
            format!("`{name}` of entry {row} (counting from 0) is {}, not a time", Figure(time[row])),
            "Give times as numbers, such as days since 1970-01-01.",
        )
        .at_row(row)
        .in_column(name)),
    }
}

/// The window asked for, or else that of the data.
fn window(events: &Events) -> Result<(f64, f64)> {
    let first = || events.time.iter().copied().fold(f64::INFINITY, f64::min);
    let last = || events.time.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (from, to) = (events.from.unwrap_or_else(first), events.to.unwrap_or_else(last));
    if from < to && from.abs() <= MOST_TIME && to.abs() <= MOST_TIME {
        return Ok((from, to));
    }
    Err(Problem::new(
        Kind::Value,
        format!("the observation window goes from {} to {}, which is no stretch of time", Figure(from), Figure(to)),
        "Give `from` and `to`, the later one last: when the watching began and ended.",
    )
    .in_column("from"))
}
