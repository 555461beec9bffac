//! `reference.json` (mpmath, SciPy) from `poisson` to `gamma_poisson`, and mpmath's word on the orders that it lacks.

#![allow(clippy::unreadable_literal, clippy::approx_constant, reason = "tables as mpmath prints them")]
#![allow(clippy::float_cmp, reason = "infinities and exact keys of the reference")]

use afresh::change::Change;
use afresh::staleness::gamma_database::GammaDatabase;
use afresh::staleness::{Metric, Order, Staleness};
use serde_json::Value;

fn reference() -> Value {
    serde_json::from_str(include_str!("reference.json")).expect("the reference file is JSON")
}

#[track_caller]
pub(crate) fn close(actual: f64, expected: f64, what: &str) {
    let error = if actual == expected { 0.0 } else { ((actual - expected) / expected).abs() };
    assert!(error <= 1e-13, "{what}: {actual:e} against {expected:e}, off by {error:e}");
}

const FRESHNESS: Staleness = Staleness { metric: Metric::Freshness, order: Order::Fixed };
const AGE: Staleness = Staleness { metric: Metric::Age, order: Order::Fixed };

/// The reference's r for y = 1e-30 under age is off by 2.6e-12; solved again in mpmath with 80 digits.
const AGE_AT_1E_30: f64 = 1.442_249_570_333_409_5e-10;

#[test]
fn inverse_benefits_match_the_reference() {
    let unit = Change::Poisson { rate: 1.0 };
    for (key, staleness) in [("inverse_benefit_freshness", FRESHNESS), ("inverse_benefit_age", AGE)] {
        for row in reference()[key].as_array().unwrap() {
            let (y, given) = (row["y"].as_f64().unwrap(), row["r"].as_f64().unwrap());
            let r = if key == "inverse_benefit_age" && y == 1e-30 { AGE_AT_1E_30 } else { given };
            close(1.0 / staleness.demand(&unit, y).frequency, r, &format!("{key} at {y}"));
        }
    }
}

#[test]
fn poisson_averages_and_benefits_match_the_reference() {
    let unit = Change::Poisson { rate: 1.0 };
    for row in reference()["poisson"].as_array().unwrap() {
        let value = |key: &str| row[key].as_f64().unwrap();
        let r = value("r");
        for (name, order) in
            [("fixed", Order::Fixed), ("random", Order::Random), ("purely_random", Order::PurelyRandom)]
        {
            let freshness = Staleness { metric: Metric::Freshness, order }.freshness(&unit, 1.0 / r);
            close(freshness, value(&format!("{name}_freshness")), &format!("{name} freshness at {r}"));
            let age = Staleness { metric: Metric::Age, order }.average(&unit, 1.0 / r);
            close(age / r, value(&format!("{name}_age")), &format!("{name} age at {r}"));
        }
        close(FRESHNESS.benefit(&unit, 1.0 / r), value("benefit_freshness_times_rate"), &format!("gain at {r}"));
        close(AGE.benefit(&unit, 1.0 / r), value("benefit_age_times_rate_squared"), &format!("age gain at {r}"));
    }
}

/// Order, r, then stale share, age/I, harmonic average, λ·b/r of freshness and b/I² of age. mpmath, 60 digits: the fixed-order closed
/// forms integrated over the density of the gaps.
#[rustfmt::skip] // one row a line
const ORDERS: [(Order, f64, [f64; 5]); 24] = [
    (Order::Random, 1e-6, [5.833330833334194e-07, 2.499999138889139e-07, 5.833332083333621e-07, 5.833328333335916e-07, 4.999997416667666e-07]),
    (Order::Random, 0.03, [0.01727730490206193, 0.007423169931269017, 0.017388269967946186, 0.017056894759297312, 0.014770174690089587]),
    (Order::Random, 0.4, [0.19826362571785922, 0.08767426903868529, 0.2150223744778149, 0.16759764682664371, 0.16433921626672404]),
    (Order::Random, 0.7, [0.31028092232882637, 0.14007487286358136, 0.35561525477078987, 0.23237494668618633, 0.25136912378163856]),
    (Order::Random, 2.0, [0.5934556340519386, 0.286605516307364, 0.8255118717154047, 0.27814292001812346, 0.4442618733242716]),
    (Order::Random, 9.0, [0.8902602924494126, 0.48441552306117636, 1.9759570400041053, 0.10699994720914748, 0.5714444503100947]),
    (Order::Random, 60.0, [0.9833379629629629, 0.5669443672839506, 3.779088257993684, 0.016652777777777777, 0.5830557870370371]),
    (Order::Random, 1e4, [0.999900000001, 0.5832333433333332, 8.878518944290642, 9.9999997e-05, 0.5833333233333337]),
    (Order::PurelyRandom, 1e-6, [9.99999000001e-07, 9.99999000001e-07, 9.999995000003334e-07, 9.99998000003e-07, 1.999997000004e-06]),
    (Order::PurelyRandom, 0.03, [0.02912621359223301, 0.02912621359223301, 0.029558802241544405, 0.028277877274012632, 0.05740409086624564]),
    (Order::PurelyRandom, 0.4, [0.2857142857142857, 0.2857142857142857, 0.33647223662121295, 0.20408163265306123, 0.4897959183673469]),
    (Order::PurelyRandom, 0.7, [0.4117647058823529, 0.4117647058823529, 0.5306282510621704, 0.2422145328719723, 0.6539792387543253]),
    (Order::PurelyRandom, 2.0, [0.6666666666666666, 0.6666666666666666, 1.0986122886681098, 0.2222222222222222, 0.8888888888888888]),
    (Order::PurelyRandom, 9.0, [0.9, 0.9, 2.302585092994046, 0.09, 0.99]),
    (Order::PurelyRandom, 60.0, [0.9836065573770492, 0.9836065573770492, 4.110873864173311, 0.01612469766191884, 0.999731255038968]),
    (Order::PurelyRandom, 1e4, [0.9999000099990001, 0.9999000099990001, 9.210440366976515, 9.998000299960005e-05, 0.9999999900019997]),
    (Order::Fixed, 1e-6, [4.99999833333375e-07, 1.6666662500000832e-07, 4.999999166666806e-07, 4.999996666667917e-07, 3.333332083333667e-07]),
    (Order::Fixed, 0.03, [0.014851118283605897, 0.0049627238798034086, 0.01492537331922597, 0.014703348167885925, 0.00988839440380249]),
    (Order::Fixed, 0.4, [0.17580011508909826, 0.06049971227725437, 0.187504936803942, 0.15387983887526244, 0.11530040281184388]),
    (Order::Fixed, 0.7, [0.28083614827344217, 0.0988055024665112, 0.3134734159228675, 0.2225785479351483, 0.18203064580693096]),
    (Order::Fixed, 2.0, [0.5676676416183063, 0.21616617919084682, 0.751595714551233, 0.29699707514508095, 0.3515014624274595]),
    (Order::Fixed, 9.0, [0.8889026010893429, 0.40123304432340634, 1.8855500885025873, 0.11097398910657036, 0.48766955676593665]),
    (Order::Fixed, 60.0, [0.9833333333333333, 0.4836111111111111, 3.6882268937903, 0.016666666666666666, 0.49972222222222223]),
    (Order::Fixed, 1e4, [0.9999, 0.49990001, 8.787656036877715, 0.0001, 0.49999999]),
];

#[test]
fn every_order_matches_the_expectation_over_its_gaps() {
    for (order, r, expected) in ORDERS {
        let unit = Change::Poisson { rate: 1.0 };
        let of = |metric| Staleness { metric, order };
        let f = 1.0 / r;
        let actual = [
            of(Metric::Freshness).average(&unit, f),
            of(Metric::Age).average(&unit, f) / r,
            of(Metric::Harmonic).average(&unit, f),
            of(Metric::Freshness).benefit(&unit, f) / r,
            of(Metric::Age).benefit(&unit, f) / r / r,
        ];
        for (k, (actual, expected)) in actual.into_iter().zip(expected).enumerate() {
            close(actual, expected, &format!("{order:?} at {r}, column {k}"));
        }
        close(of(Metric::Harmonic).benefit(&unit, f), r * expected[0], &format!("harmonic benefit, {order:?} at {r}"));
    }
}

#[test]
fn gamma_databases_match_the_reference() {
    for row in reference()["gamma_rates"].as_array().unwrap() {
        let value = |key: &str| row[key].as_f64().unwrap_or(f64::INFINITY);
        let database = GammaDatabase { ratio: value("r"), variance: value("delta2") };
        close(database.uniform_freshness(), value("uniform_freshness"), &format!("uniform freshness, {database:?}"));
        close(database.uniform_age(), value("uniform_age"), &format!("uniform age, {database:?}"));
        close(
            database.proportional_freshness(),
            value("proportional_freshness"),
            &format!("proportional freshness, {database:?}"),
        );
        close(database.proportional_age(), value("proportional_age"), &format!("proportional age, {database:?}"));
    }
}

#[test]
fn weibull_and_gamma_poisson_match_the_reference() {
    let reference = reference();
    let weibull = reference["weibull"].as_array().unwrap().iter().map(|row| {
        (row, Change::Weibull { rate: row["rate"].as_f64().unwrap(), shape: row["shape"].as_f64().unwrap() })
    });
    let gamma = reference["gamma_poisson"].as_array().unwrap().iter().map(|row| {
        (row, Change::GammaPoisson { alpha: row["shape"].as_f64().unwrap(), beta: row["rate"].as_f64().unwrap() })
    });
    for (row, change) in weibull.chain(gamma) {
        let value = |key: &str| row[key].as_f64().unwrap();
        let f = 1.0 / value("period");
        close(FRESHNESS.freshness(&change, f), value("freshness"), &format!("freshness, {change:?}"));
        close(FRESHNESS.benefit(&change, f), value("benefit_freshness"), &format!("benefit of freshness, {change:?}"));
        close(AGE.average(&change, f), value("age"), &format!("age, {change:?}"));
        close(AGE.benefit(&change, f), value("benefit_age"), &format!("benefit of age, {change:?}"));
    }
}
