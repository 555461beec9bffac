//! Monte Carlo: histories drawn from the change models, visited as planned, with the freshness and age that result.
//!
//! # What is simulated
//!
//! The set is in its steady state. A run covers the window [0, horizon]. In it every item has visits at its frequency, at a
//! random phase, spaced by the order policy; and after each sync one draw decides when it first changes (a Weibull item is
//! renewed by the sync; a Gamma–Poisson item draws its rate once a run). Until then it is fresh, from then to the next visit it
//! is stale and its age grows with time. Time averages are integrated exactly over each gap, not read off the grid.
//!
//! An item that is never visited but changes is stale all along, its long-run state, and its age counts from the start of the
//! window; one that never changes is always fresh.
//!
//! # Work and memory
//!
//! A gap costs O(1) whatever the number of points (see `stretches.rs`). Memory is the items and O(points); runs are not kept.
//! Each item draws from a stream of its own in each run, so results depend neither on how work is cut into steps nor on what the other items do.

use super::check;
use super::draw::{FirstChange, Stream};
use super::spread::Spread;
use super::stretches::Stretches;
use super::visits::Visits;
use crate::change::Change;
use crate::problem::{Kind, Problem, Result};
use crate::staleness::Order;

/// Items visited less often than this are never visited: squares of longer gaps leave the range of numbers.
const LEAST_FREQUENCY: f64 = 1e-150;

/// What is to be simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request<'a> {
    /// How each item changes.
    pub changes: &'a [Change],
    /// What each item counts in the means: weight × count.
    pub weight: &'a [f64],
    /// How often each item is visited.
    pub frequency: &'a [f64],
    /// How regular the visits are.
    pub order: Order,
    /// The length of the window.
    pub horizon: f64,
    /// What the random numbers start from; the same seed gives the same bits.
    pub seed: u64,
    /// How many histories are drawn.
    pub runs: usize,
    /// How many equally spaced times, both ends of the window included, the curves have.
    pub points: usize,
}

/// What a simulation found; all means weighted.
///
/// A band (`…_low`, `…_high` of a curve) is where 95 % of single runs lie at that time: mean ± 1.96 standard deviations over
/// runs, within \[0, 1\] for freshness and not below 0 for age. The interval of a mean over time is the 95 % confidence interval
/// of that mean, by Student's t over runs. After a single run both are NaN.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// The times of the curves.
    pub time: Vec<f64>,
    /// The share of items that are fresh.
    pub freshness: Vec<f64>,
    /// Lower edge of the freshness band.
    pub freshness_low: Vec<f64>,
    /// Upper edge of the freshness band.
    pub freshness_high: Vec<f64>,
    /// The mean age.
    pub age: Vec<f64>,
    /// Lower edge of the age band.
    pub age_low: Vec<f64>,
    /// Upper edge of the age band.
    pub age_high: Vec<f64>,
    /// Freshness averaged over the window and the runs.
    pub mean_freshness: f64,
    /// Lower end of its confidence interval.
    pub mean_freshness_low: f64,
    /// Upper end of its confidence interval.
    pub mean_freshness_high: f64,
    /// Age averaged over the window and the runs.
    pub mean_age: f64,
    /// Lower end of its confidence interval.
    pub mean_age_low: f64,
    /// Upper end of its confidence interval.
    pub mean_age_high: f64,
    /// Runs that were completed.
    pub runs: usize,
    /// Visits in the window, per run.
    pub visits: f64,
    /// The seed it started from.
    pub seed: u64,
}

/// The whole simulation; see [`MonteCarlo`] for doing it in steps.
pub fn simulate(request: &Request) -> Result<Simulation> {
    let mut job = MonteCarlo::new(request)?;
    job.step(usize::MAX);
    job.finish()
}

#[derive(Debug, Clone, Copy)]
struct Item {
    change: Change,
    /// Its share of the total weight.
    weight: f64,
    frequency: f64,
}

/// A simulation under way, in steps so that it can show progress and be cut short.
#[derive(Debug)]
pub struct MonteCarlo {
    items: Vec<Item>,
    order: Order,
    horizon: f64,
    seed: u64,
    runs: usize,
    run: Run,
    next_item: usize,
    done: usize,
    visits: f64,
    freshness: Vec<Spread>,
    age: Vec<Spread>,
    mean_freshness: Spread,
    mean_age: Spread,
}

impl MonteCarlo {
    /// Checks the request and gets ready for the first run.
    pub fn new(request: &Request) -> Result<Self> {
        check::request(request)?;
        let Request { changes, weight, frequency, order, horizon, seed, runs, points } = *request;
        let total: f64 = weight.iter().sum();
        let items = (0..changes.len())
            .map(|i| Item { change: changes[i], weight: weight[i] / total, frequency: frequency[i] })
            .collect();
        Ok(Self {
            items,
            order,
            horizon,
            seed,
            runs,
            run: Run::new(seed, 0, horizon, points),
            next_item: 0,
            done: 0,
            visits: 0.0,
            freshness: vec![Spread::default(); points],
            age: vec![Spread::default(); points],
            mean_freshness: Spread::default(),
            mean_age: Spread::default(),
        })
    }

    /// Simulates about that many more visits, whole items at a time; returns the fraction that is done, 1 at the end.
    pub fn step(&mut self, visits: usize) -> f64 {
        let mut left = visits;
        while left > 0 && self.done < self.runs {
            let made = self.run.item(self.next_item as u64, &self.items[self.next_item], self.order);
            left = left.saturating_sub(made + 1);
            self.next_item += 1;
            if self.next_item == self.items.len() {
                self.complete_run();
            }
        }
        (self.done as f64 + self.next_item as f64 / self.items.len() as f64) / self.runs as f64
    }

    /// What the completed runs say, be they all or only some; a run that was cut short does not count.
    pub fn finish(self) -> Result<Simulation> {
        let runs = self.done;
        if runs == 0 {
            let hint = "Let at least one run finish, or simulate fewer items over a shorter horizon.";
            return Err(Problem::new(
                Kind::Cancelled,
                "The simulation was stopped before its first run was complete.",
                hint,
            ));
        }
        let edges = |curve: &[Spread], side: f64, most: f64| -> Vec<f64> {
            // `clamp` keeps NaN, which a single run has for its spread.
            curve.iter().map(|point| (point.mean + side * point.band(runs)).clamp(0.0, most)).collect()
        };
        let (fresh, old) = (self.mean_freshness, self.mean_age);
        Ok(Simulation {
            time: (0..self.freshness.len()).map(|point| self.run.stretches.time(point)).collect(),
            freshness: self.freshness.iter().map(|point| point.mean).collect(),
            freshness_low: edges(&self.freshness, -1.0, 1.0),
            freshness_high: edges(&self.freshness, 1.0, 1.0),
            age: self.age.iter().map(|point| point.mean).collect(),
            age_low: edges(&self.age, -1.0, f64::INFINITY),
            age_high: edges(&self.age, 1.0, f64::INFINITY),
            mean_freshness: fresh.mean,
            mean_freshness_low: (fresh.mean - fresh.interval(runs)).clamp(0.0, 1.0),
            mean_freshness_high: (fresh.mean + fresh.interval(runs)).clamp(0.0, 1.0),
            mean_age: old.mean,
            mean_age_low: (old.mean - old.interval(runs)).clamp(0.0, f64::INFINITY),
            mean_age_high: old.mean + old.interval(runs),
            runs,
            visits: self.visits / runs as f64,
            seed: self.seed,
        })
    }

    /// Takes the finished run into the statistics and starts the next.
    fn complete_run(&mut self) {
        self.done += 1;
        self.next_item = 0;
        for (point, (freshness, age)) in self.run.stretches.curves().enumerate() {
            self.freshness[point].add(freshness, self.done);
            self.age[point].add(age, self.done);
        }
        let (freshness, age) = self.run.stretches.means();
        self.mean_freshness.add(freshness, self.done);
        self.mean_age.add(age, self.done);
        self.visits += self.run.visits;
        self.run = Run::new(self.seed, self.done as u64, self.horizon, self.freshness.len());
    }
}

/// One history of the whole set, in the making.
#[derive(Debug)]
struct Run {
    key: u64,
    stretches: Stretches,
    visits: f64,
}

impl Run {
    fn new(seed: u64, run: u64, horizon: f64, points: usize) -> Self {
        Self { key: Stream::key(seed, run), stretches: Stretches::new(horizon, points), visits: 0.0 }
    }

    /// Simulates an item over the window; returns how many visits that took.
    fn item(&mut self, index: u64, item: &Item, order: Order) -> usize {
        let horizon = self.stretches.horizon();
        if item.frequency < LEAST_FREQUENCY {
            if !item.change.never() {
                self.stretches.add(item.weight, 0.0, f64::INFINITY);
            }
            return 0;
        }
        let mut stream = Stream::new(self.key, index);
        let change = FirstChange::new(&item.change, &mut stream);
        let mut visits = Visits::new(order, 1.0 / item.frequency, &mut stream);
        let mut synced = visits.next(&mut stream);
        let mut made = 0;
        while synced < horizon {
            let next = visits.next(&mut stream);
            if synced >= 0.0 {
                made += 1;
            }
            if next > 0.0 {
                let changed = synced + change.draw(&mut stream);
                if changed < next.min(horizon) {
                    self.stretches.add(item.weight, changed, next);
                }
            }
            synced = next;
        }
        self.visits += made as f64;
        made
    }
}
