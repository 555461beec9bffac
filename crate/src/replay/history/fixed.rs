//! Plans of fixed frequencies: each item at even gaps from its phase.

use super::Policy;
use super::scene::Scene;
use super::tally::{Tally, expected};
use crate::allocate::{self, Goal, Items, Question, sketch};
use crate::change::Model;
use crate::problem::Result;
use crate::staleness::{Metric, Order, Staleness};

/// A plan being replayed, item by item.
#[derive(Debug)]
pub(super) struct Fixed {
    frequency: Vec<f64>,
    /// How the plan believes that items change.
    items: Items,
    next: usize,
}

impl Fixed {
    /// Makes the plan of a policy.
    pub fn new(scene: &Scene, policy: Policy) -> Result<Self> {
        let items = match policy {
            Policy::Uniform | Policy::GammaPoisson => scene.items(Model::GammaPoisson)?,
            Policy::Weibull => scene.items(Model::Weibull)?,
            Policy::Hindsight => scene.certain(scene.future_rates())?,
            Policy::Proportional | Policy::Optimal => scene.certain(scene.rates.rate.clone())?,
            _ => scene.items(Model::Poisson)?,
        };
        let metric = match policy {
            Policy::AgeOptimal => Metric::Age,
            Policy::HarmonicOptimal => Metric::Harmonic,
            Policy::CubeRoot => Metric::Content,
            _ => Metric::Freshness,
        };
        let proportional = policy == Policy::Proportional;
        let share = if proportional { allocate::Policy::Proportional } else { allocate::Policy::Optimal };
        let frequency = if policy == Policy::Uniform {
            vec![scene.budget / scene.len() as f64; scene.len()]
        } else {
            plan(&items, metric, share, scene.budget)?
        };
        Ok(Self { frequency, items, next: 0 })
    }

    /// Replays some more items; returns the fraction that is done.
    pub fn step(&mut self, scene: &Scene, tally: &mut Tally, visits: usize) -> f64 {
        let mut left = visits;
        while left > 0 && self.next < scene.len() {
            left = left.saturating_sub(1 + self.item(scene, tally, self.next));
            self.next += 1;
        }
        self.next as f64 / scene.len() as f64
    }

    /// One item over the whole test; returns its visits.
    fn item(&self, scene: &Scene, tally: &mut Tally, item: usize) -> usize {
        let (change, frequency, horizon) = (self.items.change(item), self.frequency[item], scene.horizon);
        let mut copy = scene.copy(item);
        let phase = Scene::phase(item);
        let (mut visits, mut last) = (0_u32, 0.0);
        let mut at = phase / frequency;
        while at < horizon {
            let missed = copy.visit(at);
            tally.visit(scene, item, at, missed);
            visits += 1;
            last = at;
            at = (phase + f64::from(visits)) / frequency;
        }
        tally.end(scene, item, copy.missed());
        tally.promise(scene, item, expected(&change, horizon - last));
        if visits > 0 {
            tally.promise(scene, item, expected(&change, phase / frequency));
        }
        if visits > 1 {
            let between = f64::from(visits - 1);
            tally.promise(scene, item, expected(&change, 1.0 / frequency).map(|cost| between * cost));
        }
        visits as usize
    }
}

/// The frequencies of a plan.
pub(super) fn plan(items: &Items, metric: Metric, policy: allocate::Policy, budget: f64) -> Result<Vec<f64>> {
    let staleness = Staleness { metric, order: Order::Fixed };
    let question = Question { staleness, policy, ..Question::new(Goal::Budget(budget)) };
    Ok(sketch(items, &question)?.frequency)
}
