//! Short words for the plans that the tables compare.

use afresh::allocate::{Allocation, Columns, Goal, Items, Policy, Question, allocate};
use afresh::change::Model;
use afresh::staleness::{Metric, Order, Staleness};

pub const FRESHNESS: Staleness = Staleness { metric: Metric::Freshness, order: Order::Fixed };
pub const AGE: Staleness = Staleness { metric: Metric::Age, order: Order::Fixed };

pub fn poisson(columns: Columns) -> Items {
    Items::new(Model::Poisson, columns).expect("sound items")
}

pub fn rates(rate: impl Into<Vec<f64>>) -> Items {
    poisson(Columns { rate: rate.into(), ..Columns::default() })
}

pub fn plan(items: &Items, staleness: Staleness, policy: Policy, budget: f64) -> Allocation {
    let question = Question { staleness, policy, ..Question::new(Goal::Budget(budget)) };
    allocate(items, &question).expect("a plan exists")
}

/// Asserts agreement to `digits` decimals, as printed.
#[track_caller]
pub fn printed(ours: f64, theirs: f64, digits: i32) {
    let unit = 10.0_f64.powi(-digits);
    assert!((ours - theirs).abs() <= 0.500_000_1 * unit, "{ours} is not {theirs} to {digits} decimals");
}

#[track_caller]
pub fn within(ours: f64, theirs: f64, relative: f64) {
    assert!((ours - theirs).abs() <= relative * theirs.abs(), "{ours} is not {theirs} within {relative}");
}
