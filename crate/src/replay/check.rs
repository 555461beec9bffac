//! What a simulation must be asked for.

use super::monte_carlo::Request;
use crate::change::Change;
use crate::problem::{Kind, Problem, Result};

/// The most visits to one item in a run: what a step cannot be cut below.
const MOST_VISITS_OF_ITEM: f64 = 1e7;
/// The most visits of all runs together.
const MOST_VISITS: f64 = 5e9;
/// The most points of the grid.
const MOST_POINTS: usize = 100_000;

/// Checks that a request can be simulated.
pub(super) fn request(request: &Request) -> Result<()> {
    let Request { changes, weight, frequency, horizon, runs, points, .. } = *request;
    let value = |message: String, hint: &str| Problem::new(Kind::Value, message, hint);
    if changes.is_empty() {
        return Err(value("There are no items.".into(), "Give at least one item.").in_column("items"));
    }
    for (column, length) in [("weight", weight.len()), ("frequency", frequency.len())] {
        if length != changes.len() {
            let message = format!("There are {} items but {length} values of {column}.", changes.len());
            return Err(Problem::new(Kind::Length, message, "Give one value for each item.").in_column(column));
        }
    }
    for (column, values) in [("weight", weight), ("frequency", frequency)] {
        if let Some(row) = values.iter().position(|x| !(x.is_finite() && *x >= 0.0)) {
            let message = format!("The {column} of item {row} is {}.", values[row]);
            return Err(value(message, "Give a finite number, 0 or more.").at_row(row).in_column(column));
        }
    }
    for (row, change) in changes.iter().enumerate() {
        parameters(change).map_err(|problem| problem.at_row(row))?;
    }
    let total: f64 = weight.iter().sum();
    if !(total > 0.0 && total.is_finite()) {
        let hint = "Give at least one item a weight above 0, and none so large that they do not add up.";
        return Err(value(format!("The weights add up to {total}."), hint).in_column("weight"));
    }
    if !(horizon > 0.0 && horizon.is_finite()) {
        return Err(value(format!("The horizon is {horizon}."), "Give a finite horizon above 0.").in_column("horizon"));
    }
    if !(2..=MOST_POINTS).contains(&points) {
        let hint = format!("Give from 2 to {MOST_POINTS} points.");
        return Err(value(format!("The curves cannot have {points} points."), &hint).in_column("points"));
    }
    if runs == 0 {
        return Err(value("There are no runs.".into(), "Ask for at least one run.").in_column("runs"));
    }
    size(request)
}

/// Checks the parameters of a change model.
fn parameters(change: &Change) -> Result<()> {
    let parameters = match *change {
        Change::Poisson { rate } => [("rate", rate, rate >= 0.0); 2],
        Change::Weibull { rate, shape } => [("rate", rate, rate >= 0.0), ("shape", shape, shape > 0.0)],
        Change::GammaPoisson { alpha, beta } => [("alpha", alpha, alpha >= 0.0), ("beta", beta, beta > 0.0)],
    };
    match parameters.into_iter().find(|(_, value, in_range)| !(value.is_finite() && *in_range)) {
        None => Ok(()),
        Some((column, value, _)) => {
            let message = format!("An item changes with {column} {value}.");
            let hint = "Rate and alpha are finite and 0 or more, shape and beta finite and above 0.";
            Err(Problem::new(Kind::Value, message, hint).in_column(column))
        }
    }
}

/// Checks that the simulation ends in reasonable time.
fn size(request: &Request) -> Result<()> {
    let Request { frequency, horizon, runs, .. } = *request;
    if let Some(row) = frequency.iter().position(|f| f * horizon > MOST_VISITS_OF_ITEM) {
        let message = format!("Item {row} would have {:.0} visits in a run.", frequency[row] * horizon);
        let hint = format!("Shorten the horizon to {} or less.", MOST_VISITS_OF_ITEM / frequency[row]);
        return Err(Problem::new(Kind::Size, message, hint).at_row(row).in_column("horizon"));
    }
    let visits = frequency.iter().sum::<f64>() * horizon + frequency.len() as f64;
    if visits * runs as f64 > MOST_VISITS {
        let message = format!("{runs} runs of {visits:.0} items and visits are more than can be simulated.");
        let hint = format!("Ask for {:.0} runs or fewer, or shorten the horizon.", (MOST_VISITS / visits).floor());
        return Err(Problem::new(Kind::Size, message, hint).in_column("runs"));
    }
    Ok(())
}
