//! The scheduler: a turn at a time, each to the eligible item with the earliest deadline.
//!
//! Inside, time runs in *turns* from the start: turn j stands at j + [`OFFSET`], and an item of frequency f has the interval
//! F/f. Since turns form a grid, the items that become eligible at a turn wait in a list of that turn, and only the eligible
//! ones need a heap: a visit costs O(log n).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::check::Checked;
use super::{Request, Timetable, overdue};
use crate::numeric::sort;
use crate::problem::Result;

/// Where in its turn a visit stands, √2 − 1. Frequencies are often simple ratios of each other, and an irrational offset keeps
/// visits from falling exactly on the border of a slot or of an item's window.
pub(super) const OFFSET: f64 = std::f64::consts::SQRT_2 - 1.0;

/// The end of a turn's list.
const NONE: u32 = u32::MAX;

/// An item that is visited at all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client {
    /// Its index in the request.
    pub item: u32,
    /// When its first window starts, in turns; 0 when its visit is due at the start or overdue.
    pub joins: f64,
    /// Its interval in turns.
    pub interval: f64,
    /// Visits that it has had.
    pub served: u32,
    /// How many intervals its first visit is overdue at the start; 0 when it is not, or nobody knows.
    pub overdue: f64,
}

/// One visit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visit {
    pub turn: u32,
    /// Index into the clients.
    pub client: u32,
}

/// A timetable in the making, in steps so that it can show progress and be cancelled (by dropping it).
#[derive(Debug)]
pub struct Scheduler {
    start: f64,
    end: f64,
    /// The horizon in turns.
    span: f64,
    checked: Checked,
    clients: Vec<Client>,
    /// Of each turn, the first client that becomes eligible at it.
    eligible_at: Vec<u32>,
    /// Of each client, the next one that becomes eligible at the same turn.
    next: Vec<u32>,
    /// Eligible clients by deadline (the bits of a positive number are in its order), then by client.
    eligible: BinaryHeap<Reverse<(u64, u32)>>,
    turn: usize,
    visits: Vec<Visit>,
}

impl Scheduler {
    /// Checks the request and gets ready for the first turn.
    pub fn new(request: &Request) -> Result<Self> {
        let checked = Checked::of(request)?;
        let clients = join(request, checked.pace);
        let span = request.horizon * checked.pace;
        let mut scheduler = Self {
            start: request.start,
            end: request.start + request.horizon,
            span,
            checked,
            eligible_at: vec![NONE; turn_from(span)],
            next: vec![NONE; clients.len()],
            eligible: BinaryHeap::with_capacity(clients.len()),
            turn: 0,
            visits: Vec::with_capacity(turn_from(span)),
            clients,
        };
        for client in 0..scheduler.clients.len() {
            scheduler.wait(client, scheduler.clients[client].joins);
        }
        Ok(scheduler)
    }

    /// Makes up to that many more visits; returns the fraction that is done, 1 at the end.
    pub fn step(&mut self, visits: usize) -> f64 {
        let until = self.eligible_at.len().min(self.turn.saturating_add(visits));
        while self.turn < until {
            self.take_turn();
            self.turn += 1;
        }
        if self.eligible_at.is_empty() { 1.0 } else { self.turn as f64 / self.eligible_at.len() as f64 }
    }

    /// Makes the visits that are still missing, and the timetable.
    #[must_use]
    pub fn finish(mut self) -> Timetable {
        self.step(usize::MAX);
        overdue::first(&mut self.visits, &self.clients, self.span);
        let Checked { pace, slot, slots, capacity } = self.checked;
        let mut load = vec![0; slots];
        for visit in &self.visits {
            load[turn_slot(visit.turn, pace * slot).min(slots - 1)] += 1;
        }
        let last = self.end.next_down();
        Timetable {
            max_lag: max_lag(&mut self.clients, &self.visits, self.span),
            time: self.visits.iter().map(|visit| (self.start + at(visit.turn) / pace).min(last)).collect(),
            item: self.visits.iter().map(|visit| self.clients[visit.client as usize].item).collect(),
            load,
            slot,
            capacity,
        }
    }

    /// Gives the current turn to the eligible client with the earliest deadline, if there is one.
    #[expect(clippy::cast_possible_truncation, reason = "turns are at most MOST_VISITS")]
    fn take_turn(&mut self) {
        let mut waiting = self.eligible_at[self.turn];
        while waiting != NONE {
            let Client { joins, interval, served, .. } = self.clients[waiting as usize];
            let deadline = joins + f64::from(served + 1) * interval;
            self.eligible.push(Reverse((deadline.to_bits(), waiting)));
            waiting = self.next[waiting as usize];
        }
        let Some(Reverse((_, client))) = self.eligible.pop() else { return };
        self.visits.push(Visit { turn: self.turn as u32, client });
        let served = &mut self.clients[client as usize];
        served.served += 1;
        let window = served.joins + f64::from(served.served) * served.interval;
        self.wait(client as usize, window);
    }

    /// Lets a client wait until its window starts, unless that is after the horizon.
    #[expect(clippy::cast_possible_truncation, reason = "item indices are u32 by contract of the timetable")]
    fn wait(&mut self, client: usize, window: f64) {
        // A visit comes before the next window starts, but the start may round down onto the visit's own turn.
        let turn = turn_from(window).max(if self.clients[client].served > 0 { self.turn + 1 } else { 0 });
        if let Some(head) = self.eligible_at.get_mut(turn) {
            self.next[client] = std::mem::replace(head, client as u32);
        }
    }
}

/// The clients of a request: those due at the start first, the most overdue in the lead, then in the order of the items.
#[expect(clippy::cast_possible_truncation, reason = "item indices are u32 by contract of the timetable")]
fn join(request: &Request, pace: f64) -> Vec<Client> {
    let mut clients: Vec<Client> = Vec::new();
    for (item, &frequency) in request.frequency.iter().enumerate().filter(|(_, f)| **f > 0.0) {
        let last_sync = request.last_sync.map_or(f64::NAN, |times| times[item]);
        // Intervals from the start until the next visit is due; negative when it is overdue.
        let due = if last_sync.is_nan() { 0.0 } else { 1.0 - (request.start - last_sync) * frequency };
        let interval = pace / frequency;
        let joins = if due > 0.0 { due * interval } else { 0.0 };
        clients.push(Client { item: item as u32, joins, interval, served: 0, overdue: f64::max(-due, 0.0) });
    }
    let order = sort::order(clients.iter().map(|client| client.overdue), true);
    order.into_iter().map(|place| clients[place as usize]).collect()
}

/// Where a turn stands, in turns from the start.
pub(super) fn at(turn: u32) -> f64 {
    f64::from(turn) + OFFSET
}

/// The first turn at or after a moment.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and saturates past any horizon"
)]
fn turn_from(moment: f64) -> usize {
    (moment - OFFSET).ceil().max(0.0) as usize
}

/// The slot that a turn falls into, with that many turns per slot.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and at most the slots there are"
)]
fn turn_slot(turn: u32, turns_per_slot: f64) -> usize {
    (at(turn) / turns_per_slot) as usize
}

/// The largest |lag|: just before and just after each visit, and for every client at the end of the span.
fn max_lag(clients: &mut [Client], visits: &[Visit], span: f64) -> f64 {
    let mut max = 0.0_f64;
    for client in &mut *clients {
        client.served = 0;
    }
    for visit in visits {
        let client = &mut clients[visit.client as usize];
        let before = (at(visit.turn) - client.joins) / client.interval - f64::from(client.served);
        client.served += 1;
        max = max.max(before.abs()).max((before - 1.0).abs());
    }
    for client in clients {
        max = max.max(((span - client.joins) / client.interval - f64::from(client.served)).abs());
    }
    max
}
