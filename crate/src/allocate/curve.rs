//! The optimal frequency as a function of the rate of change, at one price (Cho, Figs 10, 17 and 18; Theorem 5).
//!
//! Every item of an optimal plan lies on this curve. For freshness it rises to a peak, falls, and ends at a cut-off: what
//! changes faster is not worth a visit. Where rates only set the clock (all models here), f(λ; μ) = s·g(sμ) with s the rate
//! as a frequency, so that d f / d ln s = f + d f / d ln μ: the peak is where a demand equals minus its slope.

use super::check_defined;
use super::each::first_benefit;
use crate::change::{Change, Model};
use crate::problem::{Figure, Kind, Problem, Result};
use crate::staleness::{Metric, Staleness};

/// The optimal frequency against the rate of change.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Rates of change, evenly from 0 to the greatest.
    pub rate: Vec<f64>,
    /// The optimal frequency at each.
    pub frequency: Vec<f64>,
    /// (rate, frequency) at the highest point; `None` where frequencies rise with the rate for ever (all metrics but
    /// freshness).
    pub peak: Option<(f64, f64)>,
    /// The rate from which on no visit is worth its price; ∞ where there is none.
    pub cutoff: f64,
}

/// The curve f(rate) at a price. `shape` is γ under Weibull and α under Gamma–Poisson (whose rate is then α/β); Poisson has
/// none.
pub fn frequency_curve(
    staleness: Staleness,
    model: Model,
    shape: Option<f64>,
    price: f64,
    max_rate: f64,
    points: usize,
) -> Result<Curve> {
    let shape = check(staleness, model, shape)?;
    check_number("price", price)?;
    check_number("maxRate", max_rate)?;
    check_points(model, points)?;
    let demand = |rate: f64| staleness.demand(&change(model, shape, rate), price);
    let rate: Vec<f64> = (0..points).map(|k| max_rate * (k as f64 / (points - 1) as f64)).collect();
    let frequency = rate.iter().map(|&rate| demand(rate).frequency).collect();
    let cutoff = cutoff(staleness, model, shape, price);
    let rising = |rate: f64| {
        let demand = demand(rate);
        demand.frequency + demand.slope > 0.0
    };
    let peak = (staleness.metric == Metric::Freshness)
        .then(|| highest(rising, typical(model, shape, price)))
        .flatten()
        .map(|rate| (rate, demand(rate).frequency));
    Ok(Curve { rate, frequency, peak, cutoff })
}

fn change(model: Model, shape: f64, rate: f64) -> Change {
    match model {
        Model::Poisson => Change::Poisson { rate },
        Model::Weibull => Change::Weibull { rate, shape },
        Model::GammaPoisson if rate == 0.0 => Change::GammaPoisson { alpha: 0.0, beta: 1.0 },
        Model::GammaPoisson => Change::GammaPoisson { alpha: shape, beta: shape / rate },
    }
}

/// The rate whose clock ticks about once per `price`, the one unit of time in the question.
fn typical(model: Model, shape: f64, price: f64) -> f64 {
    if model == Model::Weibull { libm::pow(price, -shape) } else { 1.0 / price }
}

/// The rate at which a first visit is worth just the price.
fn cutoff(staleness: Staleness, model: Model, shape: f64, price: f64) -> f64 {
    let at_one = first_benefit(staleness, &change(model, shape, 1.0));
    if at_one.is_infinite() {
        at_one
    } else {
        libm::pow(at_one / price, if model == Model::Weibull { shape } else { 1.0 })
    }
}

/// Bisects for the rate at which the curve stops rising, on a logarithmic axis around `typical`.
fn highest(rising: impl Fn(f64) -> bool, typical: f64) -> Option<f64> {
    let (mut low, mut high) = (typical, typical);
    for _ in 0..200 {
        if rising(low) {
            break;
        }
        low *= 0.25;
    }
    for _ in 0..200 {
        if !rising(high) {
            break;
        }
        high *= 4.0;
    }
    if !rising(low) || rising(high) {
        return None;
    }
    loop {
        let middle = low.sqrt() * high.sqrt();
        if !(middle > low && middle < high) {
            return Some(low);
        }
        if rising(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Refuses curves of more points than anybody waits for: a Poisson item answers at once, the others may need integrals.
pub(super) fn check_points(model: Model, points: usize) -> Result<()> {
    let most = if model == Model::Poisson { 100_000 } else { 10_000 };
    if (2..=most).contains(&points) {
        return Ok(());
    }
    Err(Problem::new(
        Kind::Size,
        format!("a curve of {points} points was asked for, but under this model it has 2 to {most}"),
        "A few hundred points are enough for any chart.",
    )
    .in_column("points"))
}

fn check(staleness: Staleness, model: Model, shape: Option<f64>) -> Result<f64> {
    check_defined(model, staleness)?;
    match (model, shape) {
        (Model::Poisson, None) => Ok(1.0),
        (Model::Poisson, Some(_)) => Err(Problem::new(
            Kind::Field,
            "the poisson model has no shape",
            "Leave shape out, or choose the model \"weibull\" or \"gamma-poisson\".",
        )
        .in_column("shape")),
        (_, None) => Err(Problem::new(
            Kind::Field,
            "this model needs a shape",
            "Give shape: γ for weibull, α for gamma-poisson.",
        )
        .in_column("shape")),
        (_, Some(shape)) => check_number("shape", shape).map(|()| shape),
    }
}

fn check_number(name: &str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Problem::new(
        Kind::Value,
        format!("{name} is {}, but it has to be finite and above 0", Figure(value)),
        format!("Correct {name}."),
    )
    .in_column(name))
}
