//! What all policies share: the items known at the split, what was fitted to their past, and what comes.

use super::Request;
use crate::allocate::{Columns, Items};
use crate::change::Model;
use crate::change::estimate::{Events, History, Rates, from_events, shrunken};
use crate::numeric::said::counted;
use crate::problem::{Kind, Problem, Result};
use crate::staleness::recurrence::Recurrence;

/// The items, their past and their future. Times count from the split: the past is negative.
#[derive(Debug)]
pub(super) struct Scene {
    /// Length of the test.
    pub horizon: f64,
    /// Visits per unit of time.
    pub budget: f64,
    pub points: usize,
    /// Each item's share of the total weight.
    pub weight: Vec<f64>,
    /// What was fitted to the training part.
    pub rates: Rates,
    /// The items' places in the request.
    pub kept: Vec<u32>,
    pub train_from: f64,
    pub train_to: f64,
    pub train_changes: usize,
    pub test_changes: usize,
    pub notes: Vec<String>,
    /// Changes of each item, past and future, one item after another.
    time: Vec<f64>,
    offset: Vec<usize>,
    /// Where each item's future starts in `time`.
    future: Vec<usize>,
    /// When each item's watching started.
    start: Vec<f64>,
}

impl Scene {
    pub fn new(request: &Request) -> Result<Self> {
        let Request { item, time, items, train_from, train_to, test_to, merge_within, first, .. } = *request;
        let events = Events { item, time, items, from: train_from, to: test_to, merge_within, first };
        let history = History::new(&events)?;
        if !(history.from() < train_to && train_to < history.to()) {
            return Err(Problem::new(
                Kind::Value,
                format!(
                    "the split at {train_to} is not within the history, which goes from {} to {}",
                    history.from(),
                    history.to()
                ),
                "Choose a split between the first event and the last, or give trainFrom and testTo.",
            )
            .in_column("trainTo"));
        }
        let known: Vec<usize> = (0..items).filter(|&i| history.start(i) < train_to).collect();
        let weight: Vec<f64> = known.iter().map(|&i| request.weight.map_or(1.0, |weight| weight[i])).collect();
        let total: f64 = weight.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            return Err(Problem::new(
                Kind::Value,
                format!("the weights of the {} items known at the split add up to {total}", known.len()),
                "Choose a later split, or give at least one of the items known by then a weight above 0.",
            )
            .in_column("weight"));
        }
        let history = if known.len() < items { history.select(&known) } else { history };
        let (past, _) = history.split(train_to);
        let mut scene = Self {
            horizon: history.to() - train_to,
            budget: request.budget,
            points: request.points,
            weight: weight.iter().map(|w| w / total).collect(),
            rates: from_events(&past),
            train_from: history.from(),
            train_to,
            train_changes: past.events(),
            test_changes: history.events() - past.events(),
            notes: Vec::new(),
            time: Vec::with_capacity(history.events()),
            offset: vec![0],
            future: Vec::with_capacity(known.len()),
            start: (0..known.len()).map(|i| history.start(i) - train_to).collect(),
            kept: known.iter().map(|&i| u32::try_from(i).unwrap_or(u32::MAX)).collect(),
        };
        for i in 0..known.len() {
            scene.time.extend(history.changes(i).iter().map(|t| t - train_to));
            scene.offset.push(scene.time.len());
            scene.future.push(past.changes(i).len());
        }
        scene.note(request, items - known.len(), &history);
        Ok(scene)
    }

    fn note(&mut self, request: &Request, unknown: usize, history: &History) {
        if request.train_from.is_none() || request.test_to.is_none() {
            self.notes.push("The observation window was taken from the first and last event.".into());
        }
        if unknown > 0 {
            let left_out = counted(unknown as f64, "item");
            self.notes.push(format!("Left out: {left_out} of which nothing was known at the split."));
        }
        self.notes.extend(history.notes());
    }

    pub fn len(&self) -> usize {
        self.weight.len()
    }

    /// All changes of an item, and how many of them are past.
    pub fn changes(&self, item: usize) -> (&[f64], usize) {
        (&self.time[self.offset[item]..self.offset[item + 1]], self.future[item])
    }

    /// When an item's watching started, before the split.
    pub fn start(&self, item: usize) -> f64 {
        self.start[item]
    }

    /// The copy of an item, up to date at the split.
    pub fn copy(&self, item: usize) -> Copy<'_> {
        let (changes, future) = self.changes(item);
        Copy { changes, next: future }
    }

    /// Where in its round an item is when the test starts, evenly spread over the items.
    pub fn phase(item: usize) -> f64 {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        ((item as f64 + 0.5) * GOLDEN).fract()
    }

    /// The mean rates that the history and the other items leave.
    pub fn means(&self) -> impl Iterator<Item = f64> + '_ {
        self.rates.alpha.iter().zip(&self.rates.beta).map(|(alpha, beta)| alpha / beta)
    }

    /// The items as changing at these means with Weibull gaps, of shapes that are drawn towards the common one.
    pub fn recurrences(&self) -> Vec<Recurrence> {
        let (shape, _) = shrunken(&self.rates.shape, &self.rates.gaps);
        self.means().zip(shape).map(|(mean, shape)| Recurrence::new(mean, shape)).collect()
    }

    /// The items with rates as uncertain as their histories leave them.
    pub fn uncertain(&self) -> Result<Items> {
        let (alpha, beta) = (Some(self.rates.alpha.clone()), Some(self.rates.beta.clone()));
        let weight = Some(self.weight.clone());
        Items::new(Model::GammaPoisson, Columns { weight, alpha, beta, ..Columns::default() })
    }

    /// Poisson items with these rates.
    #[inline(never)]
    pub fn certain(&self, rate: Vec<f64>) -> Result<Items> {
        Items::new(Model::Poisson, Columns { rate, weight: Some(self.weight.clone()), ..Columns::default() })
    }

    /// The rates of the test itself.
    pub fn future_rates(&self) -> Vec<f64> {
        let count = |item| self.changes(item).0.len() - self.changes(item).1;
        (0..self.len()).map(|item| count(item) as f64 / self.horizon).collect()
    }
}

/// A copy of an item: which of its changes have been seen.
#[derive(Debug, Clone)]
pub(super) struct Copy<'a> {
    changes: &'a [f64],
    next: usize,
}

impl<'a> Copy<'a> {
    /// A copy that has seen so many of these changes.
    pub fn new(changes: &'a [f64], seen: usize) -> Self {
        Self { changes, next: seen }
    }

    /// Visits at a time: the first change since the last visit, if there was one.
    pub fn visit(&mut self, at: f64) -> Option<f64> {
        let missed = self.missed().filter(|first| *first <= at);
        while self.missed().is_some_and(|change| change <= at) {
            self.next += 1;
        }
        missed
    }

    /// The first change that has not been seen.
    pub fn missed(&self) -> Option<f64> {
        self.changes.get(self.next).copied()
    }

    /// How many changes have been seen.
    pub fn seen(&self) -> usize {
        self.next
    }

    /// Takes the first so many changes as seen.
    pub fn catch_up(&mut self, seen: usize) {
        self.next = self.next.max(seen);
    }
}
