//! The table of items: sorted, searched and paged here, so that a million rows cost the page only what it shows; and one
//! row's "why?".

use serde::Deserialize;

use super::allocate::Reason;
use super::dataset::{Dataset, Solved};
use super::{PIXELS, Rows, Series, thinned};
use crate::numeric::sort;
use crate::problem::{Kind, Problem, Result};
use crate::replay::{regular_visits, sawtooth};
use crate::staleness::{Metric, Staleness};

#[cfg(feature = "wasm")]
use {serde::Serialize, tsify::Tsify};

/// How many gaps between visits one item is shown with, unless a horizon is asked for.
const GAPS_SHOWN: f64 = 6.0;

/// What the table is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(Tsify))]
pub enum SortKey {
    /// The order of the file.
    Row,
    /// The name, by code point.
    Id,
    /// Rate of change.
    Rate,
    /// Importance.
    Weight,
    /// Visits a day.
    Frequency,
    /// Expected freshness.
    Freshness,
    /// Expected age.
    Age,
    /// Share of the budget.
    Share,
}

/// Which rows of the table are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(Tsify))]
pub struct RowsQuery {
    /// Sorted by this.
    pub sort: SortKey,
    /// Largest first.
    pub descending: bool,
    /// Only rows whose name has this in it, whatever the case.
    pub search: String,
    /// Skip so many.
    pub from: usize,
    /// Give so many at most.
    pub count: usize,
}

impl RowsQuery {
    /// Whether the other asks for rows in the same order.
    fn same_order(&self, other: &Self) -> bool {
        (self.sort, self.descending, &self.search) == (other.sort, other.descending, &other.search)
    }
}

/// A page of the table of items.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify))]
pub struct RowsView {
    /// How many rows the search leaves.
    pub total: usize,
    /// Row numbers, from 0.
    pub row: Rows,
    /// Names.
    pub id: Vec<String>,
    /// Changes a day.
    pub rate: Series,
    /// Importance.
    pub weight: Series,
    /// Items that the row stands for.
    pub count: Series,
    /// Visits a day.
    pub frequency: Series,
    /// Expected freshness.
    pub freshness: Series,
    /// Expected age in days.
    pub age: Series,
    /// Share of the budget spent.
    pub share: Series,
    /// Why that frequency.
    pub reason: Vec<Reason>,
}

/// Why a row has the frequency that it has.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify), serde(rename_all = "camelCase"))]
pub struct Why {
    /// Row number, from 0.
    pub row: usize,
    /// Name.
    pub id: String,
    /// In a word.
    pub reason: Reason,
    /// Changes a day.
    pub rate: f64,
    /// Importance.
    pub weight: f64,
    /// Cost of a visit.
    pub cost: f64,
    /// Items that the row stands for.
    pub count: f64,
    /// Its host.
    #[cfg_attr(feature = "wasm", serde(skip_serializing_if = "Option::is_none"), tsify(optional))]
    pub host: Option<String>,
    /// Visits a day.
    pub frequency: f64,
    /// Expected freshness.
    pub freshness: f64,
    /// Expected age in days.
    pub age: f64,
    /// Share of the budget spent.
    pub share: f64,
    /// What one more visit a day to it buys, per unit of cost, at its present frequency.
    pub worth: f64,
    /// The most that any visit to it can buy: what the very first one is worth.
    pub first_visit_worth: f64,
    /// What a visit must buy to be worth it.
    pub price: f64,
    /// Its frequency when all are visited alike.
    pub uniform_frequency: f64,
    /// Its frequency in proportion to its rate.
    pub proportional_frequency: f64,
    /// The rate from which on an item of its importance gets no visit, if any.
    #[cfg_attr(feature = "wasm", serde(skip_serializing_if = "Option::is_none"), tsify(optional))]
    pub cutoff_rate: Option<f64>,
}

/// One item between its visits.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify), serde(rename_all = "camelCase"))]
pub struct ItemView {
    /// Row number, from 0.
    pub row: usize,
    /// Name.
    pub id: String,
    /// Times in days; twice at a visit, before and after it.
    pub time: Series,
    /// Chance that the copy is up to date.
    pub freshness: Series,
    /// Expected age in days.
    pub age: Series,
    /// When it is visited.
    pub visits: Series,
    /// Freshness in the long run.
    pub mean_freshness: f64,
    /// Age in the long run, in days.
    pub mean_age: f64,
}

impl Solved {
    pub(super) fn freshness(&self, i: usize) -> f64 {
        self.measure(Metric::Freshness).freshness(&self.items.change(i), self.chosen.frequency[i])
    }

    pub(super) fn age(&self, i: usize) -> f64 {
        self.measure(Metric::Age).average(&self.items.change(i), self.chosen.frequency[i])
    }

    /// Share of what is spent that goes to row `i`.
    pub(super) fn share(&self, i: usize) -> f64 {
        let spent = self.items.count(i) * self.items.cost(i) * self.chosen.frequency[i];
        if self.chosen.spent > 0.0 { spent / self.chosen.spent } else { 0.0 }
    }

    fn measure(&self, metric: Metric) -> Staleness {
        Staleness { metric, order: self.knobs.order }
    }
}

impl Dataset {
    /// A page of the table. The order is kept, so that scrolling a million rows does not sort them again.
    pub fn rows(&mut self, query: &RowsQuery) -> Result<RowsView> {
        let known = self.order.take().filter(|(asked, _)| asked.same_order(query));
        let order = match known {
            Some((_, order)) => order,
            None => self.sorted(query, self.solved()?),
        };
        let page: Vec<u32> = order.iter().skip(query.from).take(query.count).copied().collect();
        let total = order.len();
        self.order = Some((query.clone(), order));
        let solved = self.solved()?;
        let each = |value: &dyn Fn(usize) -> f64| -> Series { page.iter().map(|&row| value(row as usize)).collect() };
        Ok(RowsView {
            total,
            id: page.iter().map(|&row| self.ids.get(row as usize).into_owned()).collect(),
            rate: each(&|i| solved.items.mean_rate(i)),
            weight: each(&|i| solved.items.weight(i)),
            count: each(&|i| solved.items.count(i)),
            frequency: each(&|i| solved.chosen.frequency[i]),
            freshness: each(&|i| solved.freshness(i)),
            age: each(&|i| solved.age(i)),
            share: each(&|i| solved.share(i)),
            reason: page.iter().map(|&row| solved.reason(row as usize)).collect(),
            row: Rows(page),
        })
    }

    /// The rows that the search leaves, sorted; rows that tie keep the order of the file.
    fn sorted(&self, query: &RowsQuery, solved: &Solved) -> Vec<u32> {
        let needle = query.search.trim().to_lowercase();
        let mut rows: Vec<u32> = (0..u32::try_from(self.len()).unwrap_or(u32::MAX))
            .filter(|&row| needle.is_empty() || self.ids.get(row as usize).to_lowercase().contains(&needle))
            .collect();
        let key: &dyn Fn(usize) -> f64 = match query.sort {
            SortKey::Row | SortKey::Id => {
                if query.sort == SortKey::Id {
                    sort::places(&mut rows, &|a, b| self.ids.compare(a as usize, b as usize));
                }
                if query.descending {
                    rows.reverse();
                }
                return rows;
            }
            SortKey::Rate => &|row| solved.items.mean_rate(row),
            SortKey::Weight => &|row| solved.items.weight(row),
            SortKey::Frequency => &|row| solved.chosen.frequency[row],
            SortKey::Freshness => &|row| solved.freshness(row),
            SortKey::Age => &|row| solved.age(row),
            SortKey::Share => &|row| solved.share(row),
        };
        let order = sort::order(rows.iter().map(|&row| key(row as usize)), query.descending);
        order.into_iter().map(|place| rows[place as usize]).collect()
    }

    /// Why a row has the frequency that it has.
    pub fn why(&self, row: usize) -> Result<Why> {
        let solved = self.solved()?;
        let row = self.existing(row)?;
        let (items, staleness) = (&solved.items, solved.knobs.staleness());
        let (change, frequency) = (items.change(row), solved.chosen.frequency[row]);
        let importance = items.weight(row) / items.cost(row);
        let first_visit_worth = if change.never() {
            0.0
        } else if staleness.metric == Metric::Freshness {
            importance * change.mean_time()
        } else {
            importance * f64::INFINITY
        };
        let worth =
            if frequency > 0.0 { importance * staleness.benefit(&change, frequency) } else { first_visit_worth };
        let cutoff_rate = Some(items.mean_rate(row) * first_visit_worth / solved.optimal.price)
            .filter(|rate| staleness.metric == Metric::Freshness && rate.is_finite() && *rate > 0.0);
        Ok(Why {
            row,
            id: self.ids.get(row).into_owned(),
            reason: solved.reason(row),
            rate: items.mean_rate(row),
            weight: items.weight(row),
            cost: items.cost(row),
            count: items.count(row),
            host: items.host(row).and_then(|host| self.hosts.get(host as usize)).cloned(),
            frequency,
            freshness: solved.freshness(row),
            age: solved.age(row),
            share: solved.share(row),
            worth,
            first_visit_worth,
            price: solved.optimal.price,
            uniform_frequency: solved.uniform.frequency[row],
            proportional_frequency: solved.proportional.frequency[row],
            cutoff_rate,
        })
    }

    /// One item between its visits, over `horizon` days from a visit; a horizon of 0 shows a few of its gaps.
    pub fn item(&self, row: usize, horizon: f64) -> Result<ItemView> {
        let solved = self.solved()?;
        let row = self.existing(row)?;
        let (change, frequency) = (solved.items.change(row), solved.chosen.frequency[row]);
        let gap = if frequency > 0.0 { 1.0 / frequency } else { change.mean_time() };
        let few = if gap.is_finite() { GAPS_SHOWN * gap } else { 1.0 };
        let horizon = if horizon > 0.0 { horizon } else { few };
        let visits = regular_visits(frequency, 0.0, 0.0, horizon)?;
        let curve = sawtooth(&change, 0.0, &visits, 0.0, horizon)?;
        Ok(ItemView {
            row,
            id: self.ids.get(row).into_owned(),
            time: curve.time.into(),
            freshness: curve.freshness.into(),
            age: curve.age.into(),
            visits: thinned(visits.len(), PIXELS).map(|k| visits[k]).collect(),
            mean_freshness: solved.freshness(row),
            mean_age: solved.age(row),
        })
    }

    pub(super) fn existing(&self, row: usize) -> Result<usize> {
        if row < self.len() {
            return Ok(row);
        }
        Err(Problem::new(
            Kind::Value,
            format!("there is no row {row}: the set has {} rows, counted from 0", self.len()),
            "Ask for a row of the table.",
        )
        .at_row(row))
    }
}
