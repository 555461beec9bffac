//! Simulations small enough to see through, and requests that have no answer.

use super::{MOST_POINTS, MonteCarlo, Request, regular_visits, sawtooth, simulate};
use crate::change::Change;
use crate::problem::Kind;
use crate::staleness::Order;

const SLOW: Change = Change::Poisson { rate: 1.0 };
const NEVER: Change = Change::Poisson { rate: 0.0 };

fn request<'a>(changes: &'a [Change], weight: &'a [f64], frequency: &'a [f64]) -> Request<'a> {
    Request { changes, weight, frequency, order: Order::Fixed, horizon: 4.0, seed: 1, runs: 50, points: 9 }
}

#[test]
fn an_item_never_visited_is_stale_and_ages_and_one_that_never_changes_is_fresh() {
    let stale = simulate(&request(&[SLOW], &[2.0], &[0.0])).unwrap();
    assert_eq!(stale.freshness, [0.0; 9]);
    assert_eq!(stale.age, stale.time);
    assert_eq!((stale.mean_freshness, stale.mean_age, stale.visits), (0.0, 2.0, 0.0));
    let fresh = simulate(&request(&[NEVER], &[2.0], &[0.5])).unwrap();
    assert_eq!((fresh.freshness, fresh.age), (vec![1.0; 9], vec![0.0; 9]));
    assert_eq!((fresh.mean_freshness, fresh.visits), (1.0, 2.0));
}

#[test]
fn weights_are_respected() {
    let mixed = simulate(&request(&[SLOW, NEVER, SLOW], &[1.0, 3.0, 0.0], &[0.0, 0.0, 1.0])).unwrap();
    assert!(mixed.freshness.iter().all(|f| (*f - 0.75).abs() < 1e-12));
    assert!((mixed.mean_age - 0.5).abs() < 1e-12);
}

#[test]
fn the_grid_spans_the_window_and_bands_enclose_the_curves() {
    let found = simulate(&request(&[SLOW; 20], &[1.0; 20], &[1.0; 20])).unwrap();
    assert_eq!(found.time, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]);
    for point in 0..9 {
        assert!(0.0 <= found.freshness_low[point] && found.freshness_low[point] < found.freshness[point]);
        assert!(found.freshness[point] < found.freshness_high[point] && found.freshness_high[point] <= 1.0);
        assert!(0.0 <= found.age_low[point] && found.age_low[point] < found.age[point]);
        assert!(found.age[point] < found.age_high[point]);
    }
}

#[test]
fn finishing_early_keeps_the_completed_runs() {
    let all = request(&[SLOW; 3], &[1.0; 3], &[2.0; 3]);
    let mut job = MonteCarlo::new(&all).unwrap();
    let done = job.step(20 * 27);
    assert!(done > 0.1 && done < 0.9, "{done}");
    let some = job.finish().unwrap();
    assert!(some.runs >= 5 && some.runs < 50);
    assert_eq!(some, simulate(&Request { runs: some.runs, ..all }).unwrap());
    let stopped = MonteCarlo::new(&all).unwrap().finish().unwrap_err();
    assert_eq!(stopped.kind, Kind::Cancelled);
}

#[test]
fn one_run_has_no_spread_but_a_mean() {
    let one = simulate(&Request { runs: 1, ..request(&[SLOW], &[1.0], &[1.0]) }).unwrap();
    assert!(one.mean_freshness > 0.0 && one.mean_freshness_low.is_nan() && one.freshness_high[3].is_nan());
}

#[test]
fn extreme_rates_and_frequencies_stay_finite() {
    let changes = [
        Change::Poisson { rate: 1e300 },
        Change::Poisson { rate: 1e-300 },
        Change::Weibull { rate: 1e-9, shape: 0.01 },
        Change::Weibull { rate: 1e9, shape: 50.0 },
        Change::GammaPoisson { alpha: 1e-300, beta: 1e-300 },
        Change::GammaPoisson { alpha: 1e12, beta: 1e-9 },
    ];
    for frequency in [5e-324, 1e-100, 1.0, 1e3] {
        for order in [Order::Fixed, Order::Random, Order::PurelyRandom] {
            let found = simulate(&Request { order, ..request(&changes, &[1.0; 6], &[frequency; 6]) }).unwrap();
            assert!(found.mean_freshness >= 0.0 && found.mean_freshness <= 1.0, "{found:?}");
            assert!(found.mean_age.is_finite() && found.mean_age >= 0.0, "{found:?}");
            assert!(found.freshness.iter().all(|f| (0.0..=1.0).contains(f)), "{found:?}");
            assert!(found.age.iter().all(|a| a.is_finite() && *a >= 0.0), "{found:?}");
        }
    }
}

#[test]
fn impossible_requests_are_named_with_their_place() {
    let good = request(&[SLOW, SLOW], &[1.0, 1.0], &[1.0, 1.0]);
    let place = |request: Request| {
        let problem = simulate(&request).unwrap_err();
        (problem.kind, problem.row, problem.column.unwrap_or_default())
    };
    let bad = [SLOW, Change::Weibull { rate: 1.0, shape: 0.0 }];
    assert_eq!(place(Request { changes: &bad, ..good }), (Kind::Value, Some(1), "shape".into()));
    assert_eq!(place(Request { weight: &[1.0, f64::NAN], ..good }), (Kind::Value, Some(1), "weight".into()));
    assert_eq!(place(Request { weight: &[0.0, 0.0], ..good }), (Kind::Value, None, "weight".into()));
    assert_eq!(place(Request { weight: &[1.0], ..good }), (Kind::Length, None, "weight".into()));
    assert_eq!(place(Request { frequency: &[-1.0, 1.0], ..good }), (Kind::Value, Some(0), "frequency".into()));
    assert_eq!(place(Request { horizon: f64::NAN, ..good }), (Kind::Value, None, "horizon".into()));
    assert_eq!(place(Request { points: 1, ..good }), (Kind::Value, None, "points".into()));
    assert_eq!(place(Request { runs: 0, ..good }), (Kind::Value, None, "runs".into()));
    assert_eq!(place(Request { changes: &[], ..good }), (Kind::Value, None, "items".into()));
    assert_eq!(place(Request { frequency: &[1.0, 1e9], ..good }), (Kind::Size, Some(1), "horizon".into()));
    assert_eq!(place(Request { runs: usize::MAX, ..good }), (Kind::Size, None, "runs".into()));
}

#[test]
fn a_sawtooth_falls_as_survival_and_is_reset_by_each_visit() {
    let curve = sawtooth(&SLOW, -0.5, &[1.0, 2.0], 0.0, 3.0).unwrap();
    assert_eq!((curve.time[0], *curve.time.last().unwrap()), (0.0, 3.0));
    assert!((curve.freshness[0] - (-0.5_f64).exp()).abs() < 1e-15);
    let visit = curve.time.iter().position(|t| *t >= 1.0).unwrap();
    assert!((curve.freshness[visit] - (-1.5_f64).exp()).abs() < 1e-15);
    assert!((curve.age[visit] - (1.5 - 1.0 + (-1.5_f64).exp())).abs() < 1e-14);
    assert_eq!((curve.time[visit + 1], curve.freshness[visit + 1], curve.age[visit + 1]), (1.0, 1.0, 0.0));
}

#[test]
fn a_sawtooth_has_no_more_points_than_pixels_and_keeps_the_deepest_tooth() {
    for visits in [0, 1, 7, 999, 1_000, 1_001, 50_000] {
        let times: Vec<f64> = (0..visits).map(|i| f64::from(i) + if i > 500 { 2.0 } else { 0.0 }).collect();
        let curve = sawtooth(&SLOW, 0.0, &times, 0.0, f64::from(visits) + 1.0).unwrap();
        assert!(curve.time.len() <= MOST_POINTS && curve.time.is_sorted(), "{visits}: {}", curve.time.len());
        let deepest = curve.freshness.iter().copied().fold(1.0, f64::min);
        assert!((deepest - (-3.0_f64).exp()).abs() < 1e-12 || visits < 502, "{visits}: {deepest}");
    }
}

#[test]
fn regular_visits_continue_from_the_last_sync() {
    assert_eq!(regular_visits(0.5, -1.0, 0.0, 6.0).unwrap(), [1.0, 3.0, 5.0]);
    assert_eq!(regular_visits(1.0, 0.0, 0.0, 2.5).unwrap(), [1.0, 2.0]);
    assert!(regular_visits(0.0, 0.0, 0.0, 1.0).unwrap().is_empty());
    assert_eq!(regular_visits(1e12, 0.0, 0.0, 1.0).unwrap_err().kind, Kind::Size);
    assert_eq!(regular_visits(f64::NAN, 0.0, 0.0, 1.0).unwrap_err().kind, Kind::Value);
}
