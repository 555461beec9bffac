//! What all items together ask for at one price, block by block.
//!
//! A market answers the one question that every policy's search asks: at this price, what does each item want, what does
//! that cost, and how does it move? The optimal policy's item wants the f with w·b(f) = price·κ; "uniform" and
//! "proportional" are markets too, in which item i wants ρᵢ/price with ρᵢ = 1 or its mean rate, so that bounds, host caps,
//! budgets and targets are solved once for all three.

use std::ops::Range;

use super::Policy;
use super::items::Items;
use crate::change::{Change, Model};
use crate::numeric::sum::Sum;
pub(super) use crate::staleness::many::BLOCK;
use crate::staleness::poisson::Response;
use crate::staleness::{Demand, Metric, Staleness};
use crate::with_response;

pub(super) static ZEROS: [f64; BLOCK] = [0.0; BLOCK];
pub(super) static ONES: [f64; BLOCK] = [1.0; BLOCK];
pub(super) static INFINITE: [f64; BLOCK] = [f64::INFINITY; BLOCK];

/// A column's values for a block of rows, or its default.
pub(super) fn block_of<'a>(column: Option<&'a [f64]>, default: &'a [f64; BLOCK], rows: &Range<usize>) -> &'a [f64] {
    column.map_or(&default[..rows.len()], |values| &values[rows.clone()])
}

/// Blocks of rows that cover `0..len`.
pub(super) fn blocks(len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(BLOCK).map(move |start| start..(start + BLOCK).min(len))
}

/// What is asked for at a price, above the least frequencies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Asked {
    /// Σ n·κ·(f − lo).
    pub(super) excess: f64,
    /// Its derivative by ln price.
    pub(super) slope: f64,
}

/// The answers of one block of items.
struct Answers {
    frequency: [f64; BLOCK],
    slope: [f64; BLOCK],
}

/// Items, a policy, and the bounds that hold.
#[derive(Debug, Clone)]
pub(super) struct Market<'a> {
    pub(super) items: &'a Items,
    pub(super) policy: Policy,
    /// The metric under its order; the optimal policy's wish, and what targets are measured in.
    pub(super) staleness: Staleness,
    /// Greatest frequencies, where host caps have lowered them.
    pub(super) ceiling: Option<Vec<f64>>,
}

impl<'a> Market<'a> {
    /// A market with the items' own bounds.
    pub(super) fn new(items: &'a Items, policy: Policy, staleness: Staleness) -> Self {
        Self { items, policy, staleness, ceiling: None }
    }

    fn ceiling(&self) -> Option<&[f64]> {
        self.ceiling.as_deref().or(self.items.columns().max.as_deref())
    }

    /// Whether any frequency has a bound besides 0.
    pub(super) fn bounded(&self) -> bool {
        self.ceiling().is_some() || self.items.columns().min.is_some()
    }

    /// The least frequency of row `i`.
    pub(super) fn least(&self, i: usize) -> f64 {
        self.items.min(i)
    }

    /// The greatest frequency of row `i`.
    pub(super) fn greatest(&self, i: usize) -> f64 {
        self.ceiling().map_or(f64::INFINITY, |values| values[i])
    }

    /// Whether row `i` ever asks for anything.
    pub(super) fn wants(&self, i: usize) -> bool {
        match self.policy {
            Policy::Optimal => {
                self.items.stake(i) > 0.0 && self.items.unit(i).is_finite() && !self.items.change(i).never()
            }
            Policy::Uniform => true,
            Policy::Proportional => self.items.mean_rate(i) > 0.0,
        }
    }

    /// The share ρ of row `i` under the policies that go by share.
    pub(super) fn share(&self, i: usize) -> f64 {
        match self.policy {
            Policy::Optimal | Policy::Uniform => 1.0,
            Policy::Proportional => self.items.mean_rate(i),
        }
    }

    /// The price from which on nobody asks for anything; ∞ where there is none.
    pub(super) fn top(&self) -> f64 {
        if self.policy != Policy::Optimal || self.staleness.metric != Metric::Freshness {
            return f64::INFINITY;
        }
        1.0 / (0..self.items.len()).map(|i| self.pace(i)).fold(f64::INFINITY, f64::min)
    }

    /// κ/(w·`E[T]`): at what part of 1/price row `i` stops to ask for freshness; ∞ where it never asks, 0 where it never stops.
    #[inline]
    pub(super) fn pace(&self, i: usize) -> f64 {
        let unit = self.items.unit(i);
        let change = self.items.change(i);
        if change.never() || unit == f64::INFINITY {
            return f64::INFINITY;
        }
        let pace = match change {
            Change::Poisson { rate } => rate * unit,
            _ => unit / change.mean_time(),
        };
        if pace.is_nan() { 0.0 } else { pace }
    }

    fn answer(&self, rows: &Range<usize>, price: f64, answers: &mut Answers) {
        let len = rows.len();
        let (frequency, slope) = (&mut answers.frequency[..len], &mut answers.slope[..len]);
        match self.policy {
            Policy::Optimal => {
                let unit = block_of(self.items.unit_column(), &ONES, rows);
                self.wishes(rows, unit, price, frequency, slope);
            }
            Policy::Uniform | Policy::Proportional => {
                for (k, i) in rows.clone().enumerate() {
                    frequency[k] = self.share(i) / price;
                    slope[k] = -frequency[k];
                }
            }
        }
        if !self.bounded() {
            return;
        }
        let floor = block_of(self.items.columns().min.as_deref(), &ZEROS, rows);
        let ceiling = block_of(self.ceiling(), &INFINITE, rows);
        for k in 0..len {
            let asked = frequency[k];
            frequency[k] = asked.min(ceiling[k]).max(floor[k]);
            slope[k] = if asked >= floor[k] && asked <= ceiling[k] { slope[k] } else { 0.0 };
        }
    }

    /// What the items of a block would like, bounds aside: the f with b(f) = price·unit.
    fn wishes(&self, rows: &Range<usize>, unit: &[f64], price: f64, frequency: &mut [f64], slope: &mut [f64]) {
        if self.items.model() == Model::Poisson {
            let rate = &self.items.columns().rate[rows.clone()];
            with_response!(self.staleness, R => wish::<R>(rate, unit, price, frequency, slope));
            return;
        }
        for (k, i) in rows.clone().enumerate() {
            let own = price * unit[k];
            if own < f64::INFINITY {
                let demand = self.items.demand(self.staleness, i, own);
                (frequency[k], slope[k]) = (demand.frequency, demand.slope);
            } else {
                (frequency[k], slope[k]) = (0.0, 0.0);
            }
        }
    }

    /// What all ask for at `price`.
    pub(super) fn asked(&self, price: f64) -> Asked {
        let mut answers = Answers { frequency: [0.0; BLOCK], slope: [0.0; BLOCK] };
        let (mut excess, mut slope) = (Sum::default(), Sum::default());
        for rows in blocks(self.items.len()) {
            self.answer(&rows, price, &mut answers);
            let asked = self.asked_by(&rows, &answers);
            excess.add(asked.excess);
            slope.add(asked.slope);
        }
        Asked { excess: excess.total(), slope: slope.total() }
    }

    fn asked_by(&self, rows: &Range<usize>, answers: &Answers) -> Asked {
        let size = block_of(self.items.size_column(), &ONES, rows);
        let floor = block_of(self.items.columns().min.as_deref(), &ZEROS, rows);
        Asked {
            excess: lanes(rows.len(), |k| size[k] * (answers.frequency[k] - floor[k])),
            slope: lanes(rows.len(), |k| size[k] * answers.slope[k]),
        }
    }

    /// The mean of the plan at `price` in the market's own metric, and its derivative by ln price. For freshness, `fresh`
    /// chooses between the share up to date and the share that is stale, so that the small one keeps its digits.
    pub(super) fn mean(&self, price: f64, fresh: bool) -> (f64, f64) {
        let mut answers = Answers { frequency: [0.0; BLOCK], slope: [0.0; BLOCK] };
        let (mut mean, mut slope) = (Sum::default(), Sum::default());
        for rows in blocks(self.items.len()) {
            self.answer(&rows, price, &mut answers);
            for (k, i) in rows.enumerate() {
                let stake = self.items.stake(i);
                if stake > 0.0 {
                    mean.add(stake * self.measure(i, answers.frequency[k], fresh));
                    if answers.slope[k] != 0.0 {
                        slope.add(
                            -stake * self.items.benefit(self.staleness, i, answers.frequency[k]) * answers.slope[k],
                        );
                    }
                }
            }
        }
        let total = self.items.total_stake();
        (mean.total() / total, if fresh { -slope.total() } else { slope.total() } / total)
    }

    /// The cost of row `i`, or its freshness; without end, visits make every copy current.
    pub(super) fn measure(&self, i: usize, frequency: f64, fresh: bool) -> f64 {
        match (frequency.is_finite(), fresh) {
            (true, true) => self.items.freshness(self.staleness.order, i, frequency),
            (true, false) => self.items.average(self.staleness, i, frequency),
            (false, true) => 1.0,
            (false, false) => 0.0,
        }
    }

    /// The plan at `price`.
    pub(super) fn plan(&self, price: f64) -> Vec<f64> {
        let mut answers = Answers { frequency: [0.0; BLOCK], slope: [0.0; BLOCK] };
        let mut plan = Vec::with_capacity(self.items.len());
        for rows in blocks(self.items.len()) {
            self.answer(&rows, price, &mut answers);
            plan.extend_from_slice(&answers.frequency[..rows.len()]);
        }
        plan
    }

    /// The plan at `price`, how each frequency moves with ln price, and what all ask for.
    pub(super) fn plan_with_slope(&self, price: f64) -> (Vec<f64>, Vec<f64>, Asked) {
        let mut answers = Answers { frequency: [0.0; BLOCK], slope: [0.0; BLOCK] };
        let (mut plan, mut slopes) = (Vec::with_capacity(self.items.len()), Vec::with_capacity(self.items.len()));
        let (mut excess, mut slope) = (Sum::default(), Sum::default());
        for rows in blocks(self.items.len()) {
            self.answer(&rows, price, &mut answers);
            plan.extend_from_slice(&answers.frequency[..rows.len()]);
            slopes.extend_from_slice(&answers.slope[..rows.len()]);
            let asked = self.asked_by(&rows, &answers);
            excess.add(asked.excess);
            slope.add(asked.slope);
        }
        (plan, slopes, Asked { excess: excess.total(), slope: slope.total() })
    }

    /// A plan moved along its slopes by `step` in ln price, within its bounds.
    pub(super) fn nudge(&self, mut plan: Vec<f64>, slope: &[f64], step: f64) -> Vec<f64> {
        if !self.bounded() {
            for (f, slope) in plan.iter_mut().zip(slope) {
                let moved = *f + slope * step;
                *f = if moved > 0.0 { moved } else { 0.0 };
            }
            return plan;
        }
        for rows in blocks(self.items.len()) {
            let floor = block_of(self.items.columns().min.as_deref(), &ZEROS, &rows);
            let ceiling = block_of(self.ceiling(), &INFINITE, &rows);
            let slope = &slope[rows.clone()];
            for (k, f) in plan[rows].iter_mut().enumerate() {
                *f = (*f + slope[k] * step).min(ceiling[k]).max(floor[k]);
            }
        }
        plan
    }

    /// Σ n·κ·(f − lo) of a plan.
    pub(super) fn excess(&self, plan: &[f64]) -> f64 {
        let mut excess = Sum::default();
        for rows in blocks(self.items.len()) {
            let size = block_of(self.items.size_column(), &ONES, &rows);
            let floor = block_of(self.items.columns().min.as_deref(), &ZEROS, &rows);
            let plan = &plan[rows.clone()];
            excess.add(lanes(rows.len(), |k| size[k] * (plan[k] - floor[k])));
        }
        excess.total()
    }

    /// Σ n·κ·f of a plan.
    pub(super) fn spent(&self, plan: &[f64]) -> f64 {
        let mut spent = Sum::default();
        for rows in blocks(self.items.len()) {
            let size = block_of(self.items.size_column(), &ONES, &rows);
            let plan = &plan[rows.clone()];
            spent.add(lanes(rows.len(), |k| size[k] * plan[k]));
        }
        spent.total()
    }

    /// The same market over some of the rows.
    pub(super) fn with_items<'b>(&self, items: &'b Items, rows: &[usize]) -> Market<'b> {
        let ceiling = self.ceiling.as_ref().map(|values| rows.iter().map(|&i| values[i]).collect());
        Market { items, policy: self.policy, staleness: self.staleness, ceiling }
    }
}

/// [`Market::wishes`] of Poisson items, compiled once per metric and order.
fn wish<R: Response>(rate: &[f64], unit: &[f64], price: f64, frequency: &mut [f64], slope: &mut [f64]) {
    for (((rate, unit), frequency), slope) in rate.iter().zip(unit).zip(frequency).zip(slope) {
        let own = price * unit;
        let demand = if own < f64::INFINITY { R::demand(*rate, own) } else { Demand { frequency: 0.0, slope: 0.0 } };
        (*frequency, *slope) = (demand.frequency, demand.slope);
    }
}

/// Σ term(k) over k < len, in four interleaved parts so that the additions need not wait for one another.
#[inline]
pub(super) fn lanes(len: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut parts = [0.0; 4];
    let whole = len & !3;
    let mut k = 0;
    while k < whole {
        parts[0] += term(k);
        parts[1] += term(k + 1);
        parts[2] += term(k + 2);
        parts[3] += term(k + 3);
        k += 4;
    }
    let rest: f64 = (whole..len).map(&term).sum();
    (parts[0] + parts[1]) + (parts[2] + parts[3]) + rest
}

/// The rows of about `wanted` items spread over all, each drawn from its own stretch so that a pattern in the order of the
/// rows cannot hide one kind of item.
pub(super) fn sample(len: usize, wanted: usize) -> Vec<usize> {
    let stretch = len as f64 / wanted as f64;
    // The golden ratio's multiples fall evenly into every stretch.
    let place = |k: usize| (k as f64 + (k as f64 * 0.618_033_988_749_894_9) % 1.0) * stretch;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // below len, and never negative
    (0..wanted).map(|k| (place(k) as usize).min(len - 1)).collect()
}
