//! Cho and Garcia-Molina, Figs 10, 17 and 18: the optimal frequency against the rate of change.

// Zeros and infinities are exact or wrong.
#![allow(clippy::float_cmp)]

use afresh::allocate::{Policy, frequency_curve};
use afresh::change::Model;
use afresh::staleness::{Metric, Order, Staleness};

use crate::plans::{AGE, FRESHNESS, plan, printed, rates, within};

#[test]
fn figure_17_the_universal_curve_peaks_and_ends() {
    let curve = frequency_curve(FRESHNESS, Model::Poisson, None, 1.0, 1.2, 121).unwrap();
    let (rate, frequency) = curve.peak.unwrap();
    printed(rate, 0.535_161, 6);
    printed(frequency, 0.298_426, 6);
    within(curve.cutoff, 1.0, 1e-15);
    for (rate, frequency) in curve.rate.iter().zip(&curve.frequency) {
        assert_eq!(*frequency > 0.0, *rate > 0.0 && *rate < 1.0, "at rate {rate}: {frequency}");
    }
}

#[test]
fn figure_18_the_curve_at_twice_the_price_is_half_as_large() {
    let one = frequency_curve(FRESHNESS, Model::Poisson, None, 1.0, 1.0, 50).unwrap();
    let two = frequency_curve(FRESHNESS, Model::Poisson, None, 2.0, 0.5, 50).unwrap();
    for (a, b) in one.frequency.iter().zip(&two.frequency) {
        assert!((a / 2.0 - b).abs() < 1e-12);
    }
    within(two.peak.unwrap().0, one.peak.unwrap().0 / 2.0, 1e-9);
    within(two.peak.unwrap().1, one.peak.unwrap().1 / 2.0, 1e-12);
    within(two.cutoff, 0.5, 1e-15);
}

#[test]
fn figure_10a_the_elements_of_example_4_lie_on_the_curve_of_their_price() {
    let best = plan(&rates([1.0, 2.0, 3.0, 4.0, 5.0]), FRESHNESS, Policy::Optimal, 5.0);
    let curve = frequency_curve(FRESHNESS, Model::Poisson, None, best.price, 5.0, 6).unwrap();
    for (on_curve, planned) in curve.frequency[1..].iter().zip(&best.frequency) {
        assert!((on_curve - planned).abs() < 1e-9);
    }
    let (rate, _) = curve.peak.unwrap();
    assert!((rate - 2.5).abs() < 0.1, "the paper: beyond λ > 2.5, f decreases");
}

#[test]
fn figure_10b_for_age_faster_elements_always_get_more() {
    let curve = frequency_curve(AGE, Model::Poisson, None, 0.38, 50.0, 200).unwrap();
    assert!(curve.frequency.windows(2).all(|pair| pair[1] > pair[0]));
    assert_eq!(curve.peak, None);
    assert_eq!(curve.cutoff, f64::INFINITY);
}

#[test]
fn every_model_and_order_has_its_cut_off_where_the_curve_ends() {
    for order in [Order::Fixed, Order::Random, Order::PurelyRandom] {
        for (model, shape) in [
            (Model::Poisson, None),
            (Model::Weibull, Some(0.7)),
            (Model::Weibull, Some(2.0)),
            (Model::GammaPoisson, Some(3.0)),
        ] {
            let staleness = Staleness { metric: Metric::Freshness, order };
            let end = frequency_curve(staleness, model, shape, 0.4, 1.0, 2).unwrap().cutoff;
            let curve = frequency_curve(staleness, model, shape, 0.4, 2.0 * end, 41).unwrap();
            for (rate, frequency) in curve.rate.iter().zip(&curve.frequency) {
                let inside = *rate > 0.0 && *rate < 0.999 * end;
                assert!(
                    (*frequency > 0.0) == inside || (rate / end - 1.0).abs() < 0.01,
                    "{model:?} {order:?} at {rate} of {end}: {frequency}"
                );
            }
            let (at, height) = curve.peak.unwrap();
            assert!(at > 0.0 && at < end);
            assert!(curve.frequency.iter().all(|&frequency| frequency <= height * (1.0 + 1e-12)));
        }
    }
}

#[test]
fn no_point_of_a_curve_stands_above_its_peak_or_falls_out_of_line() {
    for order in [Order::Fixed, Order::Random, Order::PurelyRandom] {
        for price in [0.25, 1.0, 4.0] {
            let staleness = Staleness { metric: Metric::Freshness, order };
            let curve = frequency_curve(staleness, Model::Poisson, None, price, 1.0 / price, 1001).unwrap();
            let (_, height) = curve.peak.unwrap();
            let highest = curve.frequency.iter().copied().fold(0.0, f64::max);
            assert!(highest <= height && highest > height * (1.0 - 1e-5), "{order:?}: {highest} of {height}");
            // Away from its steep ends the curve is concave and bends slowly.
            for (at, three) in curve.frequency.windows(3).enumerate().skip(50).take(940) {
                let sag = three[1] - 0.5 * (three[0] + three[2]);
                assert!((-1e-12..1e-3 * height).contains(&sag), "{order:?} at {at}: {three:?}");
            }
        }
    }
    let random = Staleness { metric: Metric::Freshness, order: Order::Random };
    let (rate, frequency) = frequency_curve(random, Model::Poisson, None, 1.0, 1.0, 1001).unwrap().peak.unwrap();
    within(rate, 0.4432, 1e-4);
    within(frequency, 0.28443, 2e-5);
}
