//! What a plan comes to, in every metric at once.

use super::items::Items;
use crate::change::Model;
use crate::numeric::sum::Sum;
use crate::staleness::gaps::{Fixed, Gaps, PurelyRandom, Random};
use crate::staleness::poisson::averages as averages_of;
use crate::staleness::{self, Metric, Order, Staleness};

/// Means over all items, weighted by weight × count, of a plan's long-run freshness and costs. NaN where the change model
/// does not define the metric, and everywhere when all weights are 0. ∞ where an item that changes and weighs is never
/// visited (all but freshness).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "wasm", derive(serde::Serialize, tsify::Tsify))]
pub struct Averages {
    /// The share of time that a copy is up to date.
    pub freshness: f64,
    /// Time since the first missed change.
    pub age: f64,
    /// Sum of the delays of all missed changes.
    pub content: f64,
    /// 1 + 1/2 + … + 1/k for k missed changes.
    pub harmonic: f64,
}

impl Averages {
    /// The mean in this metric, as people say it: freshness as freshness, the others as costs.
    #[must_use]
    pub fn get(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Freshness => self.freshness,
            Metric::Age => self.age,
            Metric::Content => self.content,
            Metric::Harmonic => self.harmonic,
        }
    }
}

/// The averages of any plan: `frequency` holds one frequency per row of `items`.
#[must_use]
pub fn averages(items: &Items, order: Order, frequency: &[f64]) -> Averages {
    measure(items, order, frequency).0
}

/// The averages, and the mean stale share: 1 − freshness, with its own digits where freshness is close to 1.
pub(super) fn measure(items: &Items, order: Order, frequency: &[f64]) -> (Averages, f64) {
    let sums = match (items.model(), order) {
        (Model::Poisson, Order::Fixed) => poisson::<Fixed>(items, frequency),
        (Model::Poisson, Order::Random) => poisson::<Random>(items, frequency),
        (Model::Poisson, Order::PurelyRandom) => poisson::<PurelyRandom>(items, frequency),
        _ => general(items, order, frequency),
    };
    let [freshness, stale, age, content, harmonic] = sums.map(|sum| sum.total() / items.total_stake());
    (Averages { freshness, age, content, harmonic }, stale)
}

/// Sums of freshness, staleness, age, content and harmonic.
fn poisson<G: Gaps>(items: &Items, frequency: &[f64]) -> [Sum; 5] {
    let rate = &items.columns().rate;
    total(items, frequency, |i, f| {
        let each = averages_of::<G>(rate[i], f);
        // One minus nearly one has lost its digits.
        let fresh = if each.stale < 0.9 { 1.0 - each.stale } else { G::freshness(rate[i] / f) };
        [fresh, each.stale, each.age, each.content, each.harmonic]
    })
}

fn general(items: &Items, order: Order, frequency: &[f64]) -> [Sum; 5] {
    let staleness = Staleness { metric: Metric::Freshness, order };
    total(items, frequency, |i, f| {
        let change = items.change(i);
        let each = staleness::Averages::of(&change, order, f);
        [staleness.freshness(&change, f), each.stale, each.age, each.content, each.harmonic]
    })
}

/// How many items are added up plainly before the sum is compensated.
const STRETCH: usize = 64;

fn total<const N: usize>(items: &Items, frequency: &[f64], measure: impl Fn(usize, f64) -> [f64; N]) -> [Sum; N] {
    let mut sums = [Sum::default(); N];
    let len = items.len().min(frequency.len());
    for start in (0..len).step_by(STRETCH) {
        let mut part = [0.0; N];
        for (i, &f) in frequency.iter().enumerate().take((start + STRETCH).min(len)).skip(start) {
            let stake = items.stake(i);
            if stake > 0.0 {
                for (part, measure) in part.iter_mut().zip(measure(i, f)) {
                    *part += stake * measure;
                }
            }
        }
        for (sum, part) in sums.iter_mut().zip(part) {
            sum.add(part);
        }
    }
    sums
}

/// Freshness and age alone, for sweeps that show no more.
pub(super) fn fresh_and_age(items: &Items, order: Order, frequency: &[f64]) -> (f64, f64) {
    fn poisson<G: Gaps>(items: &Items, frequency: &[f64]) -> [Sum; 2] {
        let rate = &items.columns().rate;
        total(items, frequency, |i, f| {
            if rate[i] == 0.0 {
                return [1.0, 0.0];
            }
            let (stale, age) = G::stale_and_age(rate[i] / f);
            [1.0 - stale, age / f]
        })
    }
    let sums = match (items.model(), order) {
        (Model::Poisson, Order::Fixed) => poisson::<Fixed>(items, frequency),
        (Model::Poisson, Order::Random) => poisson::<Random>(items, frequency),
        (Model::Poisson, Order::PurelyRandom) => poisson::<PurelyRandom>(items, frequency),
        _ => total(items, frequency, |i, f| {
            let (change, age) = (items.change(i), Staleness { metric: Metric::Age, order });
            [age.freshness(&change, f), age.average(&change, f)]
        }),
    };
    let [freshness, age] = sums.map(|sum| sum.total() / items.total_stake());
    (freshness, age)
}
