//! Staleness under any model, metric and order: decreasing and convex in frequency, inverted by its demand, scale-free,
//! lowest when visits are regular.

#![allow(clippy::float_cmp, reason = "limits at zero and infinity are exact")]

use afresh::change::Change;
use afresh::staleness::{Averages, Metric, Order, Staleness};
use proptest::prelude::*;

fn decades(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low..high).prop_map(|exponent| 10.0_f64.powf(exponent))
}

fn poisson() -> impl Strategy<Value = Change> {
    decades(-9.0, 9.0).prop_map(|rate| Change::Poisson { rate })
}

fn any_change() -> impl Strategy<Value = Change> {
    prop_oneof![
        poisson(),
        (decades(-3.0, 3.0), 0.3..5.0).prop_map(|(rate, shape)| Change::Weibull { rate, shape }),
        (decades(-3.0, 3.0), decades(-3.0, 3.0)).prop_map(|(alpha, beta)| Change::GammaPoisson { alpha, beta }),
    ]
}

fn any_staleness() -> impl Strategy<Value = Staleness> {
    let metric = prop_oneof![Just(Metric::Freshness), Just(Metric::Age), Just(Metric::Content), Just(Metric::Harmonic)];
    let order = prop_oneof![Just(Order::Fixed), Just(Order::Random), Just(Order::PurelyRandom)];
    (metric, order).prop_map(|(metric, order)| Staleness { metric, order })
}

/// A staleness that the change model defines, and a frequency within some decades of the pace of change.
fn case() -> impl Strategy<Value = (Staleness, Change, f64)> {
    (any_staleness(), any_change(), decades(-3.0, 6.0))
        .prop_filter("defined", |(staleness, change, _)| staleness.defined_for(change.model()))
        .prop_map(|(staleness, change, pace)| (staleness, change, pace * change.mean_rate()))
}

/// The same change on a clock that runs `k` times faster.
fn hastened(change: &Change, k: f64) -> Change {
    match *change {
        Change::Poisson { rate } => Change::Poisson { rate: rate * k },
        Change::Weibull { rate, shape } => Change::Weibull { rate: rate * k.powf(shape), shape },
        Change::GammaPoisson { alpha, beta } => Change::GammaPoisson { alpha, beta: beta / k },
    }
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn average_decreases_and_is_convex((staleness, change, f) in case(), step in 1.01..3.0_f64) {
        let [low, middle, high] = [f / step, f, f * step].map(|f| staleness.average(&change, f));
        let slack = 1e-13 * low;
        prop_assert!(low >= middle - slack && middle >= high - slack, "{low} {middle} {high}");
        // f lies between f/step and f·step with these weights.
        let weight = (step - 1.0) / (step - 1.0 / step);
        let line = weight * low + (1.0 - weight) * high;
        prop_assert!(line >= middle - slack, "{line} below {middle}");
    }

    #[test]
    fn benefit_is_minus_the_slope_of_the_average((staleness, change, f) in case()) {
        let h = 1e-4;
        let slope = (staleness.average(&change, f * (1.0 - h)) - staleness.average(&change, f * (1.0 + h))) / (2.0 * h * f);
        let benefit = staleness.benefit(&change, f);
        // The difference of two averages carries their rounding, magnified by 1/h.
        let noise = 1e-11 * staleness.average(&change, f) / f;
        prop_assert!((benefit - slope).abs() <= 1e-6 * benefit + noise, "{benefit} against {slope}");
    }

    #[test]
    fn demand_inverts_benefit((staleness, change, f) in case()) {
        let price = staleness.benefit(&change, f);
        let demand = staleness.demand(&change, price);
        // Where the gain saturates many frequencies share a benefit: then the price must come back, not f.
        let back = staleness.benefit(&change, demand.frequency);
        prop_assert!(close(back, price, 1e-13), "price {price}: {back} at {demand:?}, from {f}");
        prop_assert!(demand.slope <= 0.0, "{demand:?}");
    }

    #[test]
    fn the_slope_of_demand_is_its_derivative((staleness, change, f) in case()) {
        let price = staleness.benefit(&change, f);
        let h = 1e-5;
        let demand = staleness.demand(&change, price);
        let [cheap, dear] = [1.0 - h, 1.0 + h].map(|k| staleness.demand(&change, price * k).frequency);
        prop_assume!(dear > 0.0);
        let slope = (dear - cheap) / (2.0 * h);
        // Beside the cut-off the curve bends within h.
        prop_assume!((slope * h).abs() < 1e-4 * demand.frequency);
        prop_assert!(close(demand.slope, slope, 1e-4), "{demand:?} against {slope}");
    }

    #[test]
    fn only_ratios_of_rate_and_frequency_matter((staleness, change, f) in case(), k in decades(-4.0, 4.0)) {
        let unit = |metric| if matches!(metric, Metric::Age | Metric::Content) { k } else { 1.0 };
        let fast = staleness.average(&hastened(&change, k), k * f) * unit(staleness.metric);
        prop_assert!(close(fast, staleness.average(&change, f), 1e-12), "{fast}");
    }

    #[test]
    fn regular_visits_cost_least((staleness, change, f) in case()) {
        let [fixed, random, purely] = [Order::Fixed, Order::Random, Order::PurelyRandom]
            .map(|order| Staleness { order, ..staleness }.average(&change, f));
        prop_assert!(fixed <= random * (1.0 + 1e-13) && random <= purely * (1.0 + 1e-13), "{fixed} {random} {purely}");
    }

    #[test]
    fn fresh_and_stale_add_up((staleness, change, f) in case()) {
        let of = Staleness { metric: Metric::Freshness, order: staleness.order };
        let whole = of.freshness(&change, f) + of.average(&change, f);
        prop_assert!((whole - 1.0).abs() < 1e-14, "{whole}");
    }

    #[test]
    fn four_averages_at_once_are_the_four_averages((staleness, change, f) in case()) {
        let Averages { stale, age, content, harmonic } = Averages::of(&change, staleness.order, f);
        let all = [
            (Metric::Freshness, stale), (Metric::Age, age), (Metric::Content, content), (Metric::Harmonic, harmonic),
        ];
        for (metric, at_once) in all {
            let alone = Staleness { metric, ..staleness }.average(&change, f);
            prop_assert!(close(at_once, alone, 1e-14) || (alone.is_nan() && at_once.is_nan()), "{metric:?}");
        }
    }

    #[test]
    fn poisson_demands_hold_over_tens_of_decades(
        staleness in any_staleness(), change in poisson(), price in decades(-18.0, 18.0)
    ) {
        let Change::Poisson { rate } = change else { unreachable!() };
        let demand = staleness.demand(&change, price);
        if demand.frequency == 0.0 {
            prop_assert!(staleness.metric == Metric::Freshness && price * rate >= 1.0 - 1e-15, "{demand:?}");
        } else {
            let back = staleness.benefit(&change, demand.frequency);
            prop_assert!(close(back, price, 1e-13), "{back} at {demand:?}");
        }
    }

    #[test]
    fn weibull_of_shape_one_is_poisson(staleness in any_staleness(), rate in decades(-3.0, 3.0), r in decades(-6.0, 4.0)) {
        let (poisson, weibull) = (Change::Poisson { rate }, Change::Weibull { rate, shape: 1.0 });
        prop_assume!(staleness.defined_for(weibull.model()));
        let f = rate / r;
        prop_assert!(close(staleness.average(&poisson, f), staleness.average(&weibull, f), 1e-13));
        prop_assert!(close(staleness.benefit(&poisson, f), staleness.benefit(&weibull, f), 1e-13));
    }
}

#[test]
fn a_visit_to_what_has_surely_changed_is_worth_the_time_until_the_change() {
    for shape in [0.3, 1.0, 2.5, 5.0] {
        let change = Change::Weibull { rate: 2.0, shape };
        for order in [Order::Fixed, Order::Random, Order::PurelyRandom] {
            for f in [1e-40, 1e-100, 1e-300] {
                let benefit = Staleness { metric: Metric::Freshness, order }.benefit(&change, f);
                assert!(close(benefit, change.mean_time(), 1e-13), "{shape} {order:?} {f}: {benefit}");
            }
        }
    }
}

#[test]
fn extremes_have_their_limits_and_no_nan() {
    let changes = [
        Change::Poisson { rate: 2.0 },
        Change::Weibull { rate: 2.0, shape: 0.7 },
        Change::GammaPoisson { alpha: 2.0, beta: 1.0 },
        Change::GammaPoisson { alpha: 0.5, beta: 1.0 },
    ];
    let stales = [Metric::Freshness, Metric::Age, Metric::Content, Metric::Harmonic]
        .into_iter()
        .flat_map(|metric| [Order::Fixed, Order::Random, Order::PurelyRandom].map(|order| Staleness { metric, order }));
    for staleness in stales {
        for change in changes.iter().filter(|change| staleness.defined_for(change.model())) {
            let at_rest = if staleness.metric == Metric::Freshness { 1.0 } else { f64::INFINITY };
            assert_eq!(staleness.average(change, 0.0), at_rest, "{staleness:?} {change:?}");
            assert_eq!(staleness.average(change, f64::INFINITY), 0.0, "{staleness:?} {change:?}");
            assert_eq!(staleness.benefit(change, f64::INFINITY), 0.0, "{staleness:?} {change:?}");
            for f in [1e-300, 1e-150, 1e150, 1e300] {
                assert!(!staleness.average(change, f).is_nan(), "{staleness:?} {change:?} {f}");
                assert!(!staleness.benefit(change, f).is_nan(), "{staleness:?} {change:?} {f}");
                let demand = staleness.demand(change, f);
                assert!(demand.frequency >= 0.0 && demand.slope <= 0.0, "{staleness:?} {change:?} {f}: {demand:?}");
            }
            if staleness.metric == Metric::Freshness {
                let most = change.mean_time();
                assert_eq!(staleness.benefit(change, 0.0), most, "{staleness:?} {change:?}");
                if most.is_finite() {
                    assert_eq!(staleness.demand(change, most * 1.001).frequency, 0.0, "{staleness:?} {change:?}");
                    assert!(staleness.demand(change, most * 0.999).frequency > 0.0, "{staleness:?} {change:?}");
                }
            }
        }
        for never in [Change::Poisson { rate: 0.0 }, Change::GammaPoisson { alpha: 0.0, beta: 1.0 }] {
            for f in [0.0, 1.0, f64::INFINITY] {
                assert_eq!(staleness.average(&never, f), 0.0, "{staleness:?} {never:?} {f}");
            }
            assert_eq!(staleness.benefit(&never, 1.0), 0.0);
            assert_eq!(staleness.demand(&never, 1.0).frequency, 0.0);
        }
    }
}

/// y = λ·price (λ²·price for age) at which a demand goes from one table or polynomial to the next, and beside them.
fn seams() -> impl Iterator<Item = f64> {
    let powers = (-45..=12).map(power_of_two);
    let sixteenths = (16..32).map(|k| f64::from(k) / 32.0);
    let complements = (-45..=-1).map(|n| 1.0 - power_of_two(n));
    powers.chain(sixteenths).chain(complements).flat_map(|y| [y.next_down(), y, y.next_up()])
}

fn power_of_two(n: i32) -> f64 {
    2.0_f64.powi(n)
}

#[test]
fn demand_inverts_benefit_on_the_seams_of_its_tables() {
    for metric in [Metric::Freshness, Metric::Age, Metric::Content, Metric::Harmonic] {
        for order in [Order::Fixed, Order::Random, Order::PurelyRandom] {
            let staleness = Staleness { metric, order };
            // Rates at which λ·price rounds, and does not.
            for rate in [1.0, 0.5, 3.0, 0.1, 0.7] {
                let change = Change::Poisson { rate };
                let power = if metric == Metric::Age { 2 } else { 1 };
                for y in seams() {
                    let price = y / rate.powi(power);
                    if metric == Metric::Freshness && price * rate >= 1.0 {
                        continue;
                    }
                    let demand = staleness.demand(&change, price);
                    let back = staleness.benefit(&change, demand.frequency);
                    assert!(close(back, price, 1e-13), "{staleness:?}, rate {rate}, y {y}: {back}, not {price}");
                    assert!(demand.slope < 0.0, "{staleness:?}, rate {rate}, y {y}: {demand:?}");
                }
            }
        }
    }
}

#[test]
fn steep_and_flat_weibull_laws_stay_finite_and_monotone_over_all_intervals() {
    let powers = |low: i32, high: i32, step| (low..=high).step_by(step).map(|n| 10.0_f64.powi(n));
    for shape in [0.05, 0.3, 1.0, 3.0, 20.0, 50.0, 300.0] {
        for rate in powers(-6, 6, 6) {
            let change = Change::Weibull { rate, shape };
            for order in [Order::Fixed, Order::Random, Order::PurelyRandom] {
                for metric in [Metric::Freshness, Metric::Age] {
                    let staleness = Staleness { metric, order };
                    let case = format!("{staleness:?} {change:?}");
                    let mut before = f64::INFINITY;
                    for f in powers(-9, 9, 1) {
                        let average = staleness.average(&change, f);
                        assert!(average.is_finite() && average >= 0.0, "{case} at {f}: {average}");
                        assert!(average <= before * (1.0 + 1e-12), "{case} at {f}: {average} after {before}");
                        before = average;
                        let fresh = staleness.freshness(&change, f);
                        assert!((0.0..=1.0 + 1e-12).contains(&fresh), "{case} at {f}: {fresh}");
                        assert!(staleness.benefit(&change, f) >= 0.0, "{case} at {f}");
                    }
                    for price in [1e-6, 1.0, 1e6] {
                        let demand = staleness.demand(&change, price);
                        assert!(demand.frequency >= 0.0 && demand.slope <= 0.0, "{case} at price {price}: {demand:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_has_surely_changed_is_fresh_until_it_changes_and_no_longer() {
    let change = Change::Weibull { rate: 1.0, shape: 300.0 };
    for order in [Order::Fixed, Order::Random, Order::PurelyRandom] {
        let fresh = Staleness { metric: Metric::Freshness, order }.freshness(&change, 0.006);
        assert!(close(fresh, 0.006 * change.mean_time(), 0.005), "{order:?}: {fresh}");
    }
}
