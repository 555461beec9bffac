//! Proof by replay (spec: "Proof by replay"): fit on the first part of a history, plan, and see what would have happened over
//! the rest, policy by policy.
//!
//! # What is replayed
//!
//! At the split every copy is up to date, whatever the policy. From then to the end of the test each policy makes its visits;
//! a copy is stale from the first change after its last visit until the next one, and its age counts from that change. An item
//! that is never visited is stale from its first change to the end of the window, and its age grows no further than that.
//! Means over time are exact, and weighted over items. Items that nothing was known of at the split are left out.
//!
//! # What is promised
//!
//! Beside each mean stands what the model that planned it expected *of these very visits in this very window*: between visits a
//! gap of length x costs C(x) = x·avg(x) in expectation, the first gap from the split and the last to the end included. Promise
//! and outcome thus count never-visited items alike. Uniform visits, which need no model, are judged by the Gamma–Poisson one;
//! the rules of thumb promise nothing. Weibull gaps are gaps between *changes*, whenever visits come, so that their C is that of
//! [`Recurrence`](crate::staleness::recurrence::Recurrence) and not that of the Allocate lab's Weibull items, which renew at visits.
//!
//! # Policies
//!
//! Frequencies from a plan are visited at even gaps, each item at its own phase (multiples of the golden ratio, so that the load
//! is even). The rules of thumb are run over the training part first, as they would have been, and slowed down or sped up
//! by one factor until they make as many visits as the others. `greedy` gives each slot to the item that is worth most just
//! then. `online` starts from the fit, sees nothing but whether each of its visits found a change, and plans anew every so often.
//! `hindsight` plans with the rates of the test itself: the ceiling for any plan of fixed frequencies.

mod check;
mod fixed;
mod greedy;
mod online;
mod rules;
mod scene;
mod tally;
mod verdict;

use serde::{Deserialize, Serialize};

use crate::change::estimate::FirstEvent;
use crate::problem::{Kind, Problem, Result};
use fixed::Fixed;
use greedy::Greedy;
use online::Online;
use rules::{Calibration, Rule};
use scene::Scene;
use tally::Tally;
pub use verdict::{Verdict, verdict};

/// Who decides when to visit what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Policy {
    /// All items alike.
    Uniform,
    /// In proportion to changes per time watched.
    Proportional,
    /// Best for freshness if changes are Poisson at n/τ.
    Optimal,
    /// Best for freshness with each rate as uncertain as its history leaves it.
    GammaPoisson,
    /// Best for freshness if gaps are Weibull of the fitted shapes.
    Weibull,
    /// Best for age.
    AgeOptimal,
    /// Best for the harmonic penalty.
    HarmonicOptimal,
    /// Frequencies as the cube root of weight × rate: best for content freshness.
    CubeRoot,
    /// Each slot to the item whose visit is worth most just then; no solver.
    Greedy,
    /// Nutch's adaptive schedule.
    Nutch,
    /// `StormCrawler`'s adaptive scheduler.
    StormCrawler,
    /// Miniflux's entry frequency.
    Miniflux,
    /// Best for freshness at the mean rates known by then, learning from its own visits and planning anew every so often.
    Online,
    /// Best for freshness with the rates of the test itself.
    Hindsight,
}

impl Policy {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Uniform,
        Self::Proportional,
        Self::Optimal,
        Self::GammaPoisson,
        Self::Weibull,
        Self::AgeOptimal,
        Self::HarmonicOptimal,
        Self::CubeRoot,
        Self::Greedy,
        Self::Nutch,
        Self::StormCrawler,
        Self::Miniflux,
        Self::Online,
        Self::Hindsight,
    ];

    /// Its name, as requests and replies have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Proportional => "proportional",
            Self::Optimal => "optimal",
            Self::GammaPoisson => "gamma-poisson",
            Self::Weibull => "weibull",
            Self::AgeOptimal => "age-optimal",
            Self::HarmonicOptimal => "harmonic-optimal",
            Self::CubeRoot => "cube-root",
            Self::Greedy => "greedy",
            Self::Nutch => "nutch",
            Self::StormCrawler => "storm-crawler",
            Self::Miniflux => "miniflux",
            Self::Online => "online",
            Self::Hindsight => "hindsight",
        }
    }

    /// The policy of a name.
    pub fn named(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.into_iter().map(Self::name).collect();
            let message = format!("there is no policy {name:?}");
            Problem::new(Kind::Value, message, format!("Choose from: {}.", known.join(", "))).in_column("policies")
        })
    }
}

/// What is to be replayed.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Which item each event is of.
    pub item: &'a [u32],
    /// When, in the order of no matter what.
    pub time: &'a [f64],
    /// How many items there are.
    pub items: usize,
    /// Start of the training part; the first event when left out.
    pub train_from: Option<f64>,
    /// Its end, where the test begins.
    pub train_to: f64,
    /// End of the test; the last event when left out.
    pub test_to: Option<f64>,
    /// Who is to be compared.
    pub policies: &'a [Policy],
    /// Visits per unit of time.
    pub budget: f64,
    /// Importance of each item; all 1 when left out.
    pub weight: Option<&'a [f64]>,
    /// A change within this span of the last one counted is not counted.
    pub merge_within: f64,
    /// What the first event of an item is.
    pub first: FirstEvent,
    /// How often `online` plans anew; a twelfth of the test when left out.
    pub replan_every: Option<f64>,
    /// How many points the curves have.
    pub points: usize,
}

/// What a policy came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Who.
    pub policy: Policy,
    /// Visits made in the test.
    pub visits: usize,
    /// Mean freshness over the test.
    pub freshness: f64,
    /// Mean age over the test.
    pub age: f64,
    /// What the model expected of these visits; NaN for the rules of thumb, which have none.
    pub predicted_freshness: f64,
    /// Freshness above what was expected.
    pub difference: f64,
    /// What the model expected of age.
    pub predicted_age: f64,
    /// What a rule's intervals were multiplied by to make as many visits as the others; 1 for all else.
    pub factor: f64,
    /// Freshness at each point.
    pub freshness_curve: Vec<f64>,
    /// Age at each point.
    pub age_curve: Vec<f64>,
    /// Freshness of each item over the test.
    pub item_freshness: Vec<f64>,
    /// What the model expected of it; NaN where there is none.
    pub item_predicted: Vec<f64>,
    /// Visits to each item.
    pub item_visits: Vec<u32>,
}

/// What a replay found.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// Times of the curves.
    pub time: Vec<f64>,
    /// What each policy came to, in the order asked for.
    pub outcomes: Vec<Outcome>,
    /// Which items were replayed.
    pub item: Vec<u32>,
    /// Changes in the training part.
    pub train_changes: usize,
    /// Changes in the test.
    pub test_changes: usize,
    /// Start of the training part.
    pub train_from: f64,
    /// The split.
    pub train_to: f64,
    /// End of the test.
    pub test_to: f64,
    /// Who won, by how much, and whether the promises held.
    pub verdict: Verdict,
    /// What was assumed or left out, in sentences.
    pub notes: Vec<String>,
}

/// The whole replay; see [`Replay`] for doing it in steps.
pub fn replay(request: &Request) -> Result<Replayed> {
    let mut job = Replay::new(request)?;
    while job.step(usize::MAX)? < 1.0 {}
    job.finish()
}

/// One policy under way.
#[derive(Debug)]
enum Running {
    Fixed(Box<Fixed>),
    Rule(Box<Calibration>),
    Greedy(Box<Greedy>),
    Online(Box<Online>),
}

/// A replay under way, in steps so that it can show progress and be cancelled (by dropping it).
#[derive(Debug)]
pub struct Replay {
    scene: Scene,
    policies: Vec<Policy>,
    replan_every: f64,
    running: Option<(Running, Tally)>,
    outcomes: Vec<Outcome>,
}

impl Replay {
    /// Checks the request and fits the models.
    pub fn new(request: &Request) -> Result<Self> {
        check::request(request)?;
        let scene = Scene::new(request)?;
        let replan_every = check::replan_every(request, scene.horizon)?;
        Ok(Self { scene, policies: request.policies.to_vec(), replan_every, running: None, outcomes: Vec::new() })
    }

    /// Makes about that many more visits; returns the fraction that is done, 1 at the end.
    pub fn step(&mut self, visits: usize) -> Result<f64> {
        let Some(&policy) = self.policies.get(self.outcomes.len()) else { return Ok(1.0) };
        let (mut running, mut tally) = match self.running.take() {
            Some(under_way) => under_way,
            None => (self.start(policy)?, Tally::new(&self.scene)),
        };
        let scene = &self.scene;
        let part = match &mut running {
            Running::Fixed(job) => job.step(scene, &mut tally, visits),
            Running::Rule(job) => job.step(scene, &mut tally, visits),
            Running::Greedy(job) => job.step(scene, &mut tally, visits),
            Running::Online(job) => job.step(scene, &mut tally, visits)?,
        };
        if part < 1.0 {
            self.running = Some((running, tally));
        } else {
            let factor = if let Running::Rule(job) = &running { job.factor() } else { 1.0 };
            self.outcomes.push(tally.finish(scene, policy, factor));
        }
        let part = if part < 1.0 { part } else { 0.0 };
        Ok((self.outcomes.len() as f64 + part) / self.policies.len() as f64)
    }

    fn start(&self, policy: Policy) -> Result<Running> {
        let scene = &self.scene;
        let rule = |rule| Ok(Running::Rule(Box::new(Calibration::new(rule, scene))));
        match policy {
            Policy::Nutch => rule(Rule::Nutch),
            Policy::StormCrawler => rule(Rule::StormCrawler),
            Policy::Miniflux => rule(Rule::Miniflux),
            Policy::Greedy => Ok(Running::Greedy(Box::new(Greedy::new(scene)))),
            Policy::Online => Ok(Running::Online(Box::new(Online::new(scene, self.replan_every)))),
            planned => Ok(Running::Fixed(Box::new(Fixed::new(scene, planned)?))),
        }
    }

    /// What was found.
    pub fn finish(self) -> Result<Replayed> {
        if self.outcomes.len() < self.policies.len() {
            let message = "The replay was stopped before its end.";
            return Err(Problem::new(Kind::Cancelled, message, "Let it run to the end, or ask for fewer policies."));
        }
        let Self { scene, outcomes, .. } = self;
        Ok(Replayed {
            time: (0..scene.points)
                .map(|point| scene.train_to + scene.horizon * point as f64 / (scene.points - 1) as f64)
                .collect(),
            verdict: verdict(&outcomes, scene.horizon),
            outcomes,
            train_changes: scene.train_changes,
            test_changes: scene.test_changes,
            train_from: scene.train_from,
            train_to: scene.train_to,
            test_to: scene.train_to + scene.horizon,
            notes: scene.notes,
            item: scene.kept,
        })
    }
}
