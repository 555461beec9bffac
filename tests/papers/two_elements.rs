//! Cho and Garcia-Molina §5.2: two elements that change 9 times and once a day (Table 4 and Fig. 9).

// Zeros and infinities are exact or wrong.
#![allow(clippy::float_cmp)]

use afresh::allocate::{crude_benefit, crude_best, split_curve};

use crate::plans::{FRESHNESS, rates, within};

#[test]
fn table_4_benefits_of_the_crude_model() {
    let rows = [
        (1, 0, 1.0 / 36.0),
        (0, 1, 9.0 / 36.0),
        (2, 0, 2.0 / 36.0),
        (1, 1, 10.0 / 36.0),
        (0, 2, 12.0 / 36.0),
        (3, 2, 30.0 / 72.0),
        (2, 3, 31.0 / 72.0),
        (9, 1, 36.0 / 72.0),
        (7, 3, 41.0 / 72.0),
        (5, 5, 40.0 / 72.0),
    ];
    for (first, second, benefit) in rows {
        within(crude_benefit(9, first) + crude_benefit(1, second), benefit, 1e-14);
    }
}

#[test]
fn table_4_best_splits() {
    for (syncs, best) in [(1, [0, 1]), (2, [0, 2]), (5, [2, 3]), (10, [7, 3])] {
        assert_eq!(crude_best([9, 1], syncs), best);
    }
}

#[test]
fn figure_9_with_few_visits_the_fast_element_is_given_up() {
    let items = rates([9.0, 1.0]);
    for budget in [0.2, 1.0, 1.7] {
        let curve = split_curve(&items, FRESHNESS, budget, 101).unwrap();
        within(curve.optimal.share, 1.0, 1e-12);
        assert_eq!(curve.optimal.frequency[0], 0.0);
    }
}

#[test]
fn figure_9_uniform_is_the_middle_and_proportional_a_tenth() {
    for budget in [1.0, 2.0, 5.0, 10.0, 20.0, 40.0] {
        let curve = split_curve(&rates([9.0, 1.0]), FRESHNESS, budget, 101).unwrap();
        within(curve.uniform.share, 0.5, 1e-12);
        within(curve.proportional.share, 0.1, 1e-12);
        assert!(curve.uniform.averages.freshness > curve.proportional.averages.freshness);
        within(curve.splits[50].averages.freshness, curve.uniform.averages.freshness, 1e-12);
        within(curve.splits[10].averages.freshness, curve.proportional.averages.freshness, 1e-12);
        let best_drawn = curve.splits.iter().map(|split| split.averages.freshness).fold(0.0, f64::max);
        assert!(curve.optimal.averages.freshness >= best_drawn * (1.0 - 1e-14));
        assert!(curve.optimal.averages.freshness - best_drawn < 1e-3);
    }
}

#[test]
fn figure_9_with_many_visits_the_best_lies_between_proportional_and_uniform() {
    for budget in [10.0, 20.0, 40.0] {
        let curve = split_curve(&rates([9.0, 1.0]), FRESHNESS, budget, 11).unwrap();
        assert!(curve.optimal.share > 0.1 && curve.optimal.share < 0.5, "{}", curve.optimal.share);
    }
}
