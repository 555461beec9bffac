//! Rates from logs (spec: "Where rates come from"): one estimator a file, the population's prior, and what the history says of
//! the Poisson assumption.
//!
//! ```
//! use afresh::change::estimate::{Events, FirstEvent, History, from_events};
//!
//! let (item, time) = ([0, 0, 0, 1], [3.0, 10.0, 20.0, 14.0]);
//! let history = History::new(&Events {
//!     item: &item, time: &time, items: 3, from: Some(0.0), to: Some(30.0), merge_within: 0.0, first: FirstEvent::Change,
//! })?;
//! let rates = from_events(&history);
//! assert_eq!(rates.rate, [0.1, 1.0 / 30.0, 0.0]);
//! // What never changed borrows from those that did.
//! assert!(rates.alpha[2] / rates.beta[2] > 0.0);
//! # Ok::<(), afresh::problem::Problem>(())
//! ```

pub mod diagnosis;
mod full;
mod gaps;
mod history;
pub mod item;
mod poisson_test;
mod prior;
mod visits;

pub use gaps::{Gaps, shrunken};
pub use history::{Events, FirstEvent, History, MOST_EVENTS, MOST_ITEMS, MOST_TIME};
pub use poisson_test::poisson_p;
pub use prior::{Gamma, population};
pub use visits::{Estimate, Method, Visits};

use crate::numeric::sort;
use crate::problem::{Figure, Kind, Problem, Result};

/// The rates of a set, one entry per item in every column. NaN where a history cannot tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates {
    /// Changes per unit of time.
    pub rate: Vec<f64>,
    /// Standard error.
    pub error: Vec<f64>,
    /// Lower end of the 95 % interval.
    pub low: Vec<f64>,
    /// Upper end of the 95 % interval; ∞ where every visit saw a change.
    pub high: Vec<f64>,
    /// Changes counted, or visits that saw one.
    pub changes: Vec<f64>,
    /// Time watched.
    pub exposure: Vec<f64>,
    /// Shape of the Gamma that the rate follows, given its history and the population.
    pub alpha: Vec<f64>,
    /// Rate of that Gamma.
    pub beta: Vec<f64>,
    /// (s/m)² of the gaps.
    pub dispersion: Vec<f64>,
    /// How likely a Poisson process is to look at least as odd as this one.
    pub poisson_p: Vec<f64>,
    /// Weibull shape of the gaps.
    pub shape: Vec<f64>,
    /// Complete gaps between changes.
    pub gaps: Vec<f64>,
    /// Visits after the first; 0 where the whole history is known.
    pub visits: Vec<f64>,
    /// Rate in the second half of the watching over that in the first, half a change added to each.
    pub drift: Vec<f64>,
    /// How likely a steady rate is to drift at least so far.
    pub drift_p: Vec<f64>,
    /// How each rate was estimated.
    pub method: Vec<Method>,
    /// The population's Gamma.
    pub prior: Gamma,
}

impl Rates {
    fn with_capacity(items: usize) -> Self {
        let column = || Vec::with_capacity(items);
        Self {
            rate: column(),
            error: column(),
            low: column(),
            high: column(),
            changes: column(),
            exposure: column(),
            alpha: column(),
            beta: column(),
            dispersion: column(),
            poisson_p: column(),
            shape: column(),
            gaps: column(),
            visits: column(),
            drift: column(),
            drift_p: column(),
            method: Vec::with_capacity(items),
            prior: Gamma { alpha: 0.5, beta: 0.0 },
        }
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rate.len()
    }

    /// Whether there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rate.is_empty()
    }

    fn push(&mut self, estimate: &Estimate, changes: f64, exposure: f64) {
        self.rate.push(estimate.rate);
        self.error.push(estimate.error);
        self.low.push(estimate.low);
        self.high.push(estimate.high);
        self.method.push(estimate.method);
        self.changes.push(changes);
        self.exposure.push(exposure);
    }

    fn push_diagnosis(&mut self, history: &History, item: usize) {
        let (changes, gaps) = (history.changes(item), history.gaps(item));
        let (start, end) = (history.start(item), history.to());
        self.dispersion.push(gaps.dispersion());
        self.shape.push(gaps.shape());
        self.gaps.push(gaps.complete().count() as f64);
        self.poisson_p.push(poisson_p(changes, start, end));
        let [earlier, later] = history.halves(item);
        let (drift, p) = drift(earlier, later);
        self.drift.push(drift);
        self.drift_p.push(p);
    }
}

/// Rates from full histories: λ̂ = n/τ, with the posterior Gamma(n + a, τ + b).
#[must_use]
pub fn from_events(history: &History) -> Rates {
    from_events_of(history, None)
}

/// [`from_events`] of items out of a population that is known already.
#[must_use]
pub fn from_events_of(history: &History, prior: Option<Gamma>) -> Rates {
    let mut rates = Rates::with_capacity(history.len());
    for item in 0..history.len() {
        let (changes, exposure) = (history.changes(item).len() as f64, history.exposure(item));
        let (low, high) = full::interval(changes, exposure);
        let watched = exposure > 0.0;
        let estimate = Estimate {
            rate: if watched { changes / exposure } else { f64::NAN },
            // A Poisson count has its mean as its variance; no change still leaves one change's worth of doubt.
            error: if watched { changes.max(1.0).sqrt() / exposure } else { f64::NAN },
            low,
            high,
            method: if watched { Method::FullHistory } else { Method::Nothing },
        };
        rates.push(&estimate, changes, exposure);
        rates.push_diagnosis(history, item);
        rates.visits.push(0.0);
    }
    let evidence: Vec<(f64, f64)> = rates.changes.iter().copied().zip(rates.exposure.iter().copied()).collect();
    rates.prior = prior.unwrap_or_else(|| population(&evidence));
    for (changes, exposure) in evidence {
        rates.alpha.push(rates.prior.alpha + changes);
        rates.beta.push(positive(rates.prior.beta + exposure));
    }
    rates
}

/// A Gamma's rate must be above 0, also for an item that was never watched in a set of one.
fn positive(beta: f64) -> f64 {
    if beta > 0.0 { beta } else { 1.0 }
}

/// Visits as people bring them, in any order.
#[derive(Debug, Clone, Copy)]
pub struct VisitLog<'a> {
    /// Which item was visited.
    pub item: &'a [u32],
    /// When.
    pub time: &'a [f64],
    /// Whether it had changed since the visit before.
    pub changed: &'a [bool],
    /// When it was last modified, by its own account; NaN where unknown.
    pub last_modified: Option<&'a [f64]>,
    /// How many items there are.
    pub items: usize,
}

/// Rates from visits; the first visit to an item only sets the clock. What a visit log cannot show (gaps, drift) is NaN.
///
/// The posterior is the Gamma that fits the likelihood times the prior at its peak, in ln λ; for full histories that would be
/// exact.
pub fn from_visits(log: &VisitLog) -> Result<Rates> {
    from_visits_of(log, None)
}

/// [`from_visits`] of items out of a population that is known already.
pub fn from_visits_of(log: &VisitLog, prior: Option<Gamma>) -> Result<Rates> {
    let visits = collect(log)?;
    let mut rates = Rates::with_capacity(visits.len());
    let mut evidence = Vec::with_capacity(visits.len());
    for own in &visits {
        rates.push(&own.estimate(), own.changes(), own.exposure());
        for column in
            [&mut rates.dispersion, &mut rates.poisson_p, &mut rates.shape, &mut rates.drift, &mut rates.drift_p]
        {
            column.push(f64::NAN);
        }
        rates.gaps.push(0.0);
        rates.visits.push(own.visits());
        let centre = own.centre();
        evidence.push(if centre.is_nan() { (0.0, 0.0) } else { own.as_gamma(centre) });
    }
    rates.prior = prior.unwrap_or_else(|| population(&evidence));
    for (own, (count, time)) in visits.iter().zip(evidence) {
        let (mut alpha, mut beta) = (rates.prior.alpha + count, positive(rates.prior.beta + time));
        // Each round looks at the likelihood from the peak of the posterior that the round before found.
        for _ in 0..8 {
            let (count, time) = if time > 0.0 { own.as_gamma(alpha / beta) } else { (0.0, 0.0) };
            (alpha, beta) = (rates.prior.alpha + count, positive(rates.prior.beta + time));
        }
        rates.alpha.push(alpha);
        rates.beta.push(beta);
    }
    Ok(rates)
}

/// The visits of each item.
fn collect(log: &VisitLog) -> Result<Vec<Visits>> {
    let VisitLog { item, time, changed, last_modified, items } = *log;
    let lengths = [
        ("time", time.len()),
        ("changed", changed.len()),
        ("lastModified", last_modified.map_or(item.len(), <[f64]>::len)),
    ];
    if let Some((name, length)) = lengths.into_iter().find(|(_, length)| *length != item.len()) {
        let message = format!("`item` has {} entries and `{name}` {length}", item.len());
        return Err(Problem::new(Kind::Length, message, "Give every visit all of its values.").in_column(name));
    }
    if items == 0 || items > MOST_ITEMS || item.len() > MOST_EVENTS {
        let message =
            format!("{} visits to {items} items: there must be some, and at most {MOST_ITEMS} items", item.len());
        return Err(Problem::new(Kind::Size, message, "Give at least one visit, or split the set.").in_column("item"));
    }
    history::check_times("time", time)?;
    // By item, then by time; visits at one moment keep the order of the file.
    let by_time = sort::order(time.iter().copied(), false);
    let by_item = sort::order(by_time.iter().map(|&row| f64::from(item[row as usize])), false);
    let order: Vec<u32> = by_item.into_iter().map(|place| by_time[place as usize]).collect();
    let mut visits = vec![Visits::default(); items];
    for pair in order.windows(2) {
        let [before, now] = [pair[0] as usize, pair[1] as usize];
        let gap = time[now] - time[before];
        if item[before] == item[now] && gap > 0.0 {
            let since = last_modified.map(|stamps| time[now] - stamps[now]).filter(|since| since.is_finite());
            let own = visits.get_mut(item[now] as usize).ok_or_else(|| out_of_range(now, item[now], items))?;
            own.add(gap, changed[now], since);
        }
    }
    match item.iter().position(|&i| i as usize >= items) {
        Some(row) => Err(out_of_range(row, item[row], items)),
        None => Ok(visits),
    }
}

fn out_of_range(row: usize, item: u32, items: usize) -> Problem {
    let message =
        format!("visit {row} (counting from 0) is to item {}, but there are {items}", Figure(f64::from(item)));
    Problem::new(Kind::Value, message, "Number the items 0, 1, 2, ….").at_row(row).in_column("item")
}

/// Later over earlier changes, half a change added to each, and the two-sided p-value: given their sum, a steady rate puts each
/// change into either half with chance ½ (normal approximation, corrected for whole counts).
fn drift(earlier: usize, later: usize) -> (f64, f64) {
    let (a, b) = (earlier as f64, later as f64);
    if a + b == 0.0 {
        return (f64::NAN, f64::NAN);
    }
    let z = ((a - b).abs() - 1.0).max(0.0) / (a + b).sqrt();
    ((b + 0.5) / (a + 0.5), libm::erfc(z / core::f64::consts::SQRT_2))
}
