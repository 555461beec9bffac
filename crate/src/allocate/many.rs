//! A million items in two or three passes.
//!
//! A sample finds the price to within a percent, and a pass over all items there tells how far the sample was off. Where
//! demand is smooth the sample's own curve, moved and tilted to fit that pass, then leads to within rounding, and a second
//! pass confirms and makes the plan.
//!
//! Only freshness has items that are not so smooth: those whose cut-off lies close by, where demand ends like 1/ln. There two
//! passes bracket the answer; between them the demand of most items is a cubic as good as exact, the few others are asked
//! again at every price, and a third pass confirms.

use super::Policy;
use super::market::{Asked, Market, sample};
use super::search::{Axis, Crossing, search};
use super::solve::{Solution, at};
use crate::change::Model;
use crate::staleness::Metric;

/// How many items a sample has: a Poisson item answers in nanoseconds, others may need integrals.
fn sample_size(market: &Market) -> usize {
    if market.items.model() == Model::Poisson { 16_384 } else { 512 }
}

/// Whether there are so many items that a sample pays.
fn many(market: &Market) -> bool {
    market.policy == Policy::Optimal && market.items.len() >= 4 * sample_size(market)
}

/// An item is smooth between two prices when its cut-off is this many times further away than they are from each other.
const SMOOTH: f64 = 12.0;
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
    scout_few(&market.with_items(&items, &rows), market.items.len() as f64 / rows.len() as f64, axis, start, missing)
}

/// Where some of the items, each of which stands for `scale`, would have the crossing; `None` when they do not know.
fn scout_few(
    few: &Market,
    scale: f64,
    axis: Axis,
    start: f64,
    missing: impl Fn(&Market, f64, f64) -> (f64, f64),
) -> Option<Crossing> {
    match search(axis, start, 1e-4, |price| missing(few, scale, price)) {
        Crossing::Beyond => None,
        found => Some(found),
    }
}

/// One end of a bracket.
#[derive(Clone, Copy)]
struct End {
    price: f64,
    asked: Asked,
}

/// The plan that spends `free` above the least frequencies; `None` when there are too few items to bother, or they are
/// too odd for a sample.
pub(super) fn for_budget(market: &Market, free: f64, start: f64) -> Option<Solution> {
    if !many(market) || market.items.model() != Model::Poisson {
        return None;
    }
    let axis = Axis::new(market.top());
    let missing = |market: &Market, scale: f64, price: f64| {
        let asked = market.asked(price);
        (libm::log(asked.excess * scale / free), asked.slope / asked.excess)
    };
    let rows = sample(market.items.len(), sample_size(market));
    let few_items = market.items.select(&rows);
    let few = market.with_items(&few_items, &rows);
    let scale = market.items.len() as f64 / rows.len() as f64;
    let start = match scout_few(&few, scale, axis, axis.coordinate(start), missing) {
        Some(Crossing::At { price, .. }) => price,
        // Items all alike jump together: closing in on that once more, with all of them, would only take long.
        Some(jump @ Crossing::Between { .. }) => {
            let jump = at(market, jump, |plan| market.excess(plan) - free)?;
            let left = market.excess(&jump.plan) / free - 1.0;
            return (left.abs() <= CLOSE).then_some(jump);
        }
        _ => start,
    };
    let end = |price: f64| End { price, asked: market.asked(price) };
    let first = end(start);
    let miss = |asked: Asked| libm::log(asked.excess / free);
    let step = -miss(first.asked) * first.asked.excess / first.asked.slope;
    if step.is_nan() || step.abs() > 0.2 {
        return None;
    }
    if market.staleness.metric != Metric::Freshness
        && let Some(Ok(solution)) = along(&few, axis, free, first).map(|price| confirm(market, free, price))
    {
        return Some(solution);
    }
    // A little too far, so that the answer lies in between.
    let second = end(start * libm::exp(1.5 * step + 1e-5 * step.signum()));
    let (mut below, mut above) = if second.price > start { (first, second) } else { (second, first) };
    for _ in 0..4 {
        if below.asked.excess < free || above.asked.excess > free {
            return None;
        }
        let price = match refine(market, axis, free, below, above) {
            Crossing::At { price, .. } if price >= below.price && price <= above.price => price,
            Crossing::At { .. } | Crossing::Beyond => return None,
            jump @ Crossing::Between { .. } => return at(market, jump, |plan| market.excess(plan) - free),
        };
        match confirm(market, free, price) {
            Ok(solution) => return Some(solution),
            Err(end) => *(if end.asked.excess > free { &mut below } else { &mut above }) = end,
        }
    }
    None
}

/// The plan at a price that is close enough to spend `free`; otherwise what is asked for there.
fn confirm(market: &Market, free: f64, price: f64) -> Result<Solution, End> {
    let (plan, slope, asked) = market.plan_with_slope(price);
    let left = libm::log(asked.excess / free);
    if left.abs() > CLOSE || left.is_nan() {
        return Err(End { price, asked });
    }
    let step = -left * asked.excess / asked.slope;
    Ok(Solution { plan: market.nudge(plan, &slope, step), price: price * libm::exp(step), binds: true })
}

/// The price at which all ask for `free` if ln demand bends like that of the `few`, from where it is known for all.
fn along(few: &Market, axis: Axis, free: f64, known: End) -> Option<f64> {
    let curve = |price: f64| {
        let asked = few.asked(price);
        (libm::log(asked.excess), asked.slope / asked.excess)
    };
    let (height, slope) = curve(known.price);
    let lift = libm::log(known.asked.excess / free) - height;
    let tilt = known.asked.slope / known.asked.excess - slope;
    let missing = |price: f64| {
        let (height, slope) = curve(price);
        (height + lift + tilt * libm::log(price / known.price), slope + tilt)
    };
    match search(axis, axis.coordinate(known.price), 1e-10, missing) {
        Crossing::At { price, step } => Some(price * libm::exp(step)).filter(|price| price.is_finite()),
        Crossing::Between { .. } | Crossing::Beyond => None,
    }
}

/// The price between two others at which all ask for `free`, with smooth items interpolated.
fn refine(market: &Market, axis: Axis, free: f64, below: End, above: End) -> Crossing {
    let width = libm::log(above.price / below.price);
    let from = 1.0 - SMOOTH * width;
    let rows: Vec<usize> = if market.staleness.metric == Metric::Freshness {
        (0..market.items.len()).filter(|&i| (from..1.0).contains(&(below.price * market.pace(i)))).collect()
    } else {
        Vec::new()
    };
    let items = market.items.select(&rows);
    let rough = market.with_items(&items, &rows);
    let (low, high) = (rough.asked(below.price), rough.asked(above.price));
    // The smooth rest as a cubic in s = ln(price/below)/width.
    let (p, q) = (below.asked.excess - low.excess, above.asked.excess - high.excess);
    let (dp, dq) = (width * (below.asked.slope - low.slope), width * (above.asked.slope - high.slope));
    let (square, cube) = (3.0 * (q - p) - 2.0 * dp - dq, dp + dq - 2.0 * (q - p));
    let missing = |price: f64| {
        let s = libm::log(price / below.price) / width;
        let few = rough.asked(price);
        let excess = p + s * (dp + s * (square + s * cube)) + few.excess;
        let slope = (dp + s * (2.0 * square + 3.0 * s * cube)) / width + few.slope;
        (libm::log(excess / free), slope / excess)
    };
    search(axis, axis.coordinate(below.price), 1e-12, missing)
}
