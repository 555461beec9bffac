//! The rules of thumb that crawlers in use today adapt their intervals by, with the defaults that they ship with.
//!
//! | rule | first | unchanged | changed | least | most | from |
//! |---|---|---|---|---|---|---|
//! | Nutch, `AdaptiveFetchSchedule` | 30 days | × 1.4 | × 0.8 | 1 minute | 365 days | `db.fetch.interval.default`, `db.fetch.schedule.adaptive.*` in nutch-default.xml |
//! | `StormCrawler`, `AdaptiveScheduler` | 1 day | × 1.5 | halfway to the least | 1 hour | 2 weeks | `fetchInterval.default`, `scheduler.adaptive.fetchInterval.*` |
//! | Miniflux, entry frequency | – | week / entries of the last week | | 5 minutes | 1 day | `SCHEDULER_ENTRY_FREQUENCY_*` |
//!
//! Nutch also shifts visits towards the moment of change (`sync_delta`, rate 0.3): an interval is at least the time since the last
//! change that was seen, and the next visit comes 0.3 of that time earlier. Taken to the letter that shift outgrows the longest
//! interval once nothing changes for long, and asks for the next visit at once, for ever (NUTCH-1564); here it is 0.3 of the
//! interval at most. Both crawlers see only whether a visit found a change; Miniflux sees the dates of the entries, all of which
//! a feed lists.
//!
//! None of them keeps to a budget. For a fair table all their intervals are multiplied by one factor, found by bisection, at
//! which the test takes as many visits as the budget allows. They run over the training part first, as they would have.

use super::scene::{Copy, Scene};
use super::tally::Tally;

const MINUTE: f64 = 1.0 / 1440.0;
const WEEK: f64 = 7.0;

/// A rule of thumb. Times are days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Nutch,
    StormCrawler,
    Miniflux,
}

/// Multiples of an interval and its bounds.
struct Settings {
    first: f64,
    unchanged: f64,
    changed: f64,
    /// The share of the least interval that is added after a change.
    rest: f64,
    least: f64,
    most: f64,
}

impl Rule {
    fn settings(self) -> Settings {
        match self {
            Self::Nutch => {
                Settings { first: 30.0, unchanged: 1.4, changed: 0.8, rest: 0.0, least: MINUTE, most: 365.0 }
            }
            Self::StormCrawler => {
                Settings { first: 1.0, unchanged: 1.5, changed: 0.5, rest: 0.5, least: 60.0 * MINUTE, most: 14.0 }
            }
            Self::Miniflux => {
                Settings { first: 1.0, unchanged: 1.0, changed: 1.0, rest: 0.0, least: 5.0 * MINUTE, most: 1.0 }
            }
        }
    }
}

/// Nutch's `sync_delta_rate`.
const SYNC_RATE: f64 = 0.3;

/// An item under a rule.
struct Client {
    rule: Rule,
    settings: Settings,
    factor: f64,
    interval: f64,
    /// When a visit last saw a change.
    modified: f64,
    /// The first change of the last week.
    week: usize,
}

impl Client {
    fn new(rule: Rule, factor: f64, start: f64) -> Self {
        let settings = rule.settings();
        Self { rule, interval: settings.first * factor, settings, factor, modified: start, week: 0 }
    }

    /// How long after a visit at `now` the next one comes; `seen` are the item's changes up to now.
    fn wait(&mut self, now: f64, changed: bool, seen: &[f64]) -> f64 {
        let Settings { unchanged, changed: shrink, rest, least, most, .. } = self.settings;
        let (least, most) = (least * self.factor, most * self.factor);
        if self.rule == Rule::Miniflux {
            while seen.get(self.week).is_some_and(|&change| change <= now - WEEK) {
                self.week += 1;
            }
            let entries = (seen.len() - self.week) as f64;
            // Without entries the week is divided by none: the longest interval.
            return (self.factor * WEEK / entries).clamp(least, most);
        }
        self.interval = if changed { shrink * self.interval + rest * least } else { unchanged * self.interval };
        if changed {
            self.modified = now;
        }
        let since = if self.rule == Rule::Nutch { now - self.modified } else { 0.0 };
        self.interval = self.interval.max(since).clamp(least, most);
        self.interval - SYNC_RATE * since.min(self.interval)
    }
}

/// Makes the visits of one item at a factor; returns how many the test took, at most `limit`.
fn walk(rule: Rule, factor: f64, scene: &Scene, item: usize, limit: usize, mut tally: Option<&mut Tally>) -> usize {
    let (changes, future) = scene.changes(item);
    let start = scene.start(item);
    let mut client = Client::new(rule, factor, start);
    let mut copy = Copy::new(changes, changes.partition_point(|&change| change <= start));
    let mut at = start + Scene::phase(item) * client.interval;
    let mut visits = 0;
    let mut rehearsed = 0;
    while at < scene.horizon {
        if at >= 0.0 {
            if visits >= limit {
                return visits;
            }
            visits += 1;
            copy.catch_up(future);
        } else {
            // A rule that fell into its shortest interval may do so only after the split.
            rehearsed += 1;
            if rehearsed > MOST_REHEARSALS {
                return limit;
            }
        }
        let missed = copy.visit(at);
        if at >= 0.0
            && let Some(tally) = &mut tally
        {
            tally.visit(scene, item, at, missed);
        }
        at += client.wait(at, missed.is_some(), &changes[..copy.seen()]);
    }
    if let Some(tally) = tally {
        copy.catch_up(future);
        tally.end(scene, item, copy.missed());
    }
    visits
}

/// The most visits to one item before the test.
const MOST_REHEARSALS: usize = 1_000_000;
/// How close to the budget is close enough.
const CLOSE: f64 = 0.002;
const MOST_TRIALS: usize = 40;

/// A rule being brought to the budget, and then replayed.
#[derive(Debug)]
pub(super) struct Calibration {
    rule: Rule,
    target: f64,
    factor: f64,
    /// Too many visits below, too few above.
    low: f64,
    high: f64,
    /// How far the best factor so far is from the target, and which it is.
    best: (f64, f64),
    trials: usize,
    settled: bool,
    visits: usize,
    next: usize,
}

impl Calibration {
    pub fn new(rule: Rule, scene: &Scene) -> Self {
        Self {
            rule,
            target: scene.budget * scene.horizon,
            factor: 1.0,
            low: 0.0,
            high: f64::INFINITY,
            best: (f64::INFINITY, 1.0),
            trials: 0,
            settled: false,
            visits: 0,
            next: 0,
        }
    }

    /// What the rule's intervals are multiplied by.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// Makes about so many visits; returns the fraction that is done, as far as one can know.
    pub fn step(&mut self, scene: &Scene, tally: &mut Tally, visits: usize) -> f64 {
        let mut left = visits;
        // Far too many are as good as any more.
        let limit = 4 * to_count(self.target) + 100;
        while left > 0 {
            if self.next == scene.len() || (!self.settled && self.visits >= limit) {
                if self.settled {
                    break;
                }
                self.judge();
            }
            let made = if self.settled {
                walk(self.rule, self.factor, scene, self.next, usize::MAX, Some(tally))
            } else {
                walk(self.rule, self.factor, scene, self.next, limit - self.visits, None)
            };
            self.visits += made;
            self.next += 1;
            left = left.saturating_sub(made + 1);
        }
        if self.settled && self.next == scene.len() {
            tally.promise_nothing();
            return 1.0;
        }
        let within = self.next as f64 / scene.len() as f64;
        // Eight trials are typical; a longer search only seems to wait.
        if self.settled { 0.9 + 0.1 * within } else { 0.9 * (1.0 - libm::exp2(-(self.trials as f64 + within) / 3.0)) }
    }

    /// Draws the conclusion of a trial, and sets the next factor.
    fn judge(&mut self) {
        let made = self.visits as f64;
        let miss = (made - self.target).abs();
        if miss < self.best.0 {
            self.best = (miss, self.factor);
        }
        *(if made > self.target { &mut self.low } else { &mut self.high }) = self.factor;
        self.trials += 1;
        self.settled = miss <= (CLOSE * self.target).max(0.5)
            || self.trials >= MOST_TRIALS
            || self.high / self.low - 1.0 < 1e-9
            || !(1e-12..1e12).contains(&self.factor);
        self.factor = if self.settled {
            self.best.1
        } else {
            // Visits are about as many as intervals are short.
            let guess = self.factor * (made / self.target).clamp(1.0 / 16.0, 16.0);
            match (self.low > 0.0, self.high.is_finite()) {
                (true, true) if !(guess > self.low && guess < self.high) || self.trials > 6 => {
                    (self.low * self.high).sqrt()
                }
                _ => guess,
            }
        };
        self.visits = 0;
        self.next = 0;
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and a few millions at most")]
fn to_count(visits: f64) -> usize {
    visits as usize
}
