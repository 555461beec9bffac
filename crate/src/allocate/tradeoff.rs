//! What every budget buys, under the three policies: the whole trade-off in one sweep.

use super::averages::fresh_and_age;
use super::market::Market;
use super::solve::{Solution, for_budget};
use super::{Items, Policy, check_budget, check_defined, out_of_budget, spent_within};
use crate::change::{Change, Model};
use crate::problem::{Kind, Problem, Result};
use crate::staleness::{Metric, Order, Staleness};

/// Freshness and age against the budget, under one policy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PolicyCurve {
    /// Weighted mean freshness at each budget.
    pub freshness: Vec<f64>,
    /// Weighted mean age at each budget.
    pub age: Vec<f64>,
}

/// Freshness and age against the budget.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tradeoff {
    /// The budgets, as asked for.
    pub budget: Vec<f64>,
    /// The optimal policy's price at each: what one more request buys there.
    pub price: Vec<f64>,
    /// All items alike.
    pub uniform: PolicyCurve,
    /// In proportion to the rates.
    pub proportional: PolicyCurve,
    /// The best for the metric asked about; both metrics of that plan are given.
    pub optimal: PolicyCurve,
}

impl PolicyCurve {
    fn push(&mut self, items: &Items, order: Order, plan: &[f64]) {
        let (freshness, age) = fresh_and_age(items, order, plan);
        self.freshness.push(freshness);
        self.age.push(age);
    }
}

/// Follows all three policies over many budgets, fastest when the budgets are in order: each price is looked for near the
/// one before.
pub fn tradeoff(items: &Items, staleness: Staleness, budgets: &[f64]) -> Result<Tradeoff> {
    check_defined(items.model(), staleness)?;
    if budgets.is_empty() {
        return Err(
            Problem::new(Kind::Length, "there are no budgets", "Give at least one budget.").in_column("budgets")
        );
    }
    for (row, &budget) in budgets.iter().enumerate() {
        check_budget(budget).map_err(|problem| problem.at_row(row).in_column("budgets"))?;
    }
    let market = |policy| Market::new(items, policy, staleness);
    let (optimal, uniform, proportional) =
        (market(Policy::Optimal), market(Policy::Uniform), market(Policy::Proportional));
    let alike = Alike::of(items);
    let mut tradeoff = Tradeoff { budget: budgets.to_vec(), ..Tradeoff::default() };
    let mut path = Path::default();
    for (row, &budget) in budgets.iter().enumerate() {
        let solve = |market: &Market, near: Option<f64>| -> Result<Solution> {
            for_budget(market, budget, near)
                .map_err(|unsolved| out_of_budget(budget, unsolved))
                .and_then(|solution| spent_within(market, &solution.plan, budget).map(|_| solution))
                .map_err(|problem| problem.at_row(row).in_column("budgets"))
        };
        let best = solve(&optimal, path.ahead(budget))?;
        path.add(budget, best.price);
        tradeoff.price.push(best.price);
        tradeoff.optimal.push(items, staleness.order, &best.plan);
        tradeoff.uniform.push(items, staleness.order, &solve(&uniform, None)?.plan);
        match &alike {
            Some(alike) => alike.push(&mut tradeoff.proportional, staleness, budget),
            None => tradeoff.proportional.push(items, staleness.order, &solve(&proportional, None)?.plan),
        }
    }
    Ok(tradeoff)
}

/// The last two prices, to look ahead from: ln price is nearly a straight line in ln budget.
#[derive(Default)]
struct Path {
    last: Option<(f64, f64)>,
    before: Option<(f64, f64)>,
}

impl Path {
    fn add(&mut self, budget: f64, price: f64) {
        if budget > 0.0 && price > 0.0 && price.is_finite() {
            self.before = self.last.replace((libm::log(budget), libm::log(price)));
        }
    }

    fn ahead(&self, budget: f64) -> Option<f64> {
        let (x, y) = self.last?;
        let slope = self.before.map_or(-1.0, |(x0, y0)| (y - y0) / (x - x0));
        let price = libm::exp(y + if slope.is_finite() { slope * (libm::log(budget) - x) } else { 0.0 });
        (price > 0.0 && price.is_finite()).then_some(price)
    }
}

/// Proportional visits to Poisson items without bounds: λ/f is the same for all, so that one item of rate 1 stands for all.
struct Alike {
    /// Σ n·κ·λ.
    cost: f64,
    /// Σ n·w over the items that change, relative to all.
    changing: f64,
    /// Σ n·w/λ over the items that change, relative to Σ n·w of all: ages go with 1/λ.
    waiting: f64,
}

impl Alike {
    fn of(items: &Items) -> Option<Self> {
        let columns = items.columns();
        if items.model() != Model::Poisson || columns.min.is_some() || columns.max.is_some() {
            return None;
        }
        let (mut cost, mut changing, mut waiting) = (0.0, 0.0, 0.0);
        for (i, &rate) in columns.rate.iter().enumerate().filter(|&(_, &rate)| rate > 0.0) {
            cost += items.size(i) * rate;
            changing += items.stake(i);
            waiting += items.stake(i) / rate;
        }
        let total = items.total_stake();
        Some(Self { cost, changing: changing / total, waiting: waiting / total })
    }

    fn push(&self, curve: &mut PolicyCurve, staleness: Staleness, budget: f64) {
        let one = Change::Poisson { rate: 1.0 };
        let of_one = |metric| Staleness { metric, ..staleness }.average(&one, budget / self.cost);
        let share = |part: f64, cost: f64| if part > 0.0 { part * cost } else { part };
        curve.freshness.push(1.0 - share(self.changing, of_one(Metric::Freshness)));
        curve.age.push(share(self.waiting, of_one(Metric::Age)));
    }
}
