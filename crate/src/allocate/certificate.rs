//! The certificate: how far a plan can be from the best (spec: "Certificate").
//!
//! At prices μ (all) and μₕ (hosts), with qᵢ the price that row i pays, the Lagrangian's minimum bounds every feasible
//! plan's cost from below. A plan f exceeds that bound by
//!
//! ```text
//! Σᵢ [Lᵢ(fᵢ) − min Lᵢ]  +  μ·(B − spent)  +  Σₕ (μₕ − μ)·(Bₕ − spentₕ),      Lᵢ(f) = nᵢ(wᵢ avgᵢ(f) + qᵢκᵢf)
//! ```
//!
//! and avg is convex, so its tangent at fᵢ bounds each bracket: by |nᵢwᵢb(fᵢ) − qᵢnᵢκᵢ| times how far the row could move in
//! the direction that pays. Only the forward formula of b is used, never its inverse: a wrong inverse shows here.

use super::averages::{Measured, survey};
use super::items::Items;
use super::market::{INFINITE, ONES, ZEROS, block_of};
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

/// What a plan comes to, and how much more than the best it can cost at most, in units of the objective Σ n·w·avg.
pub(super) fn excess(items: &Items, staleness: Staleness, plan: &[f64], spent: f64, terms: &Terms) -> (Measured, f64) {
    let hosts = items.columns().host.as_deref().filter(|_| !terms.host_price.is_empty());
    let mut excess = Sum::default();
    let mut spent_on = vec![0.0; terms.host_price.len()];
    excess.add(slack(terms.price, terms.budget, spent));
    let measured = survey(items, staleness, plan, |rows, worth| {
        let size = block_of(items.size_column(), &ONES, &rows);
        let stake = block_of(items.stake_column(), &ONES, &rows);
        let floor = block_of(items.columns().min.as_deref(), &ZEROS, &rows);
        let ceiling = block_of(items.columns().max.as_deref(), &INFINITE, &rows);
        let plan = &plan[rows.clone()];
        let mut part = 0.0;
        for (k, i) in rows.enumerate() {
            let (f, stake, size) = (plan[k], stake[k], size[k]);
            let mut price = terms.price;
            if let Some(hosts) = hosts {
                price = terms.host_price[hosts[i] as usize];
                spent_on[hosts[i] as usize] += size * f;
            }
            let gain = if stake > 0.0 { stake * worth[k] - price * size } else { -price * size };
            // Where the best f is near the plan's, it is not more than twice as large; from 0 it could take all there is.
            let reach = if gain > 0.0 {
                (if f > 0.0 { 2.0 * f } else { terms.budget / size }).min(ceiling[k]) - f
            } else {
                f - floor[k]
            };
            if reach > 0.0 {
                part += gain.abs() * reach;
            }
        }
        excess.add(part);
    });
    for (host, &price) in terms.host_price.iter().enumerate() {
        excess.add(slack(price - terms.price, terms.host_caps[host], spent_on[host]));
    }
    (measured, excess.total())
}

/// What money left over at a price costs the bound.
fn slack(price: f64, cap: f64, spent: f64) -> f64 {
    if price > 0.0 { price * (cap - spent).max(0.0) } else { 0.0 }
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
