//! What every simulation keeps: the seed decides, the steps do not, and items do not disturb each other.

use afresh::change::Change;
use afresh::replay::{MonteCarlo, Request, simulate};
use afresh::staleness::Order;
use proptest::prelude::*;

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        Just(Change::Poisson { rate: 0.0 }),
        (0.01..10.0_f64).prop_map(|rate| Change::Poisson { rate }),
        (0.01..10.0_f64, 0.3..3.0_f64).prop_map(|(rate, shape)| Change::Weibull { rate, shape }),
        (0.1..5.0_f64, 0.1..5.0_f64).prop_map(|(alpha, beta)| Change::GammaPoisson { alpha, beta }),
    ]
}

fn frequency() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 5 => 0.05..5.0_f64]
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::Fixed), Just(Order::Random), Just(Order::PurelyRandom)]
}

/// Change, weight and frequency of each of some items.
fn items() -> impl Strategy<Value = (Vec<Change>, Vec<f64>, Vec<f64>)> {
    prop::collection::vec((change(), 0.1..9.0_f64, frequency()), 1..12).prop_map(|items| {
        let (changes, rest): (Vec<_>, Vec<_>) = items.into_iter().map(|(c, w, f)| (c, (w, f))).unzip();
        let (weight, frequency) = rest.into_iter().unzip();
        (changes, weight, frequency)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_seed_decides_and_steps_of_any_size_do_not(
        (changes, weight, frequency) in items(), order in order(), seed: u64, step in 1..200_usize,
    ) {
        let request = Request {
            changes: &changes, weight: &weight, frequency: &frequency, order, horizon: 7.0, seed, runs: 6, points: 20,
        };
        let mut job = MonteCarlo::new(&request).unwrap();
        let mut done = 0.0;
        while done < 1.0 {
            let now = job.step(step);
            prop_assert!(now > done && now <= 1.0);
            done = now;
        }
        prop_assert_eq!(job.finish().unwrap(), simulate(&request).unwrap());
    }

    #[test]
    fn different_seeds_draw_different_histories(seed: u64, order in order()) {
        let (changes, ones) = ([Change::Poisson { rate: 1.0 }; 10], [1.0; 10]);
        let request = Request {
            changes: &changes, weight: &ones, frequency: &ones, order, horizon: 7.0, seed, runs: 6, points: 20,
        };
        let other = simulate(&Request { seed: seed ^ 1, ..request }).unwrap();
        prop_assert_ne!(other.age, simulate(&request).unwrap().age);
    }

    #[test]
    fn a_set_is_the_weighted_mean_of_its_items(
        (changes, weight, frequency) in items(), order in order(), seed: u64,
    ) {
        // Streams belong to an item's position, so one item alone is had by taking the others' weights away.
        let request = Request {
            changes: &changes, weight: &weight, frequency: &frequency, order, horizon: 5.0, seed, runs: 4, points: 6,
        };
        let all = simulate(&request).unwrap();
        let total: f64 = weight.iter().sum();
        let (mut freshness, mut age, mut last) = (0.0, 0.0, 0.0);
        for item in 0..changes.len() {
            let mut only = vec![0.0; changes.len()];
            only[item] = 1.0;
            let one = simulate(&Request { weight: &only, ..request }).unwrap();
            freshness += one.mean_freshness * weight[item] / total;
            age += one.mean_age * weight[item] / total;
            last += one.age[5] * weight[item] / total;
        }
        prop_assert!((all.mean_freshness - freshness).abs() < 1e-9);
        prop_assert!((all.mean_age - age).abs() < 1e-9 * (1.0 + age));
        prop_assert!((all.age[5] - last).abs() < 1e-9 * (1.0 + last));
    }

    #[test]
    fn the_grid_and_the_exact_integral_agree((changes, weight, frequency) in items(), order in order(), seed: u64) {
        // A fine grid's trapezoid sum is off by no more than a spacing for each of the few jumps of each item.
        let points = 20_001;
        let request = Request {
            changes: &changes, weight: &weight, frequency: &frequency, order, horizon: 4.0, seed, runs: 1, points,
        };
        let found = simulate(&request).unwrap();
        let mean = |curve: &[f64]| {
            let inner: f64 = curve[1..points - 1].iter().sum();
            (inner + 0.5 * (curve[0] + curve[points - 1])) / (points - 1) as f64
        };
        let oldest = found.age.iter().copied().fold(0.0, f64::max);
        let jumps = 4.0 * (found.visits + changes.len() as f64) / points as f64;
        prop_assert!((mean(&found.freshness) - found.mean_freshness).abs() < jumps);
        prop_assert!((mean(&found.age) - found.mean_age).abs() < jumps * (1.0 + oldest));
    }
}
