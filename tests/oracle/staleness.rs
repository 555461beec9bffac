//! `reference.json` (mpmath, SciPy): poisson and its inverse benefits.

use afresh::change::Change;
use afresh::staleness::{Metric, Order, Staleness};
use serde_json::Value;

fn reference() -> Value {
    serde_json::from_str(include_str!("reference.json")).expect("the reference file is JSON")
}

#[track_caller]
fn close(actual: f64, expected: f64, what: &str) {
    let error = if actual == expected { 0.0 } else { ((actual - expected) / expected).abs() };
    assert!(error <= 1e-13, "{what}: {actual:e} against {expected:e}, off by {error:e}");
}

const FRESHNESS: Staleness = Staleness { metric: Metric::Freshness, order: Order::Fixed };
const AGE: Staleness = Staleness { metric: Metric::Age, order: Order::Fixed };

#[test]
fn inverse_benefits_match_the_reference() {
    let unit = Change::Poisson { rate: 1.0 };
    for (key, staleness) in [("inverse_benefit_freshness", FRESHNESS), ("inverse_benefit_age", AGE)] {
        for row in reference()[key].as_array().unwrap() {
            let (y, r) = (row["y"].as_f64().unwrap(), row["r"].as_f64().unwrap());
            close(1.0 / staleness.demand(&unit, y).frequency, r, &format!("{key} at {y}"));
        }
    }
}
