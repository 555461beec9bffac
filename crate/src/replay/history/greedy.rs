//! Greedy: each slot goes to the item whose visit is worth most just then, and nothing is solved.
//!
//! A visit t after the last one is worth w·b(t), the benefit of the item's interval being t (spec: "Staleness cost since the last
//! sync"): what the solver makes equal for all items, greedy takes where it is largest. Rates are the posterior means.
//!
//! Worth only grows until the visit, so an item reaches a given worth p at a time known in advance. Only the items that have
//! reached p, the *ripe* ones, compete for a slot; the others wait in a heap. p follows the winners, so that the ripe are few.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::scene::{Copy, Scene};
use super::tally::{Tally, expected};
use crate::change::Change;
use crate::staleness::Staleness;

/// More ripe items than this, and p is raised.
const MANY: usize = 64;
/// More slots in a row without a ripe item than this, and p is lowered.
const EMPTY: usize = 8;
/// Slots that p stays, whoever is ripe: many alike items ripen together, and no p tells them apart.
const STAY: usize = 64;
/// p, as a share of what the last winner was worth.
const SHARE: f64 = 0.97;

/// A greedy crawler at work.
#[derive(Debug)]
pub(super) struct Greedy {
    change: Vec<Change>,
    last: Vec<f64>,
    /// Changes that each copy has seen.
    seen: Vec<usize>,
    slot: usize,
    slots: usize,
    /// What an item has to be worth to be ripe.
    price: f64,
    ripe: Vec<u32>,
    /// When the others will be; the bits of a positive number are in its order.
    waiting: BinaryHeap<Reverse<(u64, u32)>>,
    /// What each item waits for, if it does; older entries of the heap no longer count.
    due: Vec<u64>,
    empty: usize,
    /// Slots since p was set.
    since: usize,
}

impl Greedy {
    pub fn new(scene: &Scene) -> Self {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be a few millions at most"
        )]
        let slots = (scene.budget * scene.horizon) as usize;
        Self {
            change: scene.means().map(|rate| Change::Poisson { rate }).collect(),
            last: vec![0.0; scene.len()],
            seen: (0..scene.len()).map(|item| scene.changes(item).1).collect(),
            slot: 0,
            slots,
            price: f64::INFINITY,
            ripe: Vec::new(),
            waiting: BinaryHeap::new(),
            due: vec![0; scene.len()],
            empty: 0,
            since: 0,
        }
    }

    /// Fills some more slots; returns the fraction that is done.
    pub fn step(&mut self, scene: &Scene, tally: &mut Tally, visits: usize) -> f64 {
        for _ in 0..visits.min(self.slots - self.slot) {
            let now = (self.slot as f64 + 0.5) / scene.budget;
            self.visit(scene, tally, now);
            self.slot += 1;
        }
        if self.slot == self.slots {
            for item in 0..scene.len() {
                let copy = Copy::new(scene.changes(item).0, self.seen[item]);
                tally.end(scene, item, copy.missed());
                tally.promise(scene, item, expected(&self.change[item], scene.horizon - self.last[item]));
            }
            return 1.0;
        }
        self.slot as f64 / self.slots as f64
    }

    fn visit(&mut self, scene: &Scene, tally: &mut Tally, now: f64) {
        self.ripen(now);
        let among_ripe = !self.ripe.is_empty();
        let (best, worth) = if among_ripe {
            self.best(scene, now, &mut self.ripe.iter().map(|&item| item as usize))
        } else {
            self.best(scene, now, &mut (0..scene.len()))
        };
        let mut copy = Copy::new(scene.changes(best).0, self.seen[best]);
        let missed = copy.visit(now);
        tally.visit(scene, best, now, missed);
        tally.promise(scene, best, expected(&self.change[best], now - self.last[best]));
        self.seen[best] = copy.seen();
        self.last[best] = now;
        self.empty = if among_ripe { 0 } else { self.empty + 1 };
        self.since += 1;
        let crowded = self.ripe.len() > MANY && self.since > STAY;
        if (self.empty > EMPTY || crowded) && worth > 0.0 {
            self.price = SHARE * worth;
            self.sort_out(scene, now);
        } else {
            self.ripe.retain(|&item| item as usize != best);
            self.wait(scene, best);
        }
    }

    /// The item worth most, and its worth; the first of several.
    fn best(&self, scene: &Scene, now: f64, among: &mut dyn Iterator<Item = usize>) -> (usize, f64) {
        let freshness = Staleness::default();
        among.fold((0, -1.0), |(best, most), item| {
            let worth = scene.weight[item] * freshness.benefit(&self.change[item], 1.0 / (now - self.last[item]));
            if worth > most || (worth >= most && item < best) { (item, worth) } else { (best, most) }
        })
    }

    /// Decides anew who is ripe.
    fn sort_out(&mut self, scene: &Scene, now: f64) {
        (self.empty, self.since) = (0, 0);
        self.ripe.clear();
        self.waiting.clear();
        for item in 0..scene.len() {
            self.wait(scene, item);
        }
        self.ripen(now);
    }

    /// Moves those that have become ripe.
    #[inline(never)]
    fn ripen(&mut self, now: f64) {
        while let Some(&Reverse((ripe_at, item))) = self.waiting.peek()
            && f64::from_bits(ripe_at) <= now
        {
            self.waiting.pop();
            if self.due[item as usize] == ripe_at {
                self.ripe.push(item);
            }
        }
    }

    /// Lets an item wait until it is worth the price; one that never will be does not wait.
    #[inline(never)]
    fn wait(&mut self, scene: &Scene, item: usize) {
        self.due[item] = 0;
        let demand = Staleness::default().demand(&self.change[item], self.price / scene.weight[item]);
        if demand.frequency > 0.0 {
            // A little early, for what rounding may do.
            let ripe_at = (self.last[item] + (1.0 - 1e-9) / demand.frequency).to_bits();
            self.due[item] = ripe_at;
            self.waiting.push(Reverse((ripe_at, u32::try_from(item).unwrap_or(u32::MAX))));
        }
    }
}
