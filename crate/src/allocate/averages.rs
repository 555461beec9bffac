//! What a plan comes to, in every metric at once.

use std::ops::Range;

use super::items::Items;
use super::market::{BLOCK, ONES, block_of, blocks, lanes};
use crate::change::Model;
use crate::numeric::sum::Sum;
use crate::staleness::gaps::{Fixed, Gaps, PurelyRandom, Random};
use crate::staleness::many::{Column, ManyCosts};
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
    measure(items, Staleness { metric: Metric::default(), order }, frequency).averages
}

/// What a plan comes to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    pub(super) averages: Averages,
    /// The mean cost in the metric asked about: for freshness the stale share, with its own digits where freshness is close
    /// to 1.
    pub(super) cost: f64,
}

/// The averages of a plan.
pub(super) fn measure(items: &Items, staleness: Staleness, frequency: &[f64]) -> Measured {
    if items.model() == Model::Poisson {
        return survey(items, staleness, frequency, |_, _| ());
    }
    let mut sums = [Sum::default(); 5];
    for rows in blocks(items.len().min(frequency.len())) {
        add(&mut sums, general(items, staleness.order, &rows, &frequency[rows.clone()]));
    }
    means(items, staleness.metric, sums)
}

/// The averages of a plan and, on the way, what more of each row would be worth: `visit` is given each block of rows with
/// their b. For Poisson items one exponential serves for both.
pub(super) fn survey(
    items: &Items,
    staleness: Staleness,
    frequency: &[f64],
    mut visit: impl FnMut(Range<usize>, &[f64]),
) -> Measured {
    let mut sums = [Sum::default(); 5];
    let mut worth = [0.0; BLOCK];
    let mut scratch = Scratch { interval: [0.0; BLOCK], r: [0.0; BLOCK], costs: ManyCosts::EMPTY };
    for rows in blocks(items.len().min(frequency.len())) {
        let frequency = &frequency[rows.clone()];
        let worth = &mut worth[..rows.len()];
        let part = if items.model() == Model::Poisson {
            let rate = &items.columns().rate[rows.clone()];
            let stake = block_of(items.stake_column(), &ONES, &rows);
            Poisson { staleness, rate, stake, frequency }.survey(&mut scratch, worth)
        } else {
            for ((i, &f), worth) in rows.clone().zip(frequency).zip(worth.iter_mut()) {
                *worth = items.benefit(staleness, i, f);
            }
            general(items, staleness.order, &rows, frequency)
        };
        add(&mut sums, part);
        visit(rows, worth);
    }
    means(items, staleness.metric, sums)
}

fn means(items: &Items, metric: Metric, sums: [Sum; 5]) -> Measured {
    let [freshness, stale, age, content, harmonic] = sums.map(|sum| sum.total() / items.total_stake());
    let averages = Averages { freshness, age, content, harmonic };
    Measured { averages, cost: if metric == Metric::Freshness { stale } else { averages.get(metric) } }
}

fn add<const N: usize>(sums: &mut [Sum; N], part: [f64; N]) {
    for (sum, part) in sums.iter_mut().zip(part) {
        sum.add(part);
    }
}

/// What is known of a block of Poisson items on the way to their averages.
struct Scratch {
    interval: Column,
    r: Column,
    costs: ManyCosts,
}

/// A block of Poisson items.
struct Poisson<'a> {
    staleness: Staleness,
    rate: &'a [f64],
    stake: &'a [f64],
    frequency: &'a [f64],
}

impl Poisson<'_> {
    /// Sums of freshness, staleness, age, content and harmonic; `worth` gets each item's b.
    fn survey(&self, Scratch { interval, r, costs }: &mut Scratch, worth: &mut [f64]) -> [f64; 5] {
        let Staleness { metric, order } = self.staleness;
        let len = self.rate.len();
        // All of one length, so that no place needs to be checked.
        let (rate, frequency, worth) = (&self.rate[..len], &self.frequency[..len], &mut worth[..len]);
        for (k, (interval, r)) in interval[..len].iter_mut().zip(&mut r[..len]).enumerate() {
            *interval = 1.0 / frequency[k];
            *r = rate[k] * *interval;
        }
        let third = match order {
            Order::Fixed => {
                Fixed::many_costs(r, len, costs);
                Fixed::THIRD
            }
            Order::Random => {
                Random::many_costs(r, len, costs);
                Random::THIRD
            }
            Order::PurelyRandom => {
                PurelyRandom::many_costs(r, len, costs);
                PurelyRandom::THIRD
            }
        };
        let (interval, r) = (&interval[..len], &mut r[..len]);
        let (stale, age) = (&costs.stale[..len], &mut costs.age[..len]);
        let (gain_over_r, gain_age) = (&costs.gain_over_r[..len], &costs.gain_age[..len]);
        let first = |k: usize| match metric {
            _ if rate[k] <= 0.0 => 0.0,
            Metric::Freshness => 1.0 / rate[k],
            _ => f64::INFINITY,
        };
        for (k, worth) in worth.iter_mut().enumerate() {
            *worth = match metric {
                Metric::Freshness => gain_over_r[k] * interval[k],
                Metric::Age => gain_age[k] * interval[k] * interval[k],
                Metric::Content => third / 3.0 * r[k] * interval[k] * interval[k],
                Metric::Harmonic => stale[k] * interval[k],
            };
        }
        for (k, worth) in worth.iter_mut().enumerate() {
            if frequency[k] <= 0.0 {
                *worth = first(k);
            }
        }
        // Those are times; nobody needs r any more, and its place gets the content staleness.
        for k in 0..len {
            age[k] *= interval[k];
            r[k] *= third / 6.0 * interval[k];
        }
        [
            self.sum(1.0, &costs.fresh),
            self.sum(0.0, &costs.stale),
            self.sum(0.0, &costs.age),
            self.sum(0.0, r),
            self.sum(0.0, &costs.harmonic),
        ]
    }

    /// The sum over all items that weigh something; those that never change count as `never`, whatever visits there are.
    #[inline(never)] // five of them
    fn sum(&self, never: f64, each: &[f64]) -> f64 {
        let len = self.rate.len();
        let (rate, stake, each) = (self.rate, &self.stake[..len], &each[..len]);
        lanes(rate.len(), |k| match (stake[k] > 0.0, rate[k] > 0.0) {
            (true, true) => stake[k] * each[k],
            (true, false) => stake[k] * never,
            (false, _) => 0.0,
        })
    }
}

fn general(items: &Items, order: Order, rows: &Range<usize>, frequency: &[f64]) -> [f64; 5] {
    let mut sums = [0.0; 5];
    for (i, &f) in rows.clone().zip(frequency).filter(|&(i, _)| items.stake(i) > 0.0) {
        let (fresh, each) = (items.freshness(order, i, f), items.averages(order, i, f));
        for (sum, each) in sums.iter_mut().zip([fresh, each.stale, each.age, each.content, each.harmonic]) {
            *sum += items.stake(i) * each;
        }
    }
    sums
}

/// Freshness and age alone, for sweeps that show no more.
pub(super) fn fresh_and_age(items: &Items, order: Order, frequency: &[f64]) -> (f64, f64) {
    let mut sums = [Sum::default(); 2];
    for rows in blocks(items.len().min(frequency.len())) {
        let frequency = &frequency[rows.clone()];
        let part = if items.model() == Model::Poisson {
            let rate = &items.columns().rate[rows.clone()];
            let stake = block_of(items.stake_column(), &ONES, &rows);
            match order {
                Order::Fixed => fresh_and_age_of::<Fixed>(rate, stake, frequency),
                Order::Random => fresh_and_age_of::<Random>(rate, stake, frequency),
                Order::PurelyRandom => fresh_and_age_of::<PurelyRandom>(rate, stake, frequency),
            }
        } else {
            let age = Staleness { metric: Metric::Age, order };
            let mut sums = [0.0; 2];
            for (i, &f) in rows.clone().zip(frequency).filter(|&(i, _)| items.stake(i) > 0.0) {
                sums[0] += items.stake(i) * items.freshness(order, i, f);
                sums[1] += items.stake(i) * items.average(age, i, f);
            }
            sums
        };
        add(&mut sums, part);
    }
    let [freshness, age] = sums.map(|sum| sum.total() / items.total_stake());
    (freshness, age)
}

fn fresh_and_age_of<G: Gaps>(rate: &[f64], stake: &[f64], frequency: &[f64]) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for ((&rate, &stake), &f) in rate.iter().zip(stake).zip(frequency).filter(|&((_, &stake), _)| stake > 0.0) {
        let interval = 1.0 / f;
        let costs = G::costs(rate * interval);
        sums[0] += stake * if rate > 0.0 { costs.fresh } else { 1.0 };
        sums[1] += stake * if rate > 0.0 { costs.age * interval } else { 0.0 };
    }
    sums
}
