//! Plans of fixed frequencies: each item at even gaps from its phase.

use super::Policy;
use super::scene::Scene;
use super::tally::{Tally, expected};
use crate::allocate::{self, Goal, Items, Question, sketch};
use crate::numeric::root::log_newton;
use crate::problem::Result;
use crate::staleness::recurrence::Recurrence;
use crate::staleness::{Metric, Order, Staleness};

/// How a plan believes that items change.
#[derive(Debug)]
enum Belief {
    Items(Box<Items>),
    /// Weibull gaps from change to change.
    Recurrences(Vec<Recurrence>),
}

impl Belief {
    /// The stale time and ∫ age that are expected of an item in a gap without visits.
    fn expected(&self, item: usize, gap: f64) -> [f64; 2] {
        match self {
            Self::Items(items) => expected(&items.change(item), gap),
            Self::Recurrences(recurrences) => recurrences[item].costs(gap),
        }
    }
}

/// A plan being replayed, item by item.
#[derive(Debug)]
pub(super) struct Fixed {
    frequency: Vec<f64>,
    belief: Belief,
    next: usize,
}

impl Fixed {
    /// Makes the plan of a policy.
    pub fn new(scene: &Scene, policy: Policy) -> Result<Self> {
        if policy == Policy::Weibull {
            let recurrences = scene.recurrences();
            let frequency = plan_recurrences(&recurrences, &scene.weight, scene.budget);
            return Ok(Self { frequency, belief: Belief::Recurrences(recurrences), next: 0 });
        }
        let items = match policy {
            Policy::Uniform | Policy::GammaPoisson => scene.uncertain()?,
            Policy::Hindsight => scene.certain(scene.future_rates())?,
            Policy::Proportional | Policy::Optimal => scene.certain(scene.rates.rate.clone())?,
            _ => scene.certain(scene.means().collect())?,
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
        Ok(Self { frequency, belief: Belief::Items(Box::new(items)), next: 0 })
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
        let (frequency, horizon) = (self.frequency[item], scene.horizon);
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
        tally.promise(scene, item, self.belief.expected(item, horizon - last));
        if visits > 0 {
            tally.promise(scene, item, self.belief.expected(item, phase / frequency));
        }
        if visits > 1 {
            let between = f64::from(visits - 1);
            tally.promise(scene, item, self.belief.expected(item, 1.0 / frequency).map(|cost| between * cost));
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

/// The best frequencies for freshness: one price for all, as everywhere, at which they spend the budget.
fn plan_recurrences(items: &[Recurrence], weight: &[f64], budget: f64) -> Vec<f64> {
    let alike = items.len() as f64 / budget;
    let asked = |price: f64| items.iter().zip(weight).map(move |(item, weight)| item.demand(price / weight, alike));
    let spent =
        |worth: f64| asked(1.0 / worth).fold([0.0; 2], |[sum, slope], item| [sum + item.frequency, slope - item.slope]);
    // What visits are worth on average if all items are visited alike.
    let usual: f64 = items.iter().zip(weight).map(|(item, weight)| weight * item.benefit(alike)[0]).sum();
    let (worth, _) = log_newton(spent, budget, items.len() as f64 / usual);
    asked(1.0 / worth).map(|item| item.frequency).collect()
}
