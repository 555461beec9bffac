//! Simulations against closed forms and quadrature, within four standard errors.

use afresh::change::Change;
use afresh::replay::{Request, Simulation, simulate};
use afresh::staleness::Order;

const ORDERS: [Order; 3] = [Order::Fixed, Order::Random, Order::PurelyRandom];

/// 100 items that change alike and are visited every `interval`, over some ten rounds.
fn simulated(change: Change, order: Order, interval: f64, seed: u64) -> Simulation {
    let (changes, weight, frequency) = ([change; 100], [1.0; 100], [1.0 / interval; 100]);
    let horizon = 10.3 * interval;
    let all = Request {
        changes: &changes,
        weight: &weight,
        frequency: &frequency,
        order,
        horizon,
        seed,
        runs: 200,
        points: 11,
    };
    simulate(&all).unwrap()
}

/// Holds the simulated means, over time and at every point of the grid, to the expected ones.
fn agrees(found: &Simulation, freshness: f64, age: f64, what: &str) {
    // With 200 runs the half-width of a 95 % interval is 1.972 standard errors.
    let error = |low: f64, high: f64| (high - low) / 2.0 / 1.972;
    let near = |found: f64, expected: f64, error: f64, what: &str| {
        assert!((found - expected).abs() <= 4.0 * error + 1e-12, "{what}: {found} ± {error}, expected {expected}");
    };
    let fresh_error = error(found.mean_freshness_low, found.mean_freshness_high);
    let age_error = error(found.mean_age_low, found.mean_age_high);
    assert!(fresh_error < 0.01 && age_error < 0.05 * age, "{what}: too rough to tell: {fresh_error}, {age_error}");
    near(found.mean_freshness, freshness, fresh_error, what);
    near(found.mean_age, age, age_error, what);
    for point in 0..found.time.len() {
        let band = found.freshness_low[point]..=found.freshness_high[point];
        assert!(band.contains(&freshness), "{what}: the band {band:?} misses {freshness}");
        let band = found.age_low[point]..=found.age_high[point];
        assert!(band.contains(&age), "{what}: the band {band:?} misses {age}");
        // Here the band is 1.96 standard deviations of one run, and the mean is over 200.
        let error = |low: f64, mean: f64| (mean - low) / 1.96 / 200_f64.sqrt();
        near(found.freshness[point], freshness, error(found.freshness_low[point], found.freshness[point]), what);
        near(found.age[point], age, error(found.age_low[point], found.age[point]), what);
    }
}

#[test]
fn poisson_items_agree_with_the_closed_forms_of_every_order() {
    for (seed, r) in [(1, 0.2), (2, 1.0), (3, 4.0)] {
        let interval = 2.5;
        let e = (1.0 - f64::exp(-r)) / r;
        let closed = [
            (e, 0.5 - 1.0 / r + e / r),
            ((1.0 - e * e) / r, 1.0 / 3.0 + (0.5 - 1.0 / r).powi(2) - (e / r).powi(2)),
            (1.0 / (1.0 + r), r / (1.0 + r)),
        ];
        for (order, (freshness, age)) in ORDERS.into_iter().zip(closed) {
            let found = simulated(Change::Poisson { rate: r / interval }, order, interval, seed);
            agrees(&found, freshness, age * interval, &format!("{order:?}, r = {r}"));
        }
    }
}

/// Freshness and age by the midpoint rule. In the steady state the time t since the last sync has density P(gap > t)/I, so
/// freshness is ∫S·P(gap > t)/I dt and age ∫A·P(gap > t)/I dt, with A(t) = ∫₀ᵗ(1 − S).
fn quadrature(survival: impl Fn(f64) -> f64, order: Order, interval: f64) -> (f64, f64) {
    let (outlasts, longest): (fn(f64) -> f64, f64) = match order {
        Order::Fixed => (|_| 1.0, 1.0),
        Order::Random => (|x| if x < 1.0 { 1.0 - x * x / 2.0 } else { (2.0 - x).powi(2) / 2.0 }, 2.0),
        Order::PurelyRandom => (|x| f64::exp(-x), 40.0),
    };
    let steps = 200_000;
    let dx = longest / f64::from(steps);
    let (mut freshness, mut age, mut stale) = (0.0, 0.0, 0.0);
    for step in 0..steps {
        let x = (f64::from(step) + 0.5) * dx;
        let s = survival(x * interval);
        let half = (1.0 - s) * dx * interval / 2.0;
        freshness += s * outlasts(x) * dx;
        age += (stale + half) * outlasts(x) * dx;
        stale += 2.0 * half;
    }
    (freshness, age)
}

#[test]
fn weibull_items_agree_with_quadrature() {
    for (seed, (rate, shape)) in (10..).zip([(0.5, 0.6), (0.3, 1.7)]) {
        for order in ORDERS {
            let (freshness, age) = quadrature(|t| f64::exp(-rate * t.powf(shape)), order, 2.0);
            let found = simulated(Change::Weibull { rate, shape }, order, 2.0, seed);
            agrees(&found, freshness, age, &format!("{order:?}, Weibull({rate}, {shape})"));
        }
    }
}

#[test]
fn gamma_poisson_items_agree_with_quadrature() {
    for (seed, (alpha, beta)) in (20..).zip([(0.5, 1.0), (3.0, 4.0)]) {
        for order in ORDERS {
            let (freshness, age) = quadrature(|t| (1.0 + t / beta).powf(-alpha), order, 2.0);
            let found = simulated(Change::GammaPoisson { alpha, beta }, order, 2.0, seed);
            agrees(&found, freshness, age, &format!("{order:?}, Gamma–Poisson({alpha}, {beta})"));
        }
    }
}

#[test]
fn fixed_order_agrees_with_the_reference_values() {
    // Weibull and Gamma–Poisson rows of the reference file, computed by mpmath.
    let rows = [
        (Change::Weibull { rate: 0.088, shape: 0.844 }, 5.0, 0.834_394_640_824_257, 0.298_779_965_099_952),
        (Change::GammaPoisson { alpha: 2.0, beta: 4.0 }, 1.0, 0.8, 0.070_296_821_027_356_1),
    ];
    for (seed, (change, interval, freshness, age)) in (30..).zip(rows) {
        agrees(&simulated(change, Order::Fixed, interval, seed), freshness, age, &format!("{change:?}"));
    }
}

#[test]
fn the_interval_of_the_mean_covers_the_truth_about_95_times_in_100() {
    let expected = 1.0 - f64::exp(-1.0);
    let seeds = 400;
    let covered = (0..seeds)
        .filter(|seed| {
            let (changes, ones) = ([Change::Poisson { rate: 1.0 }; 5], [1.0; 5]);
            let found = simulate(&Request {
                changes: &changes,
                weight: &ones,
                frequency: &ones,
                order: Order::Fixed,
                horizon: 3.0,
                seed: *seed,
                runs: 12,
                points: 2,
            })
            .unwrap();
            (found.mean_freshness_low..=found.mean_freshness_high).contains(&expected)
        })
        .count();
    let share = covered as f64 / f64::from(u32::try_from(seeds).unwrap());
    // Three standard errors of a share of 0.95 over 400 seeds are 0.033.
    assert!((share - 0.95).abs() < 0.033, "covered {share}");
}
