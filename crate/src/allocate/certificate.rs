//! The certificate: how far a plan can be from the best (spec: "Certificate").
//!
//! The cost is convex, so that its tangent at a plan f bounds the cost of every other plan g from below: with bᵢ the benefit
//! at fᵢ, going from f to g saves Σ nᵢwᵢbᵢ·(gᵢ − fᵢ) at most. With any prices μ (all) and μₕ (hosts), qᵢ the one that row i
//! pays, and gainᵢ = nᵢwᵢbᵢ − qᵢnᵢκᵢ, that is
//!
//! ```text
//! Σᵢ gainᵢ·(gᵢ − fᵢ)  +  μ·(B − spent)  +  Σₕ (μₕ − μ)·(Bₕ − spentₕ)      at most, over all g within the constraints
//! ```
//!
//! Rows that gain by less go down to loᵢ. Rows that gain by more go up to hiᵢ where that is close; all others share what the
//! least frequencies leave of the budget, the best of them taking it whole. No plan is assumed to be good, and only the forward
//! formula of b is used, never its inverse: a wrong plan shows here.

use super::averages::{Measured, survey};
use super::items::Items;
use super::market::{BLOCK, INFINITE, ONES, ZEROS, block_of, lanes};
use crate::numeric::sum::Sum;
use crate::staleness::Staleness;

/// The constraints that a plan was made under, and the prices that came out.
pub(super) struct Terms<'a> {
    pub(super) budget: f64,
    pub(super) price: f64,
    pub(super) host_caps: &'a [f64],
    /// One price per host, at least `price`; empty without caps.
    pub(super) host_price: &'a [f64],
}

/// How far a plan is within its constraints, and from the best.
pub(super) struct Verdict {
    pub(super) measured: Measured,
    /// How much more than the best the plan can cost at most, in units of the objective Σ n·w·avg; NaN when nobody knows.
    pub(super) excess: f64,
    /// By how much the plan overspends, relative to the budget or the cap concerned; 0 or less when it does not.
    pub(super) over: f64,
}

/// What the rows of one host (of all, without caps) add up to.
#[derive(Clone, Default)]
struct Group {
    spent: Sum,
    /// Σ n·κ·lo.
    least: Sum,
    /// What is to be gained within each row's own reach.
    near: Sum,
    /// The most that a request gains anywhere else.
    steepest: f64,
}

/// Judges any plan within its bounds lo and hi.
pub(super) fn judge(items: &Items, staleness: Staleness, plan: &[f64], terms: &Terms) -> Verdict {
    let hosts = items.columns().host.as_deref().filter(|_| !terms.host_price.is_empty());
    let mut groups = vec![Group::default(); terms.host_price.len().max(1)];
    let measured = survey(items, staleness, plan, |rows, worth| {
        let size = block_of(items.size_column(), &ONES, &rows);
        let stake = block_of(items.stake_column(), &ONES, &rows);
        let floor = block_of(items.columns().min.as_deref(), &ZEROS, &rows);
        let ceiling = block_of(items.columns().max.as_deref(), &INFINITE, &rows);
        let plan = &plan[rows.clone()];
        // All of one length, so that no place needs to be checked.
        let len = plan.len();
        let (size, stake, floor) = (&size[..len], &stake[..len], &floor[..len]);
        let (ceiling, worth) = (&ceiling[..len], &worth[..len]);
        let row = |k: usize, price: f64| Row {
            frequency: plan[k],
            floor: floor[k],
            ceiling: ceiling[k],
            size: size[k],
            gain: if stake[k] > 0.0 { stake[k] * worth[k] - price * size[k] } else { -price * size[k] },
        };
        if let Some(hosts) = hosts {
            for (k, i) in rows.enumerate() {
                let host = hosts[i] as usize;
                let row = row(k, terms.host_price[host]);
                let (near, steepest) = row.gains();
                groups[host].add(row.size * row.frequency, row.size * row.floor, near, steepest);
            }
        } else {
            let (mut near, mut steep) = ([0.0; BLOCK], [0.0; BLOCK]);
            let (near, steep) = (&mut near[..len], &mut steep[..len]);
            for k in 0..len {
                (near[k], steep[k]) = row(k, terms.price).gains();
            }
            groups[0].add(
                lanes(len, |k| size[k] * plan[k]),
                lanes(len, |k| size[k] * floor[k]),
                lanes(len, |k| near[k]),
                steep.iter().copied().fold(0.0, worse),
            );
        }
    });
    let total = |pick: fn(&Group) -> &Sum| groups.iter().map(|group| pick(group).total()).sum::<f64>();
    let (spent, least) = (total(|group| &group.spent), total(|group| &group.least));
    let mut over = beyond(spent, terms.budget);
    let free = terms.budget - least;
    // Where the least frequencies use all there is, theirs is the only plan.
    if only_plan(free, terms.budget) {
        return Verdict { measured, excess: if spent.is_nan() { spent } else { 0.0 }, over };
    }
    let mut excess = Sum::default();
    excess.add(slack(terms.price, terms.budget - spent));
    let (mut far, mut steepest) = (0.0, 0.0);
    for (host, group) in groups.iter().enumerate() {
        let (cap, price) = match terms.host_price.get(host) {
            Some(&price) => (terms.host_caps[host], price - terms.price),
            None => (terms.budget, 0.0),
        };
        over = worse(over, beyond(group.spent.total(), cap));
        if only_plan(cap - group.least.total(), cap) {
            continue;
        }
        excess.add(slack(price, cap - group.spent.total()));
        excess.add(group.near.total());
        far += if group.steepest > 0.0 { group.steepest * free.min(cap - group.least.total()) } else { group.steepest };
        steepest = worse(steepest, group.steepest);
    }
    excess.add(if far > steepest * free { steepest * free } else { far });
    Verdict { measured, excess: excess.total(), over }
}

/// What the certificate has to know of a row.
struct Row {
    frequency: f64,
    floor: f64,
    ceiling: f64,
    size: f64,
    gain: f64,
}

impl Row {
    /// What is to be gained within the row's own reach, and what a request gains beyond that. Whether the gain of a row at its
    /// optimum is above 0 is a matter of rounding, which no branch could foretell: all is computed, then chosen from.
    #[inline]
    fn gains(&self) -> (f64, f64) {
        let (up, down) = (self.ceiling - self.frequency, self.frequency - self.floor);
        // A row at a bound stays there at any price, also at an infinite one.
        let fall = if down <= 0.0 { 0.0 } else { -self.gain * down };
        let rise = if up <= 0.0 { 0.0 } else { self.gain * up };
        let (falls, reaches) = (self.gain <= 0.0, up <= self.frequency);
        let near = if reaches { rise } else { 0.0 };
        let beyond = if falls | reaches { 0.0 } else { self.gain / self.size };
        (if falls { fall } else { near }, beyond)
    }
}

impl Group {
    fn add(&mut self, spent: f64, least: f64, near: f64, steepest: f64) {
        self.spent.add(spent);
        self.least.add(least);
        self.near.add(near);
        self.steepest = worse(self.steepest, steepest);
    }
}

/// The larger of two, or NaN if either is: what is not known must not look small.
fn worse(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// Whether `free`, what is left of a cap above the least frequencies, is rounding only.
fn only_plan(free: f64, cap: f64) -> bool {
    cap.is_finite() && free <= f64::EPSILON * cap
}

/// How far `spent` is above `cap`, relatively.
fn beyond(spent: f64, cap: f64) -> f64 {
    if spent <= cap { 0.0 } else { spent / cap - 1.0 }
}

/// What money left over at a price costs the bound.
fn slack(price: f64, left: f64) -> f64 {
    if price <= 0.0 || left <= 0.0 { 0.0 } else { price * left }
}

/// What one more unit of budget buys under a policy that gives row i the share ρᵢ: Σ n·w·b·ρ / Σ n·κ·ρ over the rows that
/// are free to move.
pub(super) struct Marginal {
    gain: f64,
    cost: f64,
}

impl Marginal {
    /// Nothing yet.
    pub(super) const NONE: Self = Self { gain: 0.0, cost: 0.0 };

    /// Adds a row that would take more.
    pub(super) fn add(&mut self, items: &Items, staleness: Staleness, i: usize, f: f64, share: f64) {
        let stake = items.stake(i);
        if stake > 0.0 {
            self.gain += stake * items.benefit(staleness, i, f) * share;
        }
        self.cost += items.size(i) * share;
    }

    /// What one more request buys.
    pub(super) fn price(&self) -> f64 {
        if self.cost > 0.0 { self.gain / self.cost } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Columns, Goal, Policy, Question, allocate, relative};
    use super::*;
    use crate::change::Model;
    use crate::staleness::{Metric, Order};

    const METRICS: [Metric; 4] = [Metric::Freshness, Metric::Age, Metric::Content, Metric::Harmonic];
    const BUDGET: f64 = 8.0;

    fn items(bounded: bool) -> Items {
        let columns = Columns {
            rate: vec![0.05, 0.3, 1.0, 2.0, 7.0, 40.0],
            weight: Some(vec![1.0, 3.0, 0.5, 1.0, 2.0, 1.0]),
            cost: Some(vec![1.0, 0.5, 1.0, 2.0, 1.0, 1.5]),
            min: bounded.then(|| vec![0.0, 0.0, 0.1, 0.0, 0.0, 0.2]),
            max: bounded.then(|| vec![f64::INFINITY, 0.7, 9.0, 9.0, 1.5, 9.0]),
            host: bounded.then(|| vec![0, 0, 1, 1, 1, 0]),
            ..Columns::default()
        };
        Items::new(Model::Poisson, columns).expect("sound items")
    }

    /// Scales a plan down until it is within bounds and caps.
    fn within(items: &Items, caps: &[f64], plan: &[f64]) -> Vec<f64> {
        let bound = |scale: f64| -> Vec<f64> {
            plan.iter().enumerate().map(|(i, f)| (f * scale).clamp(items.min(i), items.max(i))).collect()
        };
        let spent = |plan: &[f64], host: Option<usize>| -> f64 {
            let on = |i: &usize| host.is_none_or(|host| items.host(*i).is_some_and(|on| on as usize == host));
            (0..plan.len()).filter(on).map(|i| items.size(i) * plan[i]).sum()
        };
        let fits = |plan: &[f64]| {
            spent(plan, None) <= BUDGET && caps.iter().enumerate().all(|(host, &cap)| spent(plan, Some(host)) <= cap)
        };
        let scale = (0..200).map(|k| libm::pow(0.9, f64::from(k))).find(|&scale| fits(&bound(scale)));
        bound(scale.expect("the least frequencies fit"))
    }

    #[test]
    fn no_bad_plan_looks_better_than_it_is() {
        for bounded in [false, true] {
            let items = items(bounded);
            let host_caps = if bounded { vec![1.2, 30.0] } else { Vec::new() };
            for metric in METRICS {
                let staleness = Staleness { metric, order: Order::Fixed };
                let goal = Goal::Budget(BUDGET);
                let question = Question { staleness, policy: Policy::Optimal, goal, host_caps: host_caps.clone() };
                let best = allocate(&items, &question).expect("a plan exists");
                let host_price = best.host_price.clone().unwrap_or_default();
                let f = &best.frequency;
                let bad: [Vec<f64>; 7] = [
                    f.iter().map(|f| f * 10.0).collect(),
                    f.iter().map(|f| f / 10.0).collect(),
                    f.iter().map(|f| f / 1e6).collect(),
                    f.iter().rev().copied().collect(),
                    vec![0.0; 6],
                    vec![BUDGET / 6.0; 6],
                    f.iter().enumerate().map(|(i, f)| if i == 2 { f / 1e3 } else { *f }).collect(),
                ];
                for plan in bad.iter().map(|plan| within(&items, &host_caps, plan)) {
                    for factor in [0.0, 0.5, 1.0, 2.0] {
                        let host_price: Vec<f64> = host_price.iter().map(|price| price * factor).collect();
                        let price = best.price * factor;
                        let terms = Terms { budget: BUDGET, price, host_caps: &host_caps, host_price: &host_price };
                        let verdict = judge(&items, staleness, &plan, &terms);
                        assert!(verdict.over <= 0.0);
                        let cost = verdict.measured.cost;
                        let least = survey(&items, staleness, f, |_, _| ()).cost;
                        let loss = if cost.is_infinite() { 1.0 } else { (cost - least) / cost };
                        let gap = relative(verdict.excess, cost * items.total_stake());
                        assert!(gap >= loss - 1e-15, "{metric:?} {plan:?}: gap {gap}, but {loss} is lost");
                    }
                }
            }
        }
    }

    #[test]
    fn a_plan_that_overspends_is_seen_to() {
        for (caps, over) in [(vec![], 0.5), (vec![1.0, f64::INFINITY], 1.0)] {
            let host_price = vec![1.0; caps.len()];
            let terms = Terms { budget: 4.0, price: 1.0, host_caps: &caps, host_price: &host_price };
            let columns = Columns { rate: vec![1.0; 2], host: Some(vec![0, 1]), ..Columns::default() };
            let items = Items::new(Model::Poisson, columns).expect("sound items");
            let verdict = judge(&items, Staleness::default(), &[2.0, if caps.is_empty() { 4.0 } else { 2.0 }], &terms);
            assert!((verdict.over - over).abs() < 1e-12, "{}", verdict.over);
        }
    }

    #[test]
    fn what_is_not_a_number_is_never_proven() {
        let items = items(false);
        let terms = Terms { budget: BUDGET, price: 1.0, host_caps: &[], host_price: &[] };
        let verdict = judge(&items, Staleness::default(), &[1.0, f64::NAN, 1.0, 1.0, 1.0, 1.0], &terms);
        assert!(verdict.excess.is_nan() && verdict.over.is_nan());
        assert!(relative(verdict.excess, 1.0).is_nan());
    }
}
