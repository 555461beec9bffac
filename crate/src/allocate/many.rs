//! A million items in three passes: one gathers them, one confirms the price and makes the plan, one proves it.
//!
//! What a Poisson item asks for at a price is one smooth function of its pace alone, but for a factor. So the items are
//! gathered into cells of like pace, 32 to an octave, and four lumps at fixed places stand for all the items of a cell,
//! with the weights that are exact for every cubic: a few thousand lumps ask for what the million asks for, to some nine
//! digits, and the search goes over those.
//!
//! Only freshness has items that are not so smooth: those whose cut-off lies close by, where demand ends like 1/ln. They
//! are taken as they are.

use std::ops::Range;

use super::Policy;
use super::items::Items;
use super::market::{BLOCK, Market, ONES, block_of, blocks, sample};
use super::search::{Axis, Crossing, search};
use super::solve::{Solution, at};
use crate::change::Model;
use crate::numeric::octaves::place;
use crate::staleness::Metric;

/// How many items a sample has: a Poisson item answers in nanoseconds, others may need integrals.
fn sample_size(market: &Market) -> usize {
    if market.items.model() == Model::Poisson { 16_384 } else { 512 }
}

/// Whether there are so many items that a sample pays.
fn many(market: &Market) -> bool {
    market.policy == Policy::Optimal && market.items.len() >= 4 * sample_size(market)
}

/// How close the confirming pass has to come: its plan is then moved along its slopes, which squares this.
const CLOSE: f64 = 1e-7;

/// Where a sample of the items would have the crossing, when there are many; `None` when they are few or do not know.
pub(super) fn scout(
    market: &Market,
    axis: Axis,
    start: f64,
    missing: impl Fn(&Market, f64, f64) -> (f64, f64),
) -> Option<Crossing> {
    if !many(market) {
        return None;
    }
    let rows = sample(market.items.len(), sample_size(market));
    let items = market.items.select(&rows);
    let (few, scale) = (market.with_items(&items, &rows), market.items.len() as f64 / rows.len() as f64);
    match search(axis, start, 1e-4, |price| missing(&few, scale, price)) {
        Crossing::Beyond => None,
        found => Some(found),
    }
}

/// The plan that spends `free`; `None` when there are too few items to bother, when bounds hold some of them, or when they
/// are too odd for lumps.
pub(super) fn for_budget(market: &Market, free: f64, start: f64) -> Option<Solution> {
    if !many(market) || market.items.model() != Model::Poisson || market.bounded() {
        return None;
    }
    let lumps = Lumps::gather(market);
    let axis = Axis::new(if market.staleness.metric == Metric::Freshness { 1.0 / lumps.least } else { f64::INFINITY });
    let find = |items: &Items, start: f64, tolerance: f64| {
        let lumps = Market::new(items, Policy::Optimal, market.staleness);
        search(axis, axis.coordinate(start), tolerance, |price| {
            let asked = lumps.asked(price);
            (libm::log(asked.excess / free), asked.slope / asked.excess)
        })
    };
    let price = if market.staleness.metric == Metric::Freshness {
        let found = find(&lumps.items(&(0..0), Vec::new(), Vec::new()), start, 1e-4);
        let (Crossing::At { price: mut near, .. } | Crossing::Between { above: mut near, .. }) = found else {
            return None;
        };
        let mut rounds = 0;
        loop {
            let cells = cell(ROUGH.0 / near)..cell(ROUGH.1 / near) + 1;
            let (rate, size) = pick(market, &cells);
            match find(&lumps.items(&cells, rate, size), near, 1e-12) {
                Crossing::At { price, step } if (price / near - 1.0).abs() < WITHIN => break price * libm::exp(step),
                Crossing::At { price, .. } if rounds < 2 => near = price,
                jump @ Crossing::Between { .. } => return at(market, jump, |plan| market.excess(plan) - free),
                _ => return None,
            }
            rounds += 1;
        }
    } else {
        match find(&lumps.items(&(0..0), Vec::new(), Vec::new()), start, 1e-12) {
            Crossing::At { price, step } => price * libm::exp(step),
            _ => return None,
        }
    };
    let (plan, slope, asked) = market.plan_with_slope(price);
    let left = libm::log(asked.excess / free);
    if left.abs() > CLOSE || left.is_nan() {
        return None;
    }
    let step = -left * asked.excess / asked.slope;
    Some(Solution { plan: market.nudge(plan, &slope, step), price: price * libm::exp(step), binds: true })
}

/// Between these parts of its cut-off an item is too rough for lumps; it asks for nothing from 1 on.
const ROUGH: (f64, f64) = (0.65, 1.05);
/// How far from where the rough items were looked for the price may be found.
const WITHIN: f64 = 0.02;

/// Cells to an octave, as a power of two.
const SPLIT: u32 = 5;
/// Cells that there are between 0 and ∞.
const CELLS: usize = 2048 << SPLIT;

/// The cell of a pace.
fn cell(pace: f64) -> usize {
    (pace.to_bits() >> (52 - SPLIT)) as usize % CELLS
}

/// The items by their pace: a row of pace ρ and size s asks, at any price, for s times what a plain item of rate ρ asks for.
struct Lumps {
    /// Σ s·tᵏ over the items of each cell, k = 0 to 3, with t their place in the cell from −½ to ½.
    moments: Vec<[f64; 4]>,
    /// The least pace.
    least: f64,
}

impl Lumps {
    fn gather(market: &Market) -> Self {
        let mut moments = vec![[0.0; 4]; CELLS];
        let mut least = [f64::INFINITY; 4];
        each_block(market, |pace, size| {
            for (k, (&pace, &size)) in pace.iter().zip(size).enumerate() {
                let t = place::<SPLIT>(pace);
                let [m0, m1, m2, m3] = &mut moments[cell(pace)];
                let (first, square) = (size * t, t * t);
                *m0 += size;
                *m1 += first;
                *m2 += size * square;
                *m3 += first * square;
                if pace < least[k % 4] {
                    least[k % 4] = pace;
                }
            }
        });
        Self { moments, least: least.into_iter().fold(f64::INFINITY, f64::min) }
    }

    /// The lumps of all cells but the `omitted`, after items of their own.
    fn items(&self, omitted: &Range<usize>, mut rate: Vec<f64>, mut size: Vec<f64>) -> Items {
        for (key, moments) in self.moments.iter().enumerate() {
            if moments[0] > 0.0 && !omitted.contains(&key) {
                let edge = |key: usize| f64::from_bits((key as u64) << (52 - SPLIT));
                let (start, end) = (edge(key), edge(key + 1));
                for (t, weight) in spread(moments) {
                    rate.push(start + (end - start) * (t + 0.5));
                    size.push(weight);
                }
            }
        }
        Items::lumps(rate, size)
    }
}

/// The items of these cells as they are: their paces and sizes.
fn pick(market: &Market, cells: &Range<usize>) -> (Vec<f64>, Vec<f64>) {
    let from = f64::from_bits((cells.start as u64) << (52 - SPLIT));
    let to = f64::from_bits((cells.end as u64) << (52 - SPLIT));
    let (mut rate, mut size) = (Vec::new(), Vec::new());
    each_block(market, |paces, sizes| {
        for (&pace, &own) in paces.iter().zip(sizes) {
            if pace >= from && pace < to {
                rate.push(pace);
                size.push(own);
            }
        }
    });
    (rate, size)
}

/// Weights at the four Chebyshev points of [−½, ½] that give every cubic the sum which these moments give.
fn spread(&[m0, m1, m2, m3]: &[f64; 4]) -> [(f64, f64); 4] {
    const OUTER: f64 = 0.461_939_766_255_643_4;
    const INNER: f64 = 0.191_341_716_182_544_9;
    let pair = |at: f64, other: f64| {
        let scale = 0.5 / (at * (at * at - other * other));
        let (odd, even) = ((m3 - other * other * m1) * scale, at * (m2 - other * other * m0) * scale);
        ((at, even + odd), (-at, even - odd))
    };
    let ((a, b), (c, d)) = (pair(OUTER, INNER), pair(INNER, OUTER));
    [a, b, c, d]
}

/// Goes through the paces and sizes of all items, block by block; those that never ask for anything have a size of 0.
fn each_block(market: &Market, mut visit: impl FnMut(&[f64], &[f64])) {
    let items = market.items;
    let (mut pace, mut amount) = ([0.0; BLOCK], [0.0; BLOCK]);
    for rows in blocks(items.len()) {
        let len = rows.len();
        let rate = &items.columns().rate[rows.clone()];
        let size = block_of(items.size_column(), &ONES, &rows);
        let (pace, amount) = (&mut pace[..len], &mut amount[..len]);
        pace.copy_from_slice(rate);
        amount.copy_from_slice(size);
        let unit = items.unit_column().map_or(&[][..], |unit| &unit[rows]);
        for k in 0..unit.len() {
            // What the benefit of a visit is compared with: λκ/w, λ²κ/w, or w/(λκ).
            (pace[k], amount[k]) = match market.staleness.metric {
                Metric::Freshness | Metric::Harmonic => (rate[k] * unit[k], size[k] / unit[k]),
                Metric::Age => (rate[k] * unit[k].sqrt(), size[k] / unit[k].sqrt()),
                Metric::Content => (rate[k] / unit[k], size[k]),
            };
        }
        for k in 0..len {
            if !(pace[k] > 0.0 && pace[k] < f64::INFINITY) {
                (pace[k], amount[k]) = (f64::INFINITY, 0.0);
            }
        }
        visit(pace, amount);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Columns;
    use super::*;
    use crate::staleness::{Order, Staleness};

    /// Rates over six decades, every seventh 0; weights and costs in a pattern of their own, some weights 0.
    fn items(len: u32, weighted: bool) -> Items {
        let scattered = |k: u32, step: f64| (f64::from(k) * step) % 1.0;
        let rate =
            |k: u32| if k.is_multiple_of(7) { 0.0 } else { libm::pow(10.0, -3.0 + 6.0 * scattered(k, 0.754_877_666)) };
        let columns = Columns {
            rate: (0..len).map(rate).collect(),
            weight: weighted.then(|| (0..len).map(|k| f64::from(k % 5)).collect()),
            cost: weighted.then(|| (0..len).map(|k| 0.5 + scattered(k, 0.618)).collect()),
            ..Columns::default()
        };
        Items::new(Model::Poisson, columns).expect("sound items")
    }

    #[test]
    fn lumps_lead_to_the_plan_that_spends_the_budget_and_is_the_best() {
        let metrics = [Metric::Freshness, Metric::Age, Metric::Content, Metric::Harmonic];
        for weighted in [false, true] {
            let items = items(70_000, weighted);
            for (metric, order) in
                metrics.into_iter().flat_map(|metric| [Order::Fixed, Order::Random].map(|order| (metric, order)))
            {
                let staleness = Staleness { metric, order };
                let market = Market::new(&items, Policy::Optimal, staleness);
                for budget in [30.0, 3e4, 3e6] {
                    let found = for_budget(&market, budget, 1.0).expect("no need to go over all items again and again");
                    let left = market.spent(&found.plan) / budget - 1.0;
                    assert!(left.abs() < 1e-11, "{staleness:?} {budget}: {left}");
                    for (i, &f) in found.plan.iter().enumerate().step_by(97).filter(|&(_, &f)| f > 0.0) {
                        let worth = items.benefit(staleness, i, f) / items.unit(i) / found.price - 1.0;
                        assert!(worth.abs() < 1e-10, "{staleness:?} {budget}: {worth} at row {i}");
                    }
                }
            }
        }
    }

    #[test]
    fn spread_weights_are_exact_for_cubics() {
        let items = [(0.3, 2.0), (-0.45, 1.0), (0.1, 0.5)];
        let moments = core::array::from_fn(|k| items.iter().map(|(t, s)| s * libm::pow(*t, k as f64)).sum());
        let cubic = |t: f64| 1.0 + t * (2.0 + t * (3.0 + t * 5.0));
        let exact: f64 = items.iter().map(|(t, s)| s * cubic(*t)).sum();
        let spread: f64 = spread(&moments).into_iter().map(|(t, s)| s * cubic(t)).sum();
        assert!((spread - exact).abs() < 1e-14, "{spread} against {exact}");
    }
}
