//! Cho & Garcia-Molina, Table 2: freshness and age under the three order policies.

use afresh::change::Change;
use afresh::staleness::{Metric, Order, Staleness};

const ORDERS: [Order; 3] = [Order::Fixed, Order::Random, Order::PurelyRandom];

fn freshness(order: Order, r: f64) -> f64 {
    Staleness { metric: Metric::Freshness, order }.freshness(&Change::Poisson { rate: r }, 1.0)
}

fn age(order: Order, r: f64) -> f64 {
    Staleness { metric: Metric::Age, order }.average(&Change::Poisson { rate: r }, 1.0)
}

/// The table's formulas as printed; they cancel for small r, so they are tried where they do not.
#[test]
fn table_2_holds_as_printed() {
    for r in [0.5_f64, 1.0, 2.0, 5.0, 20.0] {
        let once = (1.0 - (-r).exp()) / r;
        let printed = [
            (Order::Fixed, once, 0.5 - 1.0 / r + once / r),
            (Order::Random, (1.0 - once * once) / r, 1.0 / 3.0 + (0.5 - 1.0 / r).powi(2) - (once / r).powi(2)),
            (Order::PurelyRandom, 1.0 / (1.0 + r), r / (1.0 + r)),
        ];
        for (order, fresh, old) in printed {
            assert!((freshness(order, r) - fresh).abs() < 1e-14, "{order:?} at {r}");
            assert!((age(order, r) - old).abs() < 1e-14, "{order:?} at {r}: {} against {old}", age(order, r));
        }
    }
}

#[test]
fn one_change_a_visit_gives_the_values_of_the_spec() {
    for (order, fresh, old) in [(ORDERS[0], 0.632, 0.132), (ORDERS[1], 0.600, 0.184), (ORDERS[2], 0.5, 0.5)] {
        assert!((freshness(order, 1.0) - fresh).abs() < 5e-4, "{order:?}");
        assert!((age(order, 1.0) - old).abs() < 5e-4, "{order:?}");
    }
}

/// The paper's text says "a quarter of random order's"; by its own formula that is purely random's (0.132 / 0.5).
#[test]
fn fixed_order_has_about_a_quarter_of_the_age_of_purely_random_order() {
    assert!((age(Order::Fixed, 1.0) / age(Order::PurelyRandom, 1.0) - 0.264).abs() < 1e-3);
    assert!(age(Order::Fixed, 1.0) / age(Order::Random, 1.0) > 0.7);
}

#[test]
fn eighty_percent_fresh_needs_a_visit_every_0_46421_changes() {
    assert!((freshness(Order::Fixed, 0.464_21) - 0.8).abs() < 2e-6);
}

#[test]
fn regular_visits_are_better_than_shuffled_ones_and_those_than_random_ones() {
    for r in [1e-6, 1e-3, 0.1, 1.0, 10.0, 1e4] {
        let [a, b, c] = ORDERS.map(|order| freshness(order, r));
        assert!(a > b && b > c, "freshness at {r}: {a} {b} {c}");
        let [a, b, c] = ORDERS.map(|order| age(order, r));
        assert!(a < b && b < c, "age at {r}: {a} {b} {c}");
    }
}
