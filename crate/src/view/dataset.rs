//! A loaded set of items, the knobs that a person turns, and the last plan made, kept so that later questions (a row's
//! "why?", the timetable, a simulation) speak of the same plan.

use serde::Deserialize;

use super::rows::RowsQuery;

use std::rc::Rc;
use std::sync::Arc;

use crate::allocate::{self, Allocation, Columns, Goal, Items, Policy, Question, Sketch};
use crate::change::{Change, Model};
use crate::ingest::{self, Ids, Mapped};
use crate::problem::{Kind, Problem, Result};
use crate::staleness::{Metric, Order, Staleness, gamma_database};

/// The gamma database among the examples (Cho's Table 3): the mean rate a day, δ, and how many elements.
const GAMMA: (f64, f64, usize) = (1.0, 1.0, 500);
/// The most that a person may ask for.
const MOST_GAMMA_ITEMS: usize = 1_000_000;
/// Beyond this nearly all elements never change and a few change all the time.
const MOST_GAMMA_DELTA: f64 = 10.0;

/// What a person can turn in the Allocate lab. Times are in days, frequencies per day.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Knobs {
    /// How items change.
    pub model: Model,
    /// What is wanted.
    pub metric: Metric,
    /// How regular visits are.
    pub order: Order,
    /// How visits are shared out.
    pub policy: Policy,
    /// Visits a day; this or `target`.
    pub budget: Option<f64>,
    /// Mean of the metric to reach with the least budget; this or `budget`.
    pub target: Option<f64>,
    /// Weibull's shape for all items, where the file has none. The mean time between changes stays what the rate says.
    pub shape: Option<f64>,
    /// Gamma–Poisson: how many changes each rate was estimated from, where the file has no alpha and beta.
    pub evidence: Option<f64>,
    /// Most visits a day to any one host.
    pub host_cap: Option<f64>,
    /// No item more often than every so many days.
    pub min_every: Option<f64>,
    /// Every item at least every so many days.
    pub max_every: Option<f64>,
}

impl Knobs {
    /// The pair that turns a change model into costs.
    #[must_use]
    pub fn staleness(&self) -> Staleness {
        Staleness { metric: self.metric, order: self.order }
    }

    /// Budget or target, whichever is given.
    pub fn goal(&self) -> Result<Goal> {
        match (self.budget, self.target) {
            (Some(budget), None) => Ok(Goal::Budget(budget)),
            (None, Some(target)) => Ok(Goal::Target(target)),
            _ => Err(Problem::new(
                Kind::Field,
                "a plan needs either a budget or a target",
                "Give one of the two: visits a day, or the mean to reach.",
            )),
        }
    }

    /// Whether the same items, as the solver sees them, serve these knobs too.
    fn same_items(&self, other: &Self) -> bool {
        self.model == other.model
            && self.shape == other.shape
            && self.evidence == other.evidence
            && self.min_every == other.min_every
            && self.max_every == other.max_every
    }
}

/// What a set is and how to speak of its items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct About {
    /// Name of the file or example.
    pub title: String,
    /// What one item is: "package".
    pub noun: String,
    /// What many are: "packages".
    pub plural: String,
    /// Where the data come from, with the attribution that their licence asks for.
    pub source: String,
    /// A budget that makes a good first plan; 0 where one must be chosen from the data.
    pub budget: f64,
    /// What was assumed while reading.
    pub notes: Vec<String>,
}

/// A loaded set of items. Rates are per day.
pub struct Dataset {
    pub(super) about: About,
    pub(super) ids: Rc<Ids>,
    pub(super) columns: Columns,
    pub(super) hosts: Vec<String>,
    pub(super) last_sync: Option<Vec<f64>>,
    pub(super) solved: Option<Solved>,
    /// The rows in the order that the table was last asked for.
    pub(super) order: Option<(RowsQuery, Vec<u32>)>,
}

/// The last plan, with what is compared with it.
pub(super) struct Solved {
    pub(super) knobs: Knobs,
    pub(super) items: Rc<Items>,
    pub(super) budget: f64,
    /// The plan of the chosen policy.
    pub(super) chosen: Rc<Allocation>,
    pub(super) uniform: Sketch,
    pub(super) proportional: Sketch,
    pub(super) optimal: Rc<Allocation>,
}

impl Dataset {
    /// A set of the given columns, checked under the model that its columns suit.
    pub fn new(
        about: About,
        ids: Ids,
        columns: Columns,
        hosts: Vec<String>,
        last_sync: Option<Vec<f64>>,
    ) -> Result<Self> {
        let mut dataset = Self { about, ids: Rc::new(ids), columns, hosts, last_sync, solved: None, order: None };
        let items = dataset.items(&Knobs { model: dataset.native_model(), ..Knobs::default() })?;
        if dataset.columns.rate.is_empty() {
            dataset.columns.rate = (0..items.len()).map(|i| items.change(i).mean_rate()).collect();
        }
        if dataset.about.budget <= 0.0 {
            dataset.about.budget = first_budget(&items);
        }
        Ok(dataset)
    }

    /// A file that was mapped. Rows with bad cells are left out if `drop_bad`; otherwise there must be none.
    pub fn from_file(name: &str, mapped: Mapped, drop_bad: bool) -> Result<Self> {
        let about = About { title: name.into(), noun: "item".into(), plural: "items".into(), ..About::default() };
        Self::from_mapped(about, if drop_bad { mapped.drop_bad() } else { mapped })
    }

    fn from_mapped(mut about: About, mapped: Mapped) -> Result<Self> {
        mapped.check()?;
        let (host, hosts) = mapped.host.map(|hosts| (hosts.index, hosts.names)).unzip();
        about.notes = mapped.notes;
        let columns = Columns {
            rate: mapped.rate,
            weight: mapped.weight,
            cost: mapped.cost,
            count: mapped.count,
            min: mapped.min,
            max: mapped.max,
            shape: mapped.shape,
            alpha: mapped.alpha,
            beta: mapped.beta,
            host,
        };
        Self::new(about, mapped.ids, columns, hosts.unwrap_or_default(), mapped.last_sync)
    }

    /// One of the examples. The bytes of its file go through the same reader and mapper as a person's own; one without a
    /// file needs none.
    pub fn example(name: &str, bytes: Option<&[u8]>) -> Result<Self> {
        let is_list = |example: &&ingest::Example| example.split.is_none() && example.search.is_none();
        let example = ingest::example(name).filter(is_list).ok_or_else(|| {
            let names: Vec<&str> = ingest::EXAMPLES.iter().filter(is_list).map(|example| example.name).collect();
            Problem::new(
                Kind::Value,
                format!("there is no example \"{name}\""),
                format!("Choose one of: {}.", names.join(", ")),
            )
        })?;
        let about = About {
            title: example.title.into(),
            noun: example.noun.into(),
            plural: example.nouns.into(),
            source: example.source.into(),
            budget: example.budget,
            notes: Vec::new(),
        };
        let Some(file) = example.file else {
            let (mean, delta, items) = GAMMA;
            return Self::from_gamma(about, mean, delta, items);
        };
        let bytes = bytes.ok_or_else(|| {
            Problem::new(
                Kind::Field,
                format!("the example \"{name}\" is read from its file {file}, which was not given"),
                "Hand in the bytes of that file.",
            )
            .in_column("bytes")
        })?;
        let mut reader = ingest::Reader::new(file);
        reader.push(bytes)?;
        reader.end();
        while !reader.step()?.done {}
        let table = Arc::new(reader.finish()?);
        let mut mapper = ingest::Mapper::new(Arc::clone(&table), table.understood().mapping())?;
        while !mapper.step().done {}
        Self::from_mapped(about, mapper.finish())
    }

    /// Cho's gamma database: `items` rates that follow a gamma distribution with this mean and ratio δ of standard
    /// deviation to mean.
    pub fn gamma(mean: f64, delta: f64, items: usize) -> Result<Self> {
        let about = About {
            title: format!("gamma database, mean {mean}, δ {delta}"),
            noun: "element".into(),
            plural: "elements".into(),
            source: "Cho and Garcia-Molina, section 5.1".into(),
            budget: mean * items as f64,
            notes: Vec::new(),
        };
        Self::from_gamma(about, mean, delta, items)
    }

    fn from_gamma(about: About, mean: f64, delta: f64, items: usize) -> Result<Self> {
        if items == 0 || items > MOST_GAMMA_ITEMS {
            return Err(Problem::new(
                Kind::Size,
                format!("a gamma database of {items} elements was asked for, but it has 1 to {MOST_GAMMA_ITEMS}"),
                "A few hundred show its shape.",
            )
            .in_column("items"));
        }
        if !(0.0..=MOST_GAMMA_DELTA).contains(&delta) {
            return Err(Problem::new(
                Kind::Value,
                format!("`delta` is {delta}, not a number from 0 to {MOST_GAMMA_DELTA}"),
                "It is the standard deviation of the rates as a multiple of their mean: 1 is already very uneven.",
            )
            .in_column("delta"));
        }
        let rate = gamma_database::rates(positive(mean, "mean")?, delta, items);
        let ids = (1..=rate.len()).map(|k| format!("element {k}")).collect();
        Self::new(about, ids, Columns { rate, ..Columns::default() }, Vec::new(), None)
    }

    /// The model that the set's own columns ask for.
    #[must_use]
    pub fn native_model(&self) -> Model {
        if self.columns.rate.is_empty() {
            Model::GammaPoisson
        } else if self.columns.shape.is_some() {
            Model::Weibull
        } else {
            Model::Poisson
        }
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none; a set that was accepted has some.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The items' names.
    #[must_use]
    pub fn ids(&self) -> Rc<Ids> {
        Rc::clone(&self.ids)
    }

    /// The items as the solver sees them under these knobs.
    fn items(&self, knobs: &Knobs) -> Result<Items> {
        let file = &self.columns;
        let mut columns = Columns {
            rate: file.rate.clone(),
            weight: file.weight.clone(),
            cost: file.cost.clone(),
            count: file.count.clone(),
            host: file.host.clone(),
            min: bound(file.min.as_deref(), knobs.max_every, self.len(), f64::max, "maxEvery")?,
            max: bound(file.max.as_deref(), knobs.min_every, self.len(), f64::min, "minEvery")?,
            ..Columns::default()
        };
        match knobs.model {
            Model::Poisson => {}
            Model::Weibull => {
                if file.shape.is_some() {
                    columns.shape.clone_from(&file.shape);
                } else {
                    let shape = positive(knobs.shape.unwrap_or(1.0), "shape")?;
                    columns.rate.iter_mut().for_each(|rate| *rate = Change::weibull_rate(*rate, shape));
                    columns.shape = Some(vec![shape; self.len()]);
                }
            }
            Model::GammaPoisson => {
                if let (Some(alpha), Some(beta)) = (&file.alpha, &file.beta) {
                    columns.alpha = Some(alpha.clone());
                    columns.beta = Some(beta.clone());
                } else {
                    let evidence = positive(knobs.evidence.unwrap_or(3.0), "evidence")?;
                    // A rate estimated from k changes: Gamma(k, rate k/λ) has that mean; a rate of 0 stays a certain 0.
                    let (alpha, beta) = file
                        .rate
                        .iter()
                        .map(|&rate| if rate > 0.0 { (evidence, evidence / rate) } else { (0.0, 1.0) })
                        .unzip();
                    columns.alpha = Some(alpha);
                    columns.beta = Some(beta);
                }
                columns.rate = Vec::new();
            }
        }
        Items::new(knobs.model, columns)
    }

    /// Makes the plan for these knobs and the two that it is compared with, and keeps them.
    pub(super) fn solve(&mut self, knobs: &Knobs) -> Result<&Solved> {
        let previous = self.solved.take();
        self.order = None;
        let outcome = self.solve_anew(knobs, previous.as_ref());
        match outcome {
            Ok(solved) => Ok(self.solved.insert(solved)),
            Err(problem) => {
                // An impossible knob must not cost the plan that was there.
                self.solved = previous;
                Err(problem)
            }
        }
    }

    fn solve_anew(&self, knobs: &Knobs, previous: Option<&Solved>) -> Result<Solved> {
        let items = match previous {
            Some(solved) if solved.knobs.same_items(knobs) => Rc::clone(&solved.items),
            _ => Rc::new(self.items(knobs)?),
        };
        let host_caps = match knobs.host_cap {
            Some(cap) if !self.hosts.is_empty() => vec![cap; self.hosts.len()],
            _ => Vec::new(),
        };
        let question =
            |policy, goal| Question { staleness: knobs.staleness(), policy, goal, host_caps: host_caps.clone() };
        let goal = knobs.goal()?;
        let chosen = Rc::new(allocate::allocate(&items, &question(knobs.policy, goal))?);
        let budget = match goal {
            Goal::Budget(budget) => budget,
            Goal::Target(_) => chosen.spent,
        };
        let compare = |policy| {
            if policy == knobs.policy {
                Ok(Sketch { frequency: chosen.frequency.clone(), averages: chosen.averages })
            } else {
                allocate::sketch(&items, &question(policy, Goal::Budget(budget)))
            }
        };
        let uniform = compare(Policy::Uniform)?;
        let proportional = compare(Policy::Proportional)?;
        let optimal = if knobs.policy == Policy::Optimal {
            Rc::clone(&chosen)
        } else {
            Rc::new(allocate::allocate(&items, &question(Policy::Optimal, Goal::Budget(budget)))?)
        };
        Ok(Solved { knobs: knobs.clone(), items, budget, chosen, uniform, proportional, optimal })
    }

    /// The last plan.
    pub(super) fn solved(&self) -> Result<&Solved> {
        self.solved.as_ref().ok_or_else(|| {
            Problem::new(Kind::Value, "no plan has been made yet", "Ask for a plan before asking about it.")
        })
    }
}

/// A frequency bound of every item from the file's column and a knob in days, whichever binds (`tighter`).
fn bound(
    file: Option<&[f64]>,
    every: Option<f64>,
    len: usize,
    tighter: fn(f64, f64) -> f64,
    name: &str,
) -> Result<Option<Vec<f64>>> {
    let Some(every) = every else { return Ok(file.map(<[f64]>::to_vec)) };
    let knob = 1.0 / positive(every, name)?;
    Ok(Some(match file {
        Some(column) => column.iter().map(|&value| tighter(value, knob)).collect(),
        None => vec![knob; len],
    }))
}

fn positive(value: f64, name: &str) -> Result<f64> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Problem::new(Kind::Value, format!("`{name}` is {value}, not a number above 0"), "Choose a number above 0.")
        .in_column(name))
}

/// A round number of visits a day near half of what changes: enough to matter, too few for everything.
fn first_budget(items: &Items) -> f64 {
    let changes: f64 = (0..items.len()).map(|i| items.count(i) * items.cost(i) * items.change(i).mean_rate()).sum();
    if !(changes > 0.0 && changes.is_finite()) {
        return items.total_count();
    }
    let half = changes / 2.0;
    let magnitude = libm::pow(10.0, libm::floor(libm::log10(half)));
    (half / magnitude).round().max(1.0) * magnitude
}
