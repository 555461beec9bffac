//! From a budget or a target to a plan: finds the price, then spends the last cent.

use super::Policy;
use super::many;
use super::market::{Market, sample};
use super::search::{Axis, Crossing, search};
use crate::numeric::sort;
use crate::staleness::Metric;

/// How close the search has to come, relatively: the plan is made one Newton step further on, which squares this.
const TOLERANCE: f64 = 1e-9;
/// Sums that differ by less than this are equal: bounds may add up to a budget with a rounding error.
const ROUNDING: f64 = 1e-12;

/// A plan and the price that led to it.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    /// One frequency per row.
    pub(super) plan: Vec<f64>,
    /// The price at which the market asks for this plan; 0 when it asks for no more than it may have.
    pub(super) price: f64,
    /// Whether it would ask for more if it could.
    pub(super) binds: bool,
}

/// Why there is no plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unsolved {
    /// Bounds allow no more (or take no less) than this.
    Bound(f64),
    /// The price lies where numbers overflow or underflow.
    Range,
}

/// What a market can be asked to spend, between its bounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Σ n·κ·lo.
    pub(super) least: f64,
    /// Σ n·κ·hi over the rows that want visits, and lo over the others; ∞ without bounds.
    pub(super) most: f64,
}

impl Room {
    pub(super) fn of(market: &Market) -> Self {
        let unbounded = market.ceiling.is_none() && market.items.columns().max.is_none();
        let least = match &market.items.columns().min {
            Some(min) => market.spent(min),
            None => 0.0,
        };
        if unbounded && (0..market.items.len()).any(|i| market.wants(i)) {
            return Self { least, most: f64::INFINITY };
        }
        Self { least, most: market.spent(&fullest(market)) }
    }
}

/// The plan that gives every row as much as it could ever want.
fn fullest(market: &Market) -> Vec<f64> {
    (0..market.items.len())
        .map(|i| if market.wants(i) { market.greatest(i).max(market.least(i)) } else { market.least(i) })
        .collect()
}

fn emptiest(market: &Market) -> Vec<f64> {
    market.items.columns().min.clone().unwrap_or_else(|| vec![0.0; market.items.len()])
}

/// What the best first request above the least frequencies is worth.
fn price_at_floor(market: &Market) -> f64 {
    (0..market.items.len())
        .filter(|&i| market.wants(i) && market.least(i) < market.greatest(i))
        .map(|i| market.items.benefit(market.staleness, i, market.least(i)) / market.items.unit(i))
        .fold(0.0, f64::max)
}

/// The market's plan for a budget, or what the least frequencies already cost when that is more. `near` is a price that the
/// answer's may be close to.
pub(super) fn for_budget(market: &Market, budget: f64, near: Option<f64>) -> Result<Solution, Unsolved> {
    let room = Room::of(market);
    if room.least > budget * (1.0 + ROUNDING) {
        return Err(Unsolved::Bound(room.least));
    }
    if room.most <= budget {
        return Ok(Solution { plan: fullest(market), price: 0.0, binds: false });
    }
    let free = budget - room.least;
    if free <= budget * f64::EPSILON {
        return Ok(Solution { plan: emptiest(market), price: price_at_floor(market), binds: true });
    }
    let missing = |market: &Market, scale: f64, price: f64| {
        let asked = market.asked(price);
        (libm::log(asked.excess * scale / free), asked.slope / asked.excess)
    };
    let start = near.unwrap_or_else(|| price_for(market, free));
    let mut solution = match many::for_budget(market, free, start) {
        Some(solution) => solution,
        None => at(market, find(market, start, missing), |plan| market.excess(plan) - free).ok_or(Unsolved::Range)?,
    };
    settle(market, &mut solution.plan, budget);
    Ok(solution)
}

/// The market's least spending that meets a target (freshness: at least, others: at most), or the best that it can come to,
/// which may be a limit that no finite frequency attains.
pub(super) fn for_target(market: &Market, target: f64) -> Result<Solution, Unsolved> {
    let freshness = market.staleness.metric == Metric::Freshness;
    // Below one half the share up to date is the one with digits to compare, above it the share that is stale.
    let fresh = freshness && target < 0.5;
    let wanted = if freshness && !fresh { 1.0 - target } else { target };
    let items = market.items;
    let mean = |plan: &[f64]| {
        let rows = (0..plan.len()).filter(|&i| items.stake(i) > 0.0);
        let total: f64 = rows.map(|i| items.stake(i) * market.measure(i, plan[i], fresh)).sum();
        total / items.total_stake()
    };
    let short = |mean: f64| if fresh { wanted - mean } else { mean - wanted };
    let plan = emptiest(market);
    if short(mean(&plan)) <= 4.0 * f64::EPSILON * wanted {
        return Ok(Solution { plan, price: price_at_floor(market), binds: true });
    }
    let plan = fullest(market);
    let (best, attained) = (mean(&plan), plan.iter().all(|f| f.is_finite()));
    if short(best) > 0.0 || (short(best) >= 0.0 && !attained) {
        return Err(Unsolved::Bound(if freshness && !fresh { 1.0 - best } else { best }));
    }
    if short(best) >= 0.0 {
        return Ok(Solution { plan, price: 0.0, binds: false });
    }
    let missing = |market: &Market, _scale: f64, price: f64| {
        let (mean, slope) = market.mean(price, fresh);
        if fresh { (libm::log(mean / wanted), slope / mean) } else { (libm::log(wanted / mean), -slope / mean) }
    };
    let crossing = find(market, price_near(market), missing);
    at(market, crossing, |plan| -short(mean(plan))).ok_or(Unsolved::Range)
}

/// Searches a sample first when there are many items, then all of them.
fn find(market: &Market, start: f64, missing: impl Fn(&Market, f64, f64) -> (f64, f64)) -> Crossing {
    let axis = Axis::new(market.top());
    let mut start = coordinate(axis, start);
    match many::scout(market, axis, start, &missing) {
        Some(Crossing::At { price, .. }) => start = axis.coordinate(price),
        // Items all alike jump together: closing in on that once more, with all of them, would only take long.
        Some(jump @ Crossing::Between { below, above })
            if missing(market, 1.0, below).0 > 0.0 && missing(market, 1.0, above).0 <= 0.0 =>
        {
            return jump;
        }
        _ => {}
    }
    search(axis, start, TOLERANCE, |price| missing(market, 1.0, price))
}

fn coordinate(axis: Axis, price: f64) -> f64 {
    let t = axis.coordinate(price);
    if t.is_finite() { t } else { 0.0 }
}

/// The plan at a crossing. Where demand jumps (the price's last digit decides over whole visits), the plan lies on the line
/// between the plans of the two neighbouring prices: `surplus` is what each is above (below) what is wanted. `None`
/// where no price can be told.
pub(super) fn at(market: &Market, crossing: Crossing, surplus: impl Fn(&[f64]) -> f64) -> Option<Solution> {
    match crossing {
        Crossing::Beyond => None,
        Crossing::At { price, step } => {
            let price = price * libm::exp(step);
            Some(Solution { plan: market.plan(price), price, binds: true })
        }
        Crossing::Between { below, above } => {
            let (mut plan, fuller) = (market.plan(above), market.plan(below));
            let (over, under) = (surplus(&fuller), surplus(&plan));
            let share = if over > under { (-under / (over - under)).clamp(0.0, 1.0) } else { 0.0 };
            for (f, fuller) in plan.iter_mut().zip(fuller) {
                *f += share * (fuller - *f);
            }
            Some(Solution { plan, price: above, binds: true })
        }
    }
}

/// Spreads what rounding left over (or took too much) evenly, relative to what each row has above its floor.
fn settle(market: &Market, plan: &mut [f64], budget: f64) {
    let spent = market.spent(plan);
    let movable = |i: usize, f: f64| if f < market.greatest(i) { f - market.least(i) } else { 0.0 };
    let total = if market.bounded() {
        plan.iter().enumerate().map(|(i, &f)| market.items.size(i) * movable(i, f)).sum()
    } else {
        spent
    };
    let factor = (budget - spent) / total;
    if factor.abs() < 1e-6 && factor.abs() > f64::EPSILON / 2.0 {
        for (i, f) in plan.iter_mut().enumerate() {
            *f = (*f + factor * movable(i, *f)).min(market.greatest(i));
        }
    }
}

/// A price to start from: what the middle one of a few items would pay for an even share of the budget.
fn price_for(market: &Market, free: f64) -> f64 {
    if market.policy != Policy::Optimal {
        return (0..market.items.len()).map(|i| market.items.size(i) * market.share(i)).sum::<f64>() / free;
    }
    let rows = sample(market.items.len(), market.items.len().min(1023));
    let total: f64 = rows.iter().filter(|&&i| market.wants(i)).map(|&i| market.items.size(i)).sum();
    let even = free / total * (rows.len() as f64 / market.items.len() as f64);
    middle_price(market, |_| even)
}

/// A price to start from when no budget is known: what the middle one of a few items would pay for a visit per change.
fn price_near(market: &Market) -> f64 {
    match market.policy {
        Policy::Optimal => middle_price(market, |i| market.items.mean_rate(i)),
        Policy::Uniform => {
            let rows = sample(market.items.len(), market.items.len().min(63));
            let rates: Vec<f64> = rows.iter().map(|&i| market.items.mean_rate(i)).filter(|&r| r > 0.0).collect();
            1.0 / middle(rates).unwrap_or(1.0)
        }
        Policy::Proportional => 1.0,
    }
}

fn middle_price(market: &Market, frequency: impl Fn(usize) -> f64) -> f64 {
    let rows = sample(market.items.len(), market.items.len().min(63));
    let prices = rows
        .iter()
        .filter(|&&i| market.wants(i))
        .map(|&i| market.items.benefit(market.staleness, i, frequency(i)) / market.items.unit(i));
    middle(prices.filter(|price| price.is_finite() && *price > 0.0).collect()).unwrap_or(1.0)
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    sort::floats(&mut values);
    values.get(values.len() / 2).copied()
}
