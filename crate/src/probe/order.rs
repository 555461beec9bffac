//! In which order to send the queries of a round (Yang et al. §4.3), and how often each (spec `model.md`, content freshness).
//!
//! An item with rate λ synced t ago has missed changes whose delays sum to ½λt² on average, exactly (Campbell's theorem). Of k
//! queries sent one per interval I, the x-th sent is (k − x)·I old at the end of the round, so with
//! aᵢ = (1/|L|) Σ_{e∈gᵢ} ½wλI² the relation stands at Σ aᵢ(k − xᵢ)²: least when small aᵢ go first.
//!
//! Order decides only where a round *ends*. Averaged over a steady cycle of period P every order gives Σ wλP²/(6|L|); what
//! lowers that is sending some queries more often: fᵢ ∝ (Σ_{e∈gᵢ} wλ/κᵢ)^(1/3), κ the requests that a query takes.

use super::index::Lists;
use crate::numeric::cube_root::cbrt;
use crate::numeric::sort;
use crate::numeric::sum::sum;
use crate::problem::{Kind, Problem, Result};

/// Disjoint groups of rows, each with what changes in it per unit of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// Σ wλ of each group.
    pub change: Vec<f64>,
    /// The rows of each; a row that several groups name belongs to the first.
    pub rows: Lists,
    /// |L|, all rows.
    pub size: usize,
}

/// Refuses a column with an entry that is not a finite number from 0 up, or of the wrong length.
pub(super) fn measures(values: &[f64], rows: usize, name: &str) -> Result<()> {
    if values.len() != rows {
        return Err(Problem::new(
            Kind::Length,
            format!("`{name}` has {} entries for {rows} rows", values.len()),
            "Give one entry for each row.",
        )
        .in_column(name));
    }
    match values.iter().position(|value| !(value.is_finite() && *value >= 0.0)) {
        Some(row) => Err(Problem::new(
            Kind::Value,
            format!("`{name}` of row {row} (counting from 0) is {}, not a finite number from 0 up", values[row]),
            "Correct the entry, or leave the row out.",
        )
        .at_row(row)
        .in_column(name)),
        None => Ok(()),
    }
}

/// Refuses a number that is not finite and above 0.
pub(super) fn above_zero(value: f64, name: &str) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Problem::new(
        Kind::Value,
        format!("`{name}` is {value}, not a finite number above 0"),
        "Give a finite number above 0.",
    )
    .in_column(name))
}

impl Groups {
    /// Checks the columns and makes the groups disjoint: the first query that names a row refreshes it.
    pub fn new(groups: &Lists, weight: Option<&[f64]>, rate: &[f64]) -> Result<Self> {
        measures(rate, rate.len(), "rate")?;
        if let Some(weight) = weight {
            measures(weight, rate.len(), "weight")?;
        }
        let mut taken = vec![false; rate.len()];
        let mut rows = Lists::with_capacity(groups.len(), groups.entries().min(rate.len()));
        let mut change = Vec::with_capacity(groups.len());
        for (place, group) in groups.iter().enumerate() {
            let mut total = Vec::with_capacity(group.len());
            for &row in group {
                let Some(taken) = taken.get_mut(row as usize) else {
                    return Err(Problem::new(
                        Kind::Value,
                        format!("group {place} (counting from 0) names row {row}, and there are {} rows", rate.len()),
                        "Rows count from 0.",
                    )
                    .at_row(place)
                    .in_column("groups"));
                };
                if !std::mem::replace(taken, true) {
                    rows.push(row);
                    total.push(weight.map_or(1.0, |weight| weight[row as usize]) * rate[row as usize]);
                }
            }
            rows.end_list();
            change.push(sum(total));
        }
        Ok(Self { change, rows, size: rate.len() })
    }

    /// How many groups there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.change.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.change.is_empty()
    }

    /// aᵢ for one query per `interval`.
    #[must_use]
    pub fn a(&self, interval: f64) -> Vec<f64> {
        let size = self.size.max(1) as f64;
        self.change.iter().map(|change| 0.5 * change * interval * interval / size).collect()
    }
}

/// The best order of a round.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryOrder {
    /// Which query goes out first, second, ….
    pub order: Vec<u32>,
    /// aᵢ of each query.
    pub a: Vec<f64>,
    /// The expected content freshness at the end of the round.
    pub value: f64,
}

/// E[F(L; kI)] = Σ aᵢ(k − xᵢ)² when query i is sent as the xᵢ-th (0: not at all).
#[must_use]
pub fn end_of_round(a: &[f64], x: &[usize]) -> f64 {
    let k = a.len() as f64;
    sum(a.iter().zip(x).map(|(a, &x)| a * (k - x as f64) * (k - x as f64)))
}

/// The order that leaves the relation freshest at the end of a round of one query per `interval`: ascending aᵢ.
pub fn order_queries(groups: &Groups, interval: f64) -> Result<QueryOrder> {
    above_zero(interval, "interval")?;
    let a = groups.a(interval);
    let order = sort::order(groups.change.iter().copied(), false);
    let mut x = vec![0; a.len()];
    order.iter().enumerate().for_each(|(place, &query)| x[query as usize] = place + 1);
    let value = end_of_round(&a, &x);
    Ok(QueryOrder { order, a, value })
}

/// How often to send each query in the long run.
#[derive(Debug, Clone, PartialEq)]
pub struct Frequencies {
    /// Times per unit of time, by the cube-root law.
    pub frequency: Vec<f64>,
    /// The content freshness that it keeps on average.
    pub average: f64,
    /// The same when all queries are sent alike, in any order.
    pub alike: f64,
}

/// The frequencies that keep the average content freshness least with so many requests per unit of time, when query i takes
/// `requests[i]` of them: fᵢ ∝ (Λᵢ/κᵢ)^(1/3), average Σ Λᵢ/(6fᵢ²|L|) over the rows that the groups hold.
pub fn frequencies(groups: &Groups, requests: &[f64], budget: f64) -> Result<Frequencies> {
    above_zero(budget, "budget")?;
    measures(requests, groups.len(), "requests")?;
    let size = groups.size.max(1) as f64;
    let share: Vec<f64> = groups
        .change
        .iter()
        .zip(requests)
        .map(|(&change, &requests)| if requests > 0.0 { cbrt(change / requests) } else { 0.0 })
        .collect();
    let spent = sum(share.iter().zip(requests).map(|(share, requests)| share * requests));
    let frequency: Vec<f64> =
        share.iter().map(|share| if spent > 0.0 { budget * share / spent } else { 0.0 }).collect();
    let cycle = sum(requests.iter().copied()) / budget;
    let average = |frequency: &dyn Fn(usize) -> f64| {
        let of = |(query, &change): (usize, &f64)| {
            if change > 0.0 { change / (6.0 * frequency(query) * frequency(query)) / size } else { 0.0 }
        };
        sum(groups.change.iter().enumerate().map(of))
    };
    let alike = average(&|_| 1.0 / cycle);
    Ok(Frequencies { average: average(&|query| frequency[query]), alike, frequency })
}
