//! What a replay must be asked for.

use super::{Policy, Request};
use crate::problem::{Figure, Kind, Problem, Result};

/// The most visits of one policy.
const MOST_VISITS: f64 = 5e6;
/// The most times that `online` may plan.
const MOST_PLANS: f64 = 1_000.0;
/// The most points of a curve.
const MOST_POINTS: usize = 2_000;

/// Checks what does not depend on the events; these are checked where they are sorted.
pub(super) fn request(request: &Request) -> Result<()> {
    let Request { policies, budget, weight, points, items, train_from, train_to, test_to, .. } = *request;
    let value =
        |column: &str, message: String, hint: &str| Err(Problem::new(Kind::Value, message, hint).in_column(column));
    if policies.is_empty() {
        return value("policies", "there is no policy to replay".into(), "Name at least one, such as \"uniform\".");
    }
    if let Some(again) = (1..policies.len()).find(|&k| policies[..k].contains(&policies[k])) {
        let message = format!("the policy {:?} is named twice", policies[again].name());
        return value("policies", message, "Name each policy once.");
    }
    if !(budget > 0.0 && budget.is_finite()) {
        let message = format!("the budget is {}, but a budget is a finite number above 0", Figure(budget));
        return value("budget", message, "Give the number of visits per unit of time.");
    }
    let in_order = train_from.is_none_or(|from| from < train_to) && test_to.is_none_or(|to| train_to < to);
    if !in_order || !train_to.is_finite() {
        let message = format!(
            "the training part ends at {}, which is not between its start and the end of the test",
            Figure(train_to)
        );
        return value("trainTo", message, "Give trainFrom < trainTo < testTo.");
    }
    if !(2..=MOST_POINTS).contains(&points) {
        return value("points", format!("the curves cannot have {points} points"), "Give from 2 to 2,000 points.");
    }
    let Some(weight) = weight else { return Ok(()) };
    if weight.len() != items {
        let message = format!("there are {items} items but {} values of weight", weight.len());
        return Err(Problem::new(Kind::Length, message, "Give one weight for each item.").in_column("weight"));
    }
    if let Some(row) = weight.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        let message = format!("the weight of item {row} (counting from 0) is {}", Figure(weight[row]));
        return Err(Problem::new(Kind::Value, message, "Give a finite number, 0 or more.")
            .at_row(row)
            .in_column("weight"));
    }
    Ok(())
}

/// How often `online` plans, checked against the length of the test; also that the visits can be made at all.
pub(super) fn replan_every(request: &Request, horizon: f64) -> Result<f64> {
    let visits = request.budget * horizon;
    if !(1.0..=MOST_VISITS).contains(&visits) {
        let message =
            format!("a budget of {} over {} makes {visits:.0} visits", Figure(request.budget), Figure(horizon));
        let hint = format!("Choose a budget and a test that make from 1 to {MOST_VISITS} visits.");
        return Err(Problem::new(Kind::Size, message, hint).in_column("budget"));
    }
    let every = request.replan_every.unwrap_or(horizon / 12.0);
    if !(every > 0.0 && (!request.policies.contains(&Policy::Online) || horizon / every <= MOST_PLANS)) {
        let message = format!("planning anew every {} is not possible in a test of {}", Figure(every), Figure(horizon));
        let hint = format!("Give a span above 0, and at least {}.", horizon / MOST_PLANS);
        return Err(Problem::new(Kind::Value, message, hint).in_column("replanEvery"));
    }
    Ok(every)
}
