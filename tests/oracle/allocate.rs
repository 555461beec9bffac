//! The optimum of small problems, solved independently by SciPy.

use afresh::allocate::{Allocation, Columns, Goal, Items, Question, allocate};
use afresh::change::Model;
use afresh::staleness::{Metric, Order, Staleness};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().map(|list| list.iter().filter_map(Value::as_f64).collect()).unwrap_or_default()
}

fn close(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1e-300) || (theirs == 0.0 && ours == 0.0)
}

fn cases() -> Vec<(Items, Metric, Value)> {
    let reference: Value = serde_json::from_str(include_str!("reference.json")).expect("the reference is JSON");
    let cases = reference["allocation"].as_array().expect("a list of cases").clone();
    cases
        .into_iter()
        .map(|case| {
            let metric = match case["metric"].as_str() {
                Some("freshness") => Metric::Freshness,
                Some("age") => Metric::Age,
                Some("content") => Metric::Content,
                other => panic!("unknown metric {other:?}"),
            };
            let columns = Columns {
                rate: numbers(&case["rate"]),
                weight: Some(numbers(&case["weight"])),
                cost: Some(numbers(&case["cost"])),
                count: Some(numbers(&case["count"])),
                ..Columns::default()
            };
            (Items::new(Model::Poisson, columns).expect("the reference's items are sound"), metric, case)
        })
        .collect()
}

fn agrees(plan: &Allocation, metric: Metric, case: &Value) {
    for (ours, theirs) in plan.frequency.iter().zip(numbers(&case["frequency"])) {
        assert!(close(*ours, theirs), "frequency {ours} against {theirs} in {case}");
    }
    assert!(close(plan.price, case["price"].as_f64().unwrap()), "price {} in {case}", plan.price);
    let mean = case["weighted_mean"].as_f64().unwrap();
    assert!(close(plan.averages.get(metric), mean), "mean {:?} in {case}", plan.averages);
    assert!(close(plan.spent, case["budget"].as_f64().unwrap()));
    assert!(plan.gap <= 1e-13, "gap {} in {case}", plan.gap);
}

#[test]
fn the_optimum_for_a_budget_agrees_with_scipy() {
    for (items, metric, case) in cases() {
        let staleness = Staleness { metric, order: Order::Fixed };
        let budget = Goal::Budget(case["budget"].as_f64().unwrap());
        agrees(&allocate(&items, &Question { staleness, ..Question::new(budget) }).unwrap(), metric, &case);
    }
}

#[test]
fn the_same_optimum_is_found_from_its_mean() {
    for (items, metric, case) in cases() {
        let staleness = Staleness { metric, order: Order::Fixed };
        let target = Goal::Target(case["weighted_mean"].as_f64().unwrap());
        agrees(&allocate(&items, &Question { staleness, ..Question::new(target) }).unwrap(), metric, &case);
    }
}
