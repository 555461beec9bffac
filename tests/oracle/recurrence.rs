//! Weibull gaps from change to change, against quadrature and against renewal processes that are simulated change by change.

use afresh::change::Change;
use afresh::staleness::Staleness;
use afresh::staleness::recurrence::Recurrence;

use crate::estimate::Dice;

const LAWS: [(f64, f64); 5] = [(0.3, 0.45), (1.0, 0.8), (1.0, 1.0), (2.0, 1.6), (0.05, 4.0)];

/// λ of the gaps with this mean rate and shape.
fn survival(mean_rate: f64, shape: f64) -> impl Fn(f64) -> f64 {
    let rate = Change::weibull_rate(mean_rate, shape);
    move |t: f64| f64::exp(-rate * t.powf(shape))
}

/// ∫₀ᵗ f by the midpoint rule in √u, which takes the edge off S at 0.
fn integral(end: f64, f: impl Fn(f64) -> f64) -> f64 {
    let steps = 40_000;
    let width = end.sqrt() / f64::from(steps);
    (0..steps)
        .map(|k| {
            let v = (f64::from(k) + 0.5) * width;
            2.0 * v * f(v * v) * width
        })
        .sum()
}

#[test]
fn costs_and_benefits_are_those_of_quadrature() {
    for (mean_rate, shape) in LAWS {
        let s = survival(mean_rate, shape);
        let law = Recurrence::new(mean_rate, shape);
        for interval in [0.05, 0.7, 3.0, 40.0] {
            // Each moment of S turns the order of integration around once more: ∫₀ᵀ (1 − R) = ∫₀ᵀ (T − u)·S/m du, and so on.
            let moment = |power: i32| mean_rate * integral(interval, |u| u.powi(power) * s(u));
            let missed = moment(0);
            let stale = interval * missed - moment(1);
            let age = 0.5 * (interval * interval * missed - 2.0 * interval * moment(1) + moment(2));
            let [found_stale, found_age] = law.costs(interval);
            let [benefit, slope] = law.benefit(interval);
            for (what, found, expected) in [
                ("stale", found_stale, stale),
                ("age", found_age, age),
                ("benefit", benefit, moment(1)),
                ("slope", slope, mean_rate * interval * interval * s(interval)),
            ] {
                assert!(
                    (found - expected).abs() <= 2e-6 * expected,
                    "{mean_rate} {shape} {interval} {what}: {found} {expected}"
                );
            }
            let demand = law.demand(benefit, 1.0);
            // Where the benefit has all but reached its most, the interval cannot be told from it.
            if slope > 1e-6 * benefit {
                assert!((demand.frequency * interval - 1.0).abs() < 1e-6, "{mean_rate} {shape} {interval}: {demand:?}");
            }
        }
    }
}

#[test]
fn exponential_gaps_are_a_poisson_process() {
    let (law, poisson) = (Recurrence::new(0.7, 1.0), Change::Poisson { rate: 0.7 });
    for interval in [1e-6, 0.01, 1.0, 30.0, 1e6] {
        let of = Staleness::default();
        let [stale, _] = law.costs(interval);
        assert!((stale / (interval * of.average(&poisson, 1.0 / interval)) - 1.0).abs() < 1e-9, "{interval}");
        assert!((law.benefit(interval)[0] / of.benefit(&poisson, 1.0 / interval) - 1.0).abs() < 1e-9, "{interval}");
    }
    assert_eq!(law.demand(2.0, 1.0).frequency.to_bits(), 0.0_f64.to_bits());
    assert_eq!(law.costs(0.0).map(f64::to_bits), [0.0_f64.to_bits(); 2]);
}

/// The share of time stale of an item with Weibull gaps that is visited every `interval`, from many histories, with its error.
fn simulated(mean_rate: f64, shape: f64, interval: f64, seed: u64) -> (f64, f64) {
    let rate = Change::weibull_rate(mean_rate, shape);
    let mut dice = Dice(seed);
    let horizon = interval * (60.0 / (mean_rate * interval).min(1.0)).round();
    let runs = 2_000;
    let shares: Vec<f64> = (0..runs)
        .map(|_| {
            // By the time of the first visit the process has forgotten how it began.
            let mut at = -40.0 / mean_rate;
            let (mut last, mut visit, mut stale) = (0.0, interval, 0.0);
            while at < horizon {
                at += (-(1.0 - dice.uniform()).ln() / rate).powf(1.0 / shape);
                // Visits before this change; a copy is stale from its first change after a visit to the next one.
                while visit < at {
                    (last, visit) = (visit, visit + interval);
                }
                if at > last && at > 0.0 && at < horizon {
                    stale += visit.min(horizon) - at;
                    last = visit;
                }
            }
            stale / horizon
        })
        .collect();
    let mean = shares.iter().sum::<f64>() / f64::from(runs);
    let variance = shares.iter().map(|share| (share - mean) * (share - mean)).sum::<f64>() / f64::from(runs - 1);
    (mean, (variance / f64::from(runs)).sqrt())
}

#[test]
fn simulated_renewals_cost_what_recurrence_says_and_not_what_a_renewal_at_visits_would() {
    for (seed, (mean_rate, shape)) in (1..).zip(LAWS) {
        for interval in [0.3 / mean_rate, 1.5 / mean_rate] {
            let (found, error) = simulated(mean_rate, shape, interval, seed);
            let expected = Recurrence::new(mean_rate, shape).costs(interval)[0] / interval;
            let what = format!("{mean_rate} {shape} every {interval}: {found} ± {error}");
            assert!(error < 0.01 && (found - expected).abs() < 4.0 * error, "{what}, expected {expected}");
            let at_visits = Change::Weibull { rate: Change::weibull_rate(mean_rate, shape), shape };
            let other = Staleness::default().average(&at_visits, 1.0 / interval);
            if shape < 0.9 {
                assert!(other > found + 10.0 * error, "{what}, renewed at visits {other}");
            }
        }
    }
}

#[test]
fn plans_by_recurrence_are_better_than_plans_by_renewal_at_visits() {
    // Two items, one bursty and one regular, share one visit a day; every split of them is simulated.
    let items = [(1.0, 0.4), (1.0, 3.0)];
    let share = |split: f64| -> f64 {
        (0..2).map(|i| simulated(items[i].0, items[i].1, 1.0 / [split, 1.0 - split][i], 5).0).sum::<f64>() / 2.0
    };
    // The split at which two benefits are equal, by bisection.
    let equal = |benefits: &dyn Fn(f64) -> [f64; 2]| {
        let (mut low, mut high) = (0.01, 0.99);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            let [bursty, regular] = benefits(middle);
            if bursty > regular { low = middle } else { high = middle }
        }
        low
    };
    let recurrence = equal(&|split| {
        [(0, split), (1, 1.0 - split)]
            .map(|(i, frequency)| Recurrence::new(items[i].0, items[i].1).benefit(1.0 / frequency)[0])
    });
    let at_visits = equal(&|split| {
        [(0, split), (1, 1.0 - split)].map(|(i, frequency)| {
            let (mean_rate, shape) = items[i];
            let change = Change::Weibull { rate: Change::weibull_rate(mean_rate, shape), shape };
            Staleness::default().benefit(&change, frequency)
        })
    });
    let [best, other] = [recurrence, at_visits].map(share);
    assert!(best < other - 0.02, "{recurrence}: {best}, {at_visits}: {other}");
    for split in [recurrence - 0.2, recurrence + 0.2] {
        assert!(best < share(split) + 0.002, "{recurrence}: {best}, {split}: {}", share(split));
    }
}
