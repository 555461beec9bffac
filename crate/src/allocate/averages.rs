//! What a plan comes to, in every metric at once.

use super::items::Items;
use super::sum::Sum;
use crate::change::Model;
use crate::numeric::ein::ein;
use crate::staleness::gaps::{Fixed, Gaps, PurelyRandom, Random};
use crate::staleness::{Metric, Order, Staleness};

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

/// Freshness, staleness, age, content and harmonic of one item.
type Measures = [f64; 5];

/// All measures of a Poisson item from one exponential (or one series) and one Ein.
fn of_one<G: Measured>(rate: f64, frequency: f64) -> Measures {
    let r = rate / frequency;
    let (stale, age) = if r < 1.0 {
        let age = G::age(r);
        (r * (0.5 * G::SECOND - age), age)
    } else {
        let stale = G::stale(r);
        (stale, 0.5 * G::SECOND - stale / r)
    };
    // One minus nearly one has lost its digits.
    let fresh = if stale < 0.9 { 1.0 - stale } else { G::freshness(r) };
    [fresh, stale, age / frequency, G::THIRD / 6.0 * r / frequency, G::harmonic_with(r, stale)]
}

/// Gaps whose harmonic average may be had cheaper when the stale share is known.
trait Measured: Gaps {
    fn harmonic_with(r: f64, _stale: f64) -> f64 {
        Self::harmonic(r)
    }
}

impl Measured for Fixed {
    fn harmonic_with(r: f64, stale: f64) -> f64 {
        ein(r) - stale
    }
}
impl Measured for Random {}
impl Measured for PurelyRandom {}

fn poisson<G: Measured>(items: &Items, frequency: &[f64]) -> [Sum; 5] {
    let rate = &items.columns().rate;
    total(items, frequency, |i, f| if rate[i] > 0.0 { of_one::<G>(rate[i], f) } else { NEVER_STALE })
}

fn general(items: &Items, order: Order, frequency: &[f64]) -> [Sum; 5] {
    let in_metric = |metric| Staleness { metric, order };
    let average = |i: usize, f: f64, metric: Metric| {
        let staleness = in_metric(metric);
        if staleness.defined_for(items.model()) { staleness.average(&items.change(i), f) } else { f64::NAN }
    };
    total(items, frequency, |i, f| {
        let fresh = in_metric(Metric::Freshness).freshness(&items.change(i), f);
        let costs =
            [Metric::Freshness, Metric::Age, Metric::Content, Metric::Harmonic].map(|metric| average(i, f, metric));
        [fresh, costs[0], costs[1], costs[2], costs[3]]
    })
}

/// What an item that never changes measures.
const NEVER_STALE: Measures = [1.0, 0.0, 0.0, 0.0, 0.0];

/// How many items are added up plainly before the sum is compensated.
const STRETCH: usize = 64;

fn total(items: &Items, frequency: &[f64], measure: impl Fn(usize, f64) -> Measures) -> [Sum; 5] {
    let mut sums = [Sum::default(); 5];
    let len = items.len().min(frequency.len());
    for start in (0..len).step_by(STRETCH) {
        let mut part = [0.0; 5];
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

/// The mean cost of a plan in one metric; for freshness the stale share.
pub(super) fn mean(items: &Items, staleness: Staleness, frequency: &[f64]) -> f64 {
    if !staleness.defined_for(items.model()) {
        return f64::NAN;
    }
    let mut cost = Sum::default();
    for (i, &f) in frequency.iter().enumerate().take(items.len()) {
        let stake = items.stake(i);
        if stake > 0.0 {
            cost.add(stake * staleness.average(&items.change(i), f));
        }
    }
    cost.total() / items.total_stake()
}
