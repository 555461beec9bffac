//! The items that a plan shares its budget among, checked once (spec: "Allocation", the columns of an item).
//!
//! [`Columns`] is what people bring; [`Items`] is what the solvers accept: equally long columns of numbers that make
//! sense, so that nothing downstream needs to check again.

use std::sync::Arc;

use crate::change::{Change, Model};
use crate::problem::{Figure, Kind, Problem, Result};
use crate::staleness::Curves;

/// Items as people bring them: one value per item in every column that is there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Columns {
    /// λ ≥ 0: changes per unit of time (Poisson), or the λ of S(t) = exp(−λ t^γ) (Weibull). Gamma–Poisson takes its
    /// rate from `alpha` and `beta`: there this column may be empty, and is not used.
    pub rate: Vec<f64>,
    /// Importance w ≥ 0; 1 when absent.
    pub weight: Option<Vec<f64>>,
    /// What one visit costs, κ > 0; 1 when absent.
    pub cost: Option<Vec<f64>>,
    /// How many alike items the row stands for, n > 0; 1 when absent.
    pub count: Option<Vec<f64>>,
    /// Least frequency, ≥ 0; 0 when absent.
    pub min: Option<Vec<f64>>,
    /// Greatest frequency, ∞ allowed; no limit when absent.
    pub max: Option<Vec<f64>>,
    /// γ > 0 of a Weibull.
    pub shape: Option<Vec<f64>>,
    /// α ≥ 0, the Gamma's shape, of a Gamma–Poisson.
    pub alpha: Option<Vec<f64>>,
    /// β > 0, the Gamma's rate, of a Gamma–Poisson.
    pub beta: Option<Vec<f64>>,
    /// Which host the item lives on: an index into the host caps.
    pub host: Option<Vec<u32>>,
}

/// Items that have been checked; made by [`Items::new`].
#[derive(Debug, Clone)]
pub struct Items {
    model: Model,
    columns: Columns,
    len: usize,
    total_count: f64,
    total_stake: f64,
    /// n·κ: what one visit to every item of the row costs. `None` where all are 1.
    size: Option<Vec<f64>>,
    /// κ / w: the price of one item's visit per unit of importance; ∞ where w = 0. `None` where all are 1.
    unit: Option<Vec<f64>>,
    /// n·w: what the row weighs in a mean. `None` where all are 1.
    stake: Option<Vec<f64>>,
    /// The costs of all rows, where they share one shape and are many.
    curves: Option<Arc<Curves>>,
}

/// From how many rows on tables pay.
const MANY: usize = 256;

impl Items {
    /// Checks `columns` and keeps them. The problem names the item (`row`, counted from 0) and the column.
    pub fn new(model: Model, columns: Columns) -> Result<Self> {
        let len = check_shape(model, &columns)?;
        check_values(model, &columns)?;
        let pair = |a: &Option<Vec<f64>>, b: &Option<Vec<f64>>, op: fn(f64, f64) -> f64| {
            (a.is_some() || b.is_some())
                .then(|| (0..len).map(|i| op(get(a.as_ref(), i, 1.0), get(b.as_ref(), i, 1.0))).collect::<Vec<_>>())
        };
        let size = pair(&columns.count, &columns.cost, |count, cost| count * cost);
        let unit = pair(&columns.cost, &columns.weight, |cost, weight| cost / weight);
        let stake = pair(&columns.count, &columns.weight, |count, weight| count * weight);
        let total = |column: &Option<Vec<f64>>| column.as_ref().map_or(len as f64, |values| values.iter().sum::<f64>());
        let (total_count, total_stake) = (total(&columns.count), total(&stake));
        for (name, total) in [("count", total_count), ("weight", total_stake), ("cost", total(&size))] {
            if !total.is_finite() {
                return Err(Problem::new(
                    Kind::Value,
                    format!("the column {name} is too large to add up"),
                    "Give it in a larger unit, so that its numbers get smaller.",
                )
                .in_column(name));
            }
        }
        let mut items = Self { model, columns, len, total_count, total_stake, size, unit, stake, curves: None };
        if model != Model::Poisson && len >= MANY {
            items.curves = items.shared_curves();
        }
        Ok(items)
    }

    /// The curves that all rows share, if they do.
    fn shared_curves(&self) -> Option<Arc<Curves>> {
        let changing = || (0..self.len).map(|i| self.change(i)).filter(|change| !change.never());
        let curves = Curves::of(&changing().next()?)?;
        changing().all(|change| curves.fit(&change)).then(|| Arc::from(curves))
    }

    /// The curves that all rows share, if they do and are many.
    pub(crate) fn curves(&self) -> Option<&Curves> {
        self.curves.as_deref()
    }

    /// How many rows there are; at least one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: an empty set of items does not pass [`Items::new`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The change model that all items follow.
    #[must_use]
    pub fn model(&self) -> Model {
        self.model
    }

    /// The columns as they were given.
    #[must_use]
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// How item `i` changes.
    #[must_use]
    pub fn change(&self, i: usize) -> Change {
        match self.model {
            Model::Poisson => Change::Poisson { rate: self.columns.rate[i] },
            Model::Weibull => {
                Change::Weibull { rate: self.columns.rate[i], shape: get(self.columns.shape.as_ref(), i, 1.0) }
            }
            Model::GammaPoisson => Change::GammaPoisson {
                alpha: get(self.columns.alpha.as_ref(), i, 0.0),
                beta: get(self.columns.beta.as_ref(), i, 1.0),
            },
        }
    }

    /// Changes per unit of time of item `i` in the long run: λ, the inverse of the mean life (Weibull), or α/β.
    #[must_use]
    pub fn mean_rate(&self, i: usize) -> f64 {
        self.change(i).mean_rate()
    }

    /// w: the importance of item `i`.
    #[must_use]
    pub fn weight(&self, i: usize) -> f64 {
        get(self.columns.weight.as_ref(), i, 1.0)
    }

    /// κ: what one visit to item `i` costs.
    #[must_use]
    pub fn cost(&self, i: usize) -> f64 {
        get(self.columns.cost.as_ref(), i, 1.0)
    }

    /// n: how many alike items row `i` stands for.
    #[must_use]
    pub fn count(&self, i: usize) -> f64 {
        get(self.columns.count.as_ref(), i, 1.0)
    }

    /// The least frequency of item `i`.
    #[must_use]
    pub fn min(&self, i: usize) -> f64 {
        get(self.columns.min.as_ref(), i, 0.0)
    }

    /// The greatest frequency of item `i`; ∞ when there is none.
    #[must_use]
    pub fn max(&self, i: usize) -> f64 {
        get(self.columns.max.as_ref(), i, f64::INFINITY)
    }

    /// The host of item `i`.
    #[must_use]
    pub fn host(&self, i: usize) -> Option<u32> {
        self.columns.host.as_ref().map(|hosts| hosts[i])
    }

    /// Σ n: how many items the rows stand for.
    #[must_use]
    pub fn total_count(&self) -> f64 {
        self.total_count
    }

    /// Σ n·w: the denominator of every mean.
    #[must_use]
    pub fn total_stake(&self) -> f64 {
        self.total_stake
    }

    /// n·κ of row `i`: what one visit to all its items costs.
    #[must_use]
    pub fn size(&self, i: usize) -> f64 {
        get(self.size.as_ref(), i, 1.0)
    }

    /// n·w of row `i`: its share in a mean.
    #[must_use]
    pub fn stake(&self, i: usize) -> f64 {
        get(self.stake.as_ref(), i, 1.0)
    }

    /// κ / w of row `i`: the factor that turns the price of a request into this item's own price; ∞ where w = 0.
    #[must_use]
    pub fn unit(&self, i: usize) -> f64 {
        get(self.unit.as_ref(), i, 1.0)
    }

    /// Some of the rows, in the order asked for; a row may come twice.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let pick = |column: &Option<Vec<f64>>| {
            column.as_ref().map(|values| rows.iter().map(|&i| values[i]).collect::<Vec<_>>())
        };
        let from = &self.columns;
        let columns = Columns {
            rate: if from.rate.is_empty() { Vec::new() } else { rows.iter().map(|&i| from.rate[i]).collect() },
            weight: pick(&from.weight),
            cost: pick(&from.cost),
            count: pick(&from.count),
            min: pick(&from.min),
            max: pick(&from.max),
            shape: pick(&from.shape),
            alpha: pick(&from.alpha),
            beta: pick(&from.beta),
            host: None,
        };
        Self {
            model: self.model,
            columns,
            len: rows.len(),
            total_count: rows.iter().map(|&i| self.count(i)).sum(),
            total_stake: rows.iter().map(|&i| self.stake(i)).sum(),
            size: pick(&self.size),
            unit: pick(&self.unit),
            stake: pick(&self.stake),
            curves: self.curves.clone(),
        }
    }

    /// Plain Poisson items of these rates, each counted so many times; a count may be negative. Only demands mean anything.
    pub(super) fn lumps(rate: Vec<f64>, size: Vec<f64>) -> Self {
        Self {
            model: Model::Poisson,
            len: rate.len(),
            columns: Columns { rate, ..Columns::default() },
            total_count: f64::NAN,
            total_stake: f64::NAN,
            size: Some(size),
            unit: None,
            stake: None,
            curves: None,
        }
    }

    pub(super) fn size_column(&self) -> Option<&[f64]> {
        self.size.as_deref()
    }

    pub(super) fn stake_column(&self) -> Option<&[f64]> {
        self.stake.as_deref()
    }

    pub(super) fn unit_column(&self) -> Option<&[f64]> {
        self.unit.as_deref()
    }
}

fn get(column: Option<&Vec<f64>>, i: usize, default: f64) -> f64 {
    column.map_or(default, |values| values[i])
}

/// Which columns there are, and how long: returns the number of items.
fn check_shape(model: Model, columns: &Columns) -> Result<usize> {
    let needs = |name: &str, model: &str| {
        Err(Problem::new(
            Kind::Field,
            format!("the {model} model needs the column {name}"),
            format!("Add {name}, one value per item, or choose the model \"poisson\"."),
        )
        .in_column(name))
    };
    let stray = |name: &str, owner: &str| {
        Err(Problem::new(
            Kind::Field,
            format!("the column {name} belongs to the {owner} model, which is not the one chosen"),
            format!("Choose the model \"{owner}\", or leave {name} out."),
        )
        .in_column(name))
    };
    match (model, &columns.shape) {
        (Model::Weibull, None) => return needs("shape", "weibull"),
        (Model::Poisson | Model::GammaPoisson, Some(_)) => return stray("shape", "weibull"),
        _ => {}
    }
    for (name, column) in [("alpha", &columns.alpha), ("beta", &columns.beta)] {
        match (model, column) {
            (Model::GammaPoisson, None) => return needs(name, "gamma-poisson"),
            (Model::Poisson | Model::Weibull, Some(_)) => return stray(name, "gamma-poisson"),
            _ => {}
        }
    }
    let (leader, len) = match &columns.alpha {
        Some(alpha) => ("alpha", alpha.len()),
        None => ("rate", columns.rate.len()),
    };
    if len == 0 {
        return Err(Problem::new(Kind::Length, "there are no items", "Give at least one item.").in_column(leader));
    }
    let rate = (leader == "rate" || !columns.rate.is_empty()).then_some(columns.rate.len());
    let lengths = [
        ("rate", rate),
        ("weight", columns.weight.as_ref().map(Vec::len)),
        ("cost", columns.cost.as_ref().map(Vec::len)),
        ("count", columns.count.as_ref().map(Vec::len)),
        ("min", columns.min.as_ref().map(Vec::len)),
        ("max", columns.max.as_ref().map(Vec::len)),
        ("shape", columns.shape.as_ref().map(Vec::len)),
        ("alpha", columns.alpha.as_ref().map(Vec::len)),
        ("beta", columns.beta.as_ref().map(Vec::len)),
        ("host", columns.host.as_ref().map(Vec::len)),
    ];
    match lengths.into_iter().find(|&(_, length)| length.is_some_and(|length| length != len)) {
        Some((name, length)) => Err(Problem::new(
            Kind::Length,
            format!("the column {name} has {} values, but {leader} has {len}", length.unwrap_or(0)),
            "Every column needs one value per item.",
        )
        .in_column(name)),
        None => Ok(len),
    }
}

/// Whether every number is one that its column allows.
fn check_values(model: Model, columns: &Columns) -> Result<()> {
    let from_zero = |v: f64| (0.0..f64::INFINITY).contains(&v);
    let above_zero = |v: f64| v > 0.0 && v < f64::INFINITY;
    if model != Model::GammaPoisson {
        check("rate", Some(&columns.rate), from_zero, "a rate is a finite number from 0 up")?;
    }
    check("weight", columns.weight.as_ref(), from_zero, "a weight is a finite number from 0 up")?;
    check("cost", columns.cost.as_ref(), above_zero, "a cost is a finite number above 0")?;
    check("count", columns.count.as_ref(), above_zero, "a count is a finite number above 0")?;
    check("min", columns.min.as_ref(), from_zero, "a least frequency is a finite number from 0 up")?;
    check("max", columns.max.as_ref(), |v| v >= 0.0, "a greatest frequency is a number from 0 up, or infinite")?;
    check("shape", columns.shape.as_ref(), above_zero, "a shape is a finite number above 0")?;
    check("alpha", columns.alpha.as_ref(), from_zero, "alpha is a finite number from 0 up")?;
    check("beta", columns.beta.as_ref(), above_zero, "beta is a finite number above 0")?;
    if let (Some(min), Some(max)) = (&columns.min, &columns.max)
        && let Some(row) = (0..min.len()).find(|&i| min[i] > max[i])
    {
        return Err(Problem::new(
            Kind::Value,
            format!("item {row} (counting from 0): min is {}, above its max of {}", min[row], max[row]),
            "Lower min or raise max.",
        )
        .at_row(row)
        .in_column("min"));
    }
    Ok(())
}

fn check(name: &str, column: Option<&Vec<f64>>, allows: impl Fn(f64) -> bool, rule: &str) -> Result<()> {
    let Some(values) = column else { return Ok(()) };
    // Without a way out in the middle, so that several values are looked at together.
    if values.iter().fold(true, |all, &value| all & allows(value)) {
        return Ok(());
    }
    match values.iter().position(|&value| !allows(value)).map(|row| (row, values[row])) {
        Some((row, value)) => Err(Problem::new(
            Kind::Value,
            format!("item {row} (counting from 0): {name} is {}, but {rule}", Figure(value)),
            format!("Correct the {name} of that item, or leave the item out."),
        )
        .at_row(row)
        .in_column(name)),
        None => Ok(()),
    }
}
