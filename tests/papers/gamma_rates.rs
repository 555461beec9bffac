//! Cho and Garcia-Molina, Table 3, the long way round: a database whose rates are gamma-distributed, as thousands of rows.

use afresh::allocate::Policy::{Proportional, Uniform};
use afresh::allocate::{Columns, Items};

use crate::plans::{FRESHNESS, plan, poisson, printed, within};

/// Rates with mean 1 and δ² = 1/4: density 4⁴λ³e^(−4λ)/3!, as rows that each stand for a slice of it.
fn database() -> Items {
    let step = 0.005;
    let rate: Vec<f64> = (1..3000).map(|k| step * f64::from(k)).collect();
    let count = rate.iter().map(|x| 256.0 / 6.0 * x * x * x * (-4.0 * x).exp() * step).collect();
    poisson(Columns { rate, count: Some(count), ..Columns::default() })
}

#[test]
fn table_3_uniform_at_one_visit_per_change() {
    let items = database();
    within(items.total_count(), 1.0, 1e-9);
    let uniform = plan(&items, FRESHNESS, Uniform, items.total_count());
    printed(uniform.averages.freshness, 0.650_667, 6);
    printed(uniform.averages.age, 0.126_667, 6);
}

#[test]
fn table_3_proportional_at_one_visit_per_change() {
    let items = database();
    let proportional = plan(&items, FRESHNESS, Proportional, items.total_count());
    let fresh = 1.0 - (-1.0_f64).exp();
    within(proportional.averages.freshness, fresh, 1e-8);
    // Ages go with 1/λ, whose mean over these rates is 1/(1 − δ²).
    within(proportional.averages.age, (0.5 - 1.0 + fresh) / 0.75, 1e-6);
}
