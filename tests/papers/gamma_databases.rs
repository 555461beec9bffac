//! Cho & Garcia-Molina, Table 3: databases whose rates are gamma-distributed, refreshed uniformly or proportionally.

#![allow(clippy::float_cmp, reason = "limits at zero and infinity are exact")]

use afresh::staleness::gamma_database::{GammaDatabase, rates};

/// The table's uniform column as printed, with δ² = v; away from its holes at 1 and 1/2.
fn printed_uniform(r: f64, v: f64) -> (f64, f64) {
    let base = 1.0 + r * v;
    let freshness = (1.0 - base.powf(1.0 - 1.0 / v)) / (r * (1.0 - v));
    // ∫∫ of the same survival function (1 + rvx)^(−1/v).
    let twice = (base.powf(2.0 - 1.0 / v) - 1.0) / (r * v * (2.0 - 1.0 / v)) - 1.0;
    let age = 0.5 - twice / (r * v * (1.0 - 1.0 / v));
    (freshness, age)
}

#[test]
fn table_3_holds_as_printed() {
    for r in [0.3, 1.0, 4.0] {
        for variance in [0.1, 0.25, 0.8, 1.5, 4.0] {
            let database = GammaDatabase { ratio: r, variance };
            let (freshness, age) = printed_uniform(r, variance);
            assert!((database.uniform_freshness() - freshness).abs() < 1e-13, "{database:?}");
            assert!((database.uniform_age() - age).abs() < 1e-12, "{database:?}: {} {age}", database.uniform_age());
            let once = (1.0 - (-r).exp()) / r;
            assert!((database.proportional_freshness() - once).abs() < 1e-15, "{database:?}");
            let age = (0.5 - 1.0 / r + once / r) / (1.0 - variance);
            let age = if variance < 1.0 { age } else { f64::INFINITY };
            assert!(age == database.proportional_age() || (database.proportional_age() - age).abs() < 1e-14);
        }
    }
}

#[test]
fn the_limits_at_the_holes_are_taken() {
    let at = |variance| GammaDatabase { ratio: 2.0, variance };
    assert!((at(1.0).uniform_freshness() - 3.0_f64.ln() / 2.0).abs() < 1e-15);
    // δ² = 1/2: S(x) = (1 + x)^(−2) at r = 2, so age = 1/2 − (1 − ln 2).
    assert!((at(0.5).uniform_age() - (std::f64::consts::LN_2 - 0.5)).abs() < 1e-15);
    // δ = 0: all rates alike, so uniform and proportional are the same.
    assert!((at(0.0).uniform_freshness() - at(0.0).proportional_freshness()).abs() < 1e-16);
    assert!((at(1e-14).uniform_age() - at(0.0).proportional_age()).abs() < 1e-13);
    assert_eq!(at(1.0).proportional_age(), f64::INFINITY);
}

#[test]
fn uniform_beats_proportional_in_every_gamma_database() {
    for ratio in [1e-3, 0.1, 1.0, 10.0, 1e3] {
        for variance in [1e-3, 0.3, 0.5, 0.99, 1.0, 3.0, 50.0] {
            let database = GammaDatabase { ratio, variance };
            assert!(database.uniform_freshness() > database.proportional_freshness(), "{database:?}");
            assert!(database.uniform_age() < database.proportional_age(), "{database:?}");
        }
    }
}

#[test]
fn an_example_set_has_nearly_the_freshness_of_the_database_it_stands_for() {
    let database = GammaDatabase { ratio: 1.0, variance: 0.25 };
    let rates = rates(1.0, 0.5, 500);
    let mean = rates.iter().map(|r| (1.0 - (-r).exp()) / r).sum::<f64>() / 500.0;
    assert!((mean - database.uniform_freshness()).abs() < 1e-4, "{mean}");
}
