//! How often each item (spec: "Allocation"): uniform, proportional, optimal.
//!
//! ```text
//! minimise Σ nᵢ wᵢ avgᵢ(fᵢ)   subject to   Σ nᵢ κᵢ fᵢ ≤ B,   Σ_{i on host h} nᵢ κᵢ fᵢ ≤ B_h,   loᵢ ≤ fᵢ ≤ hiᵢ
//! ```
//!
//! [`Items`] holds what is known of the items, a [`Question`] what is wanted, and [`allocate()`] answers with an
//! [`Allocation`]: the frequencies, what they cost, what they bring, and a certificate of how good they are.
//! [`sketch`] makes a plan without proof, [`tradeoff()`] answers for many budgets at once, [`frequency_curve`] and
//! [`split_curve`] draw the paper's figures.
//!
//! ```
//! use afresh::allocate::{Columns, Goal, Items, Question, allocate};
//! use afresh::change::Model;
//!
//! // Example 4 of Cho and Garcia-Molina: five elements that change 1 to 5 times a day, five visits a day.
//! let items = Items::new(Model::Poisson, Columns { rate: vec![1.0, 2.0, 3.0, 4.0, 5.0], ..Columns::default() })?;
//! let best = allocate(&items, &Question::new(Goal::Budget(5.0)))?;
//! assert_eq!(best.frequency[4], 0.0); // the fastest is given up
//! assert!((best.averages.freshness - 0.373889).abs() < 1e-6);
//! # Ok::<(), afresh::problem::Problem>(())
//! ```

mod averages;
mod certificate;
mod curve;
mod each;
mod hosts;
mod items;
mod many;
mod market;
mod search;
mod solve;
mod tradeoff;
mod two;

use serde::{Deserialize, Serialize};

pub use averages::{Averages, averages};
pub use curve::{Curve, frequency_curve};
pub use items::{Columns, Items};
pub use tradeoff::{PolicyCurve, Tradeoff, tradeoff};
pub use two::{Split, SplitCurve, crude_benefit, crude_best, split_curve};

use crate::change::Model;
use crate::problem::{Figure, Kind, Problem, Result};
use crate::staleness::{Metric, Staleness};
use certificate::{Marginal, Terms};
use market::Market;
use solve::{Solution, Unsolved};

/// How a budget is shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Policy {
    /// The best there is for the metric.
    #[default]
    Optimal,
    /// All items alike.
    Uniform,
    /// In proportion to how often items change: tempting, and mostly worse than uniform.
    Proportional,
}

/// What is given, and what is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// Requests (or whatever costs are counted in) per unit of time; the best metric is looked for.
    Budget(f64),
    /// The weighted mean to reach (freshness: at least; the others: at most); the least budget is looked for.
    Target(f64),
}

/// What is asked of a set of items.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What is wanted low, and how regular visits are.
    pub staleness: Staleness,
    /// How the budget is shared out.
    pub policy: Policy,
    /// A budget or a target.
    pub goal: Goal,
    /// The most that each host may be sent per unit of time, ∞ for no limit; empty when no host is capped.
    pub host_caps: Vec<f64>,
}

impl Question {
    /// The optimal policy for freshness under fixed order, without host caps.
    #[must_use]
    pub fn new(goal: Goal) -> Self {
        Self { staleness: Staleness::default(), policy: Policy::default(), goal, host_caps: Vec::new() }
    }
}

/// A plan, what it costs and brings, and how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Allocation {
    /// Visits per unit of time, one per row.
    pub frequency: Vec<f64>,
    /// What one more unit of budget takes off the objective Σ n·w·avg: the optimal policy's μ; for the other policies what
    /// a larger budget would buy under that policy. 0 when the budget does not bind.
    pub price: f64,
    /// Σ n·κ·f.
    pub spent: f64,
    /// What the plan comes to, in every metric.
    pub averages: Averages,
    /// How much of the cost might still be saved, relatively: (cost − lower bound)/cost. Rounding only for the optimal
    /// policy; for the others, how far they are from it.
    pub gap: f64,
    /// Rows that get no visits at all (frequency 0), whatever the reason.
    pub idle: usize,
    /// With host caps, the price at each host: `price`, or more where the host's cap binds.
    pub host_price: Option<Vec<f64>>,
}

/// A plan and what it comes to, without prices or proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Sketch {
    /// Visits per unit of time, one per row.
    pub frequency: Vec<f64>,
    /// What the plan comes to, in every metric.
    pub averages: Averages,
}

/// [`allocate()`] for plans that are only compared with another: for uniform and proportional a fraction of its cost, since
/// their gap takes an optimal plan of its own.
pub fn sketch(items: &Items, question: &Question) -> Result<Sketch> {
    let plan = answer(items, question)?.solution.plan;
    let averages = averages::measure(items, question.staleness, &plan).averages;
    Ok(Sketch { frequency: plan, averages })
}

/// Answers a question about items.
pub fn allocate(items: &Items, question: &Question) -> Result<Allocation> {
    let Answer { market, solution, host_own, budget, spent } = answer(items, question)?;
    let staleness = question.staleness;
    let (price, host_price) = prices(&market, &solution, &host_own);
    let (measured, gap) = if question.policy == Policy::Optimal {
        let terms = Terms { budget, price, host_caps: &question.host_caps, host_price: &host_price };
        let verdict = certificate::judge(items, staleness, &solution.plan, &terms);
        check_within(verdict.over)?;
        (verdict.measured, relative(verdict.excess, verdict.measured.cost * items.total_stake()))
    } else {
        let measured = averages::measure(items, staleness, &solution.plan);
        let best = Question { policy: Policy::Optimal, goal: Goal::Budget(budget), ..question.clone() };
        let best = allocate(items, &best)?;
        let bound = averages::measure(items, staleness, &best.frequency).cost * (1.0 - best.gap);
        (measured, relative(if bound == f64::INFINITY { 0.0 } else { measured.cost - bound }, measured.cost))
    };
    let gap = if items.total_stake() > 0.0 { gap } else { 0.0 };
    if gap.is_nan() {
        return Err(unsound("the plan could not be checked: its numbers are too large or too small"));
    }
    let idle = solution.plan.iter().filter(|&&f| f == 0.0).count();
    let host_price = (!question.host_caps.is_empty()).then_some(host_price);
    Ok(Allocation { frequency: solution.plan, price, spent, averages: measured.averages, gap, idle, host_price })
}

/// A plan with the market that it was made in.
struct Answer<'a> {
    market: Market<'a>,
    solution: Solution,
    /// Each host's own price; 0 where its cap never binds.
    host_own: Vec<f64>,
    /// As given, or what the target takes.
    budget: f64,
    spent: f64,
}

fn answer<'a>(items: &'a Items, question: &Question) -> Result<Answer<'a>> {
    let staleness = question.staleness;
    check_defined(items.model(), staleness)?;
    hosts::check(items, &question.host_caps)?;
    let mut market = Market::new(items, question.policy, staleness);
    let (budget, target) = match question.goal {
        Goal::Budget(budget) => (check_budget(budget)?, None),
        Goal::Target(target) => (f64::INFINITY, Some(check_target(items, staleness.metric, target)?)),
    };
    let host_own = hosts::apply(&mut market, &question.host_caps)?;
    let solution = match target {
        None => solve::for_budget(&market, budget, None).map_err(|unsolved| out_of_budget(budget, unsolved))?,
        Some(target) => {
            solve::for_target(&market, target).map_err(|unsolved| out_of_reach(staleness.metric, target, unsolved))?
        }
    };
    let spent = spent_within(&market, &solution.plan, budget)?;
    let budget = if target.is_some() { spent } else { budget };
    Ok(Answer { market, solution, host_own, budget, spent })
}

/// excess / cost, at most 1 as no cost is below 0; 0 where nothing is there to be saved, NaN where nobody knows.
fn relative(excess: f64, cost: f64) -> f64 {
    if excess <= 0.0 || cost <= 0.0 {
        0.0
    } else if cost == f64::INFINITY && !excess.is_nan() {
        f64::from(u8::from(excess.is_infinite()))
    } else {
        let gap = excess / cost;
        if gap > 1.0 { 1.0 } else { gap }
    }
}

/// More than this above a budget, relatively, is no rounding.
const ROUNDING: f64 = 1e-10;

/// What a plan costs: finite, and within the budget.
fn spent_within(market: &Market, plan: &[f64], budget: f64) -> Result<f64> {
    let spent = market.spent(plan);
    if !spent.is_finite() {
        return Err(unsound("the plan has frequencies that are not finite"));
    }
    check_within(if spent <= budget { 0.0 } else { spent / budget - 1.0 })?;
    Ok(spent.min(budget))
}

/// Refuses a plan that overspends by this much, relatively.
fn check_within(over: f64) -> Result<()> {
    if over <= ROUNDING { Ok(()) } else { Err(unsound("the plan costs more than it may")) }
}

fn unsound(message: &str) -> Problem {
    Problem::new(
        Kind::Internal,
        message,
        "This is a fault of Afresh, please report it. Until it is mended, numbers that lie closer together may help.",
    )
}

/// The price of all, and of each host.
fn prices(market: &Market, solution: &Solution, host_own: &[f64]) -> (f64, Vec<f64>) {
    if market.policy == Policy::Optimal {
        return (solution.price, host_own.iter().map(|own| own.max(solution.price)).collect());
    }
    // Under a policy that goes by share, a host whose cap binds moves alone; all other rows move together.
    let items = market.items;
    let hosts = items.columns().host.as_deref().filter(|_| !host_own.is_empty());
    let mut all = Marginal::NONE;
    let mut each: Vec<Marginal> = host_own.iter().map(|_| Marginal::NONE).collect();
    for (i, &f) in solution.plan.iter().enumerate() {
        let capped = hosts.map(|hosts| hosts[i] as usize).filter(|_| f >= market.greatest(i));
        let free = f < items.max(i) && (f > items.min(i) || items.min(i) == 0.0);
        match capped {
            Some(host) if free => each[host].add(items, market.staleness, i, f, market.share(i)),
            None if free => all.add(items, market.staleness, i, f, market.share(i)),
            _ => {}
        }
    }
    let price = if solution.binds { all.price() } else { 0.0 };
    let host = each.iter().map(|one| if one.price() > 0.0 { one.price() } else { price }).collect();
    (price, host)
}

fn check_defined(model: Model, staleness: Staleness) -> Result<()> {
    if staleness.defined_for(model) {
        return Ok(());
    }
    Err(Problem::new(
        Kind::Undefined,
        "content and harmonic freshness count changes, which the weibull model does not define",
        "Choose the metric \"freshness\" or \"age\", or another model.",
    )
    .in_column("metric"))
}

fn check_budget(budget: f64) -> Result<f64> {
    if budget.is_finite() && budget >= 0.0 {
        return Ok(budget);
    }
    Err(Problem::new(
        Kind::Value,
        format!("the budget is {}, but a budget is a finite number from 0 up", Figure(budget)),
        "Give the number of requests per unit of time.",
    )
    .in_column("budget"))
}

fn check_target(items: &Items, metric: Metric, target: f64) -> Result<f64> {
    let freshness = metric == Metric::Freshness;
    let sensible = target > 0.0 && if freshness { target <= 1.0 } else { target.is_finite() };
    if !sensible {
        let range = if freshness { "above 0 and at most 1" } else { "finite and above 0" };
        return Err(Problem::new(
            Kind::Value,
            format!("the target is {}, but it has to be {range}", Figure(target)),
            "Correct the target, or give a budget instead.",
        )
        .in_column("target"));
    }
    if items.total_stake() <= 0.0 {
        return Err(Problem::new(
            Kind::Undefined,
            "all weights are 0, so that there is no mean to meet a target",
            "Give at least one item a weight above 0.",
        )
        .in_column("weight"));
    }
    Ok(target)
}

fn out_of_budget(budget: f64, unsolved: Unsolved) -> Problem {
    let problem = match unsolved {
        Unsolved::Range => out_of_range("the budget", budget),
        Unsolved::Bound(least) => Problem::new(
            Kind::Infeasible,
            format!("the least frequencies alone cost {}, more than the budget of {}", Figure(least), Figure(budget)),
            format!("Raise the budget to {} or more, or lower min.", Figure(least)),
        ),
    };
    problem.in_column("budget")
}

/// What no price within the range of numbers leads to.
fn out_of_range(what: &str, value: f64) -> Problem {
    Problem::new(
        Kind::Value,
        format!(
            "{what} is {}, too large or too small for these items: what a visit is worth there is out of the range of numbers",
            Figure(value)
        ),
        "Choose a number closer to what the items' rates and weights call for; check that all are in the same unit of time.",
    )
}

fn out_of_reach(metric: Metric, target: f64, unsolved: Unsolved) -> Problem {
    let Unsolved::Bound(best) = unsolved else { return out_of_range("the target", target).in_column("target") };
    let name = match metric {
        Metric::Freshness => "freshness",
        Metric::Age => "age",
        Metric::Content => "content",
        Metric::Harmonic => "harmonic",
    };
    let target = Figure(target);
    let (message, hint) = if best <= 0.0 || (metric == Metric::Freshness && best >= 1.0) {
        (
            format!(
                "no finite budget brings {name} to {target}: items that change come as close to {best} as you like, but not there"
            ),
            format!("Choose a target short of {best}."),
        )
    } else {
        (
            format!(
                "the target {name} of {target} is out of reach: within max and host caps, and however large the budget, the best is {best}"
            ),
            "Choose an easier target, or raise max and the host caps.".to_string(),
        )
    };
    Problem::new(Kind::Infeasible, message, hint).in_column("target")
}
