//! What is counted while a policy makes its visits.

use super::scene::Scene;
use super::{Outcome, Policy};
use crate::change::Change;
use crate::replay::stretches::Stretches;
use crate::staleness::{Metric, Order, Staleness};

/// The outcome of a policy in the making.
#[derive(Debug)]
pub(super) struct Tally {
    stretches: Stretches,
    /// Of each item.
    stale: Vec<f64>,
    visits: Vec<u32>,
    /// Expected stale time of each item; NaN where nothing is promised.
    promised: Vec<f64>,
    promised_age: f64,
}

impl Tally {
    pub fn new(scene: &Scene) -> Self {
        Self {
            stretches: Stretches::new(scene.horizon, scene.points),
            stale: vec![0.0; scene.len()],
            visits: vec![0; scene.len()],
            promised: vec![0.0; scene.len()],
            promised_age: 0.0,
        }
    }

    /// A visit to an item; `missed` is the first change that the copy did not have.
    #[inline(never)]
    pub fn visit(&mut self, scene: &Scene, item: usize, at: f64, missed: Option<f64>) {
        self.visits[item] += 1;
        if let Some(changed) = missed {
            self.stale[item] += self.stretches.add(scene.weight[item], changed, at).0;
        }
    }

    /// The end of the test for an item.
    #[inline(never)]
    pub fn end(&mut self, scene: &Scene, item: usize, missed: Option<f64>) {
        if let Some(changed) = missed.filter(|changed| *changed < scene.horizon) {
            self.stale[item] += self.stretches.add(scene.weight[item], changed, f64::INFINITY).0;
        }
    }

    /// What a model expects of an item in some gaps.
    pub fn promise(&mut self, scene: &Scene, item: usize, [stale, age]: [f64; 2]) {
        self.promised[item] += stale;
        self.promised_age += scene.weight[item] * age;
    }

    /// Nothing is promised.
    pub fn promise_nothing(&mut self) {
        self.promised.fill(f64::NAN);
        self.promised_age = f64::NAN;
    }

    #[inline(never)]
    pub fn finish(self, scene: &Scene, policy: Policy, factor: f64) -> Outcome {
        let (freshness, age) = self.stretches.means();
        let fresh = |stale: &f64| f64::clamp(1.0 - stale / scene.horizon, 0.0, 1.0);
        let item_predicted: Vec<f64> = self.promised.iter().map(fresh).collect();
        let (freshness_curve, age_curve) = self.stretches.curves().unzip();
        let predicted_freshness = item_predicted.iter().zip(&scene.weight).map(|(fresh, weight)| fresh * weight).sum();
        Outcome {
            policy,
            visits: self.visits.iter().map(|&visits| visits as usize).sum(),
            freshness,
            age,
            predicted_freshness,
            difference: freshness - predicted_freshness,
            predicted_age: self.promised_age / scene.horizon,
            factor,
            freshness_curve,
            age_curve,
            item_freshness: self.stale.iter().map(fresh).collect(),
            item_predicted,
            item_visits: self.visits,
        }
    }
}

/// What a model expects of a gap without visits: the stale time in it, and ∫ age.
#[inline(never)]
pub(super) fn expected(change: &Change, gap: f64) -> [f64; 2] {
    if gap <= 0.0 || change.never() {
        return [0.0; 2];
    }
    let cost = |metric| gap * Staleness { metric, order: Order::Fixed }.average(change, 1.0 / gap);
    [cost(Metric::Freshness), cost(Metric::Age)]
}
