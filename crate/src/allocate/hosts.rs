//! Host caps: each capped host gets its own price, never below the price of all.
//!
//! A host's cap binds at the price μ⁰ at which its own items ask for just as much, and that price does not depend on the
//! other hosts. So each capped host is solved alone; what its items get there is a ceiling on what they get in the whole,
//! since min(f(μ), f(μ⁰)) = f(max(μ, μ⁰)), and the whole is a problem without hosts again.

use super::items::Items;
use super::market::Market;
use super::out_of_range;
use super::solve::{Unsolved, for_budget};
use crate::problem::{Kind, Problem, Result};

/// Checks that caps and hosts fit together.
pub(super) fn check(items: &Items, caps: &[f64]) -> Result<()> {
    if caps.is_empty() {
        return Ok(());
    }
    if let Some(host) = caps.iter().position(|cap| cap.is_nan() || *cap < 0.0) {
        return Err(Problem::new(
            Kind::Value,
            format!(
                "the cap of host {host} (counting from 0) is {}, but a cap is a number from 0 up, or infinite",
                caps[host]
            ),
            "Correct that cap; use Infinity for a host without one.",
        )
        .at_row(host)
        .in_column("hostCaps"));
    }
    let Some(hosts) = &items.columns().host else {
        return Err(Problem::new(
            Kind::Field,
            "there are host caps, but no column host says which item is on which host",
            "Add the column host, or leave the host caps out.",
        )
        .in_column("host"));
    };
    match hosts.iter().position(|&host| host as usize >= caps.len()) {
        Some(row) => Err(Problem::new(
            Kind::Value,
            format!(
                "item {row} (counting from 0) is on host {}, but there are caps for hosts 0 to {} only",
                hosts[row],
                caps.len() - 1
            ),
            "Give one cap per host (Infinity for none), or correct the host of that item.",
        )
        .at_row(row)
        .in_column("host")),
        None => Ok(()),
    }
}

/// Lowers the market's ceilings to what the caps allow. Returns each host's own price: 0 where its cap never binds.
pub(super) fn apply(market: &mut Market, caps: &[f64]) -> Result<Vec<f64>> {
    let mut own = vec![0.0; caps.len()];
    let Some(hosts) = &market.items.columns().host else { return Ok(own) };
    if caps.is_empty() {
        return Ok(own);
    }
    let mut rows = vec![Vec::new(); caps.len()];
    for (row, &host) in hosts.iter().enumerate() {
        if caps[host as usize].is_finite() {
            rows[host as usize].push(row);
        }
    }
    let mut ceiling: Vec<f64> = (0..market.items.len()).map(|i| market.greatest(i)).collect();
    for (host, rows) in rows.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        let items = market.items.select(rows);
        let alone = market.with_items(&items, rows);
        let solution = for_budget(&alone, caps[host], None).map_err(|unsolved| {
            let problem = match unsolved {
                Unsolved::Range => out_of_range(&format!("the cap of host {host}"), caps[host]),
                Unsolved::Bound(least) => Problem::new(
                    Kind::Infeasible,
                    format!("the least frequencies on host {host} cost {least}, more than its cap of {}", caps[host]),
                    format!("Raise the cap of that host to {least} or more, or lower the min of its items."),
                ),
            };
            problem.at_row(host).in_column("hostCaps")
        })?;
        own[host] = solution.price;
        if solution.binds {
            for (&row, &frequency) in rows.iter().zip(&solution.plan) {
                ceiling[row] = frequency;
            }
        }
    }
    market.ceiling = Some(ceiling);
    Ok(own)
}
