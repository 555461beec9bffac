//! Budgets, rates and weights at the edges of what a double holds.

// Zeros, infinities and untouched bounds are exact or wrong.
#![allow(clippy::float_cmp)]

use afresh::allocate::{Allocation, Columns, Goal, Items, Policy, Question, allocate};
use afresh::change::Model;
use afresh::problem::{Kind, Problem};
use afresh::staleness::{Metric, Order, Staleness};

const METRICS: [Metric; 4] = [Metric::Freshness, Metric::Age, Metric::Content, Metric::Harmonic];
const ORDERS: [Order; 3] = [Order::Fixed, Order::Random, Order::PurelyRandom];
const POLICIES: [Policy; 3] = [Policy::Optimal, Policy::Uniform, Policy::Proportional];

fn poisson(columns: Columns) -> Items {
    Items::new(Model::Poisson, columns).expect("sound items")
}

fn rates(rate: Vec<f64>) -> Items {
    poisson(Columns { rate, ..Columns::default() })
}

fn ask(items: &Items, metric: Metric, order: Order, policy: Policy, goal: Goal) -> Result<Allocation, Problem> {
    allocate(items, &Question { staleness: Staleness { metric, order }, policy, ..Question::new(goal) })
}

fn best(items: &Items, metric: Metric, order: Order, budget: f64) -> Allocation {
    ask(items, metric, order, Policy::Optimal, Goal::Budget(budget)).expect("a plan exists")
}

#[track_caller]
fn sound(plan: &Allocation, budget: f64) {
    assert!(plan.gap <= 1e-9, "gap {} at {budget}", plan.gap);
    assert!((plan.spent / budget - 1.0).abs() < 1e-12, "spent {} of {budget}", plan.spent);
    assert!(plan.frequency.iter().all(|f| f.is_finite() && *f >= 0.0), "{:?}", plan.frequency);
    assert!(plan.price >= 0.0 && plan.price.is_finite(), "{}", plan.price);
}

#[test]
fn eighteen_decades_of_rates_side_by_side() {
    let items = rates((-9..=9).map(|exponent| 10.0_f64.powi(exponent)).collect());
    for metric in METRICS {
        for order in ORDERS {
            for exponent in (-12..=15).step_by(3) {
                let budget = 10.0_f64.powi(exponent);
                sound(&best(&items, metric, order, budget), budget);
            }
        }
    }
}

#[test]
fn one_item_gets_the_whole_budget_however_small_or_large() {
    for metric in METRICS {
        for order in ORDERS {
            for exponent in -200..=200 {
                let budget = 10.0_f64.powf(f64::from(exponent) / 20.0);
                let plan = best(&rates(vec![3.0]), metric, order, budget);
                sound(&plan, budget);
                assert!((plan.frequency[0] / budget - 1.0).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn equal_items_share_equally_even_where_prices_can_no_longer_tell() {
    // At a thousandth of a visit per change, 1 − price/top is e^−1000.
    for each in [1.0, 0.1, 0.03, 0.02, 0.001, 1e-9] {
        let plan = best(&rates(vec![1.0; 7]), Metric::Freshness, Order::Fixed, 7.0 * each);
        sound(&plan, 7.0 * each);
        for f in &plan.frequency {
            assert!((f / each - 1.0).abs() < 1e-12, "{f} of {each}");
        }
    }
}

#[test]
fn a_tiny_budget_goes_to_the_few_items_worth_most() {
    let items = rates((1..=2000).map(f64::from).collect());
    for budget in [1e-1, 1e-3, 1e-6, 1e-12] {
        let plan = best(&items, Metric::Freshness, Order::Fixed, budget);
        sound(&plan, budget);
        assert!(plan.frequency[0] > 0.99 * budget && plan.idle >= 1998, "{} idle", plan.idle);
    }
}

#[test]
fn a_huge_budget_follows_the_square_root_of_the_rates() {
    let items = rates(vec![1e-3, 1.0, 1e3]);
    let plan = best(&items, Metric::Freshness, Order::Fixed, 1e12);
    sound(&plan, 1e12);
    assert!((plan.frequency[2] / plan.frequency[1] / 1e3_f64.sqrt() - 1.0).abs() < 1e-6);
}

#[test]
fn no_budget_means_no_visits_and_the_price_of_the_first() {
    for policy in POLICIES {
        let fresh = ask(&rates(vec![2.0, 4.0]), Metric::Freshness, Order::Fixed, policy, Goal::Budget(0.0)).unwrap();
        assert_eq!((fresh.frequency.as_slice(), fresh.spent, fresh.idle), (&[0.0, 0.0][..], 0.0, 2));
        assert_eq!(fresh.averages.freshness, 0.0);
        assert_eq!(fresh.averages.age, f64::INFINITY);
        assert_eq!(fresh.gap, 0.0);
        let old = ask(&rates(vec![2.0, 4.0]), Metric::Age, Order::Fixed, policy, Goal::Budget(0.0)).unwrap();
        assert_eq!((old.gap, old.price), (0.0, f64::INFINITY));
    }
    assert_eq!(best(&rates(vec![2.0, 4.0]), Metric::Freshness, Order::Fixed, 0.0).price, 0.5);
}

#[test]
fn items_that_never_change_or_weigh_nothing_get_nothing() {
    let still = rates(vec![0.0, 0.0]);
    let weightless = poisson(Columns { rate: vec![1.0, 2.0], weight: Some(vec![0.0, 0.0]), ..Columns::default() });
    for metric in METRICS {
        for items in [&still, &weightless] {
            let plan = best(items, metric, Order::Fixed, 5.0);
            assert_eq!((plan.frequency.as_slice(), plan.price, plan.spent, plan.gap), (&[0.0, 0.0][..], 0.0, 0.0, 0.0));
        }
        let plan = best(&still, metric, Order::Fixed, 5.0);
        assert_eq!((plan.averages.freshness, plan.averages.age), (1.0, 0.0));
        let lazy = ask(&still, metric, Order::Fixed, Policy::Proportional, Goal::Budget(5.0)).unwrap();
        assert_eq!(lazy.spent, 0.0, "nothing changes, so nothing is in proportion");
        let even = ask(&still, metric, Order::Fixed, Policy::Uniform, Goal::Budget(5.0)).unwrap();
        assert_eq!(even.frequency, [2.5, 2.5]);
    }
}

#[test]
fn an_unweighted_item_that_is_never_visited_does_not_spoil_the_mean_age() {
    let items = poisson(Columns { rate: vec![1.0, 2.0], weight: Some(vec![1.0, 0.0]), ..Columns::default() });
    let plan = best(&items, Metric::Age, Order::Fixed, 1.0);
    assert_eq!(plan.frequency, [1.0, 0.0]);
    assert!(plan.averages.age.is_finite() && plan.averages.harmonic.is_finite());
}

#[test]
fn bounds_that_use_up_the_budget_are_the_plan() {
    let columns = Columns { rate: vec![1.0, 2.0, 3.0], min: Some(vec![0.1, 0.2, 0.3]), ..Columns::default() };
    let items = poisson(columns.clone());
    for metric in METRICS {
        for policy in POLICIES {
            let plan = ask(&items, metric, Order::Fixed, policy, Goal::Budget(0.1 + 0.2 + 0.3)).unwrap();
            assert_eq!(plan.frequency, [0.1, 0.2, 0.3]);
            assert!(policy != Policy::Optimal || plan.gap < 1e-12, "{}", plan.gap);
            let problem = ask(&items, metric, Order::Fixed, policy, Goal::Budget(0.5)).unwrap_err();
            assert_eq!(problem.kind, Kind::Infeasible);
            assert!(problem.message.contains("0.6") && problem.hint.contains("0.6"), "{problem:?}");
        }
    }
}

#[test]
fn floors_that_leave_next_to_nothing_are_certified() {
    let min: Vec<f64> = (1..=200).map(f64::from).collect();
    let least: f64 = min.iter().sum();
    let items = poisson(Columns { rate: vec![1e-3; 200], min: Some(min), ..Columns::default() });
    for metric in METRICS {
        for spare in [0.0, 1e-9, 1e-3] {
            let plan = best(&items, metric, Order::Fixed, least + spare);
            assert!(plan.gap <= 1e-9, "{metric:?}: gap {} with {spare} to spare", plan.gap);
        }
    }
}

#[test]
fn a_budget_beyond_all_upper_bounds_is_not_spent() {
    let items = poisson(Columns { rate: vec![1.0, 2.0], max: Some(vec![3.0, 4.0]), ..Columns::default() });
    for metric in METRICS {
        for policy in POLICIES {
            let plan = ask(&items, metric, Order::Fixed, policy, Goal::Budget(100.0)).unwrap();
            assert_eq!((plan.frequency.as_slice(), plan.spent, plan.price), (&[3.0, 4.0][..], 7.0, 0.0));
            assert_eq!(plan.gap, 0.0);
        }
    }
}

#[test]
fn weights_over_twenty_decades() {
    let items = poisson(Columns {
        rate: vec![1.0; 5],
        weight: Some(vec![1e-10, 1e-5, 1.0, 1e5, 1e10]),
        cost: Some(vec![1e5, 1.0, 1e-5, 1e3, 1.0]),
        ..Columns::default()
    });
    for metric in METRICS {
        for budget in [1e-6, 1.0, 1e6] {
            sound(&best(&items, metric, Order::Fixed, budget), budget);
        }
    }
}

#[test]
fn targets_out_of_reach_say_what_can_be_reached() {
    let items = rates(vec![1.0, 2.0]);
    for policy in POLICIES {
        let problem = ask(&items, Metric::Freshness, Order::Fixed, policy, Goal::Target(1.0)).unwrap_err();
        assert_eq!(problem.kind, Kind::Infeasible);
        assert!(problem.message.contains("no finite budget"), "{}", problem.message);
    }
    let bounded = poisson(Columns { rate: vec![1.0, 1.0], max: Some(vec![1.0, 1.0]), ..Columns::default() });
    let problem = ask(&bounded, Metric::Freshness, Order::Fixed, Policy::Optimal, Goal::Target(0.9)).unwrap_err();
    assert!(problem.message.contains("0.632"), "{}", problem.message);
    let exactly = 1.0 - (-1.0_f64).exp();
    let plan = ask(&bounded, Metric::Freshness, Order::Fixed, Policy::Optimal, Goal::Target(exactly - 1e-12)).unwrap();
    assert!((plan.spent - 2.0).abs() < 1e-9);
}

#[test]
fn a_target_that_no_visit_is_needed_for_costs_nothing() {
    let items = rates(vec![0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    for policy in POLICIES {
        for target in [0.2, 3.0 / 7.0] {
            let plan = ask(&items, Metric::Freshness, Order::Fixed, policy, Goal::Target(target)).unwrap();
            assert_eq!((plan.spent, plan.idle), (0.0, 7));
        }
    }
}

#[test]
fn a_million_items_are_certified() {
    let rate: Vec<f64> =
        (0..1_000_000).map(|k| 10.0_f64.powf(-3.0 + 6.0 * ((f64::from(k) * 0.754_877_666) % 1.0))).collect();
    let items = rates(rate);
    for metric in [Metric::Freshness, Metric::Age] {
        let plan = best(&items, metric, Order::Fixed, 1e5);
        sound(&plan, 1e5);
        assert!(plan.gap < 1e-12, "{}", plan.gap);
    }
}

#[test]
fn many_items_that_are_nearly_or_quite_alike_are_certified() {
    for spread in [0.0, 1e-12, 1e-6, 0.1] {
        let items = rates((0..70_000).map(|k| 1.0 + spread * ((f64::from(k) * 0.754_877_666) % 1.0)).collect());
        for budget in [1.0, 1e3, 1e5] {
            let plan = best(&items, Metric::Freshness, Order::Fixed, budget);
            sound(&plan, budget);
            assert!(plan.gap < 1e-9, "{spread} {budget}: {}", plan.gap);
        }
    }
}

/// A plan that is what it says, or a problem of the person's numbers: never NaN, never a budget left lying.
#[track_caller]
fn sound_or_refused(answer: Result<Allocation, Problem>, goal: Goal, metric: Metric) -> bool {
    match (answer, goal) {
        (Ok(plan), Goal::Budget(budget)) => sound(&plan, budget),
        (Ok(plan), Goal::Target(target)) => {
            sound(&plan, plan.spent);
            let reached = plan.averages.get(metric);
            assert!((reached / target - 1.0).abs() < 1e-9, "{reached} for {target}");
        }
        (Err(problem), _) => {
            assert_eq!(problem.kind, Kind::Value, "{problem:?}");
            assert!(problem.message.contains("out of the range of numbers"), "{problem:?}");
            return false;
        }
    }
    true
}

#[test]
fn what_no_number_can_price_is_refused() {
    use Goal::{Budget, Target};
    for (rate, metric, goal) in [
        (vec![1.0], Metric::Harmonic, Target(1000.0)),
        (vec![1.0], Metric::Age, Target(1e160)),
        (vec![1.0], Metric::Age, Target(1e-300)),
        (vec![1.0], Metric::Content, Target(1e230)),
        (vec![1.0, 2.0], Metric::Age, Budget(1e110)),
        (vec![1.0, 2.0], Metric::Freshness, Budget(1e200)),
    ] {
        let answer = ask(&rates(rate), metric, Order::Fixed, Policy::Optimal, goal);
        assert!(!sound_or_refused(answer, goal, metric), "{metric:?} {goal:?}");
    }
}

#[test]
fn at_any_budget_there_is_a_sound_plan_or_a_problem() {
    let items = rates(vec![1.0, 2.0]);
    for metric in METRICS {
        for order in ORDERS {
            for exponent in (-300..=300).step_by(20) {
                let goal = Goal::Budget(10.0_f64.powi(exponent));
                let answered = sound_or_refused(ask(&items, metric, order, Policy::Optimal, goal), goal, metric);
                assert!(answered || exponent.abs() > 80, "{metric:?} {order:?} {exponent}");
                if metric != Metric::Freshness {
                    let goal = Goal::Target(10.0_f64.powi(exponent));
                    sound_or_refused(ask(&items, metric, order, Policy::Optimal, goal), goal, metric);
                }
            }
        }
    }
}

#[test]
fn every_model_at_any_budget_has_a_sound_plan_or_a_problem() {
    let shaped = |shape: f64| Columns { rate: vec![1.0, 2.0], shape: Some(vec![shape; 2]), ..Columns::default() };
    let gamma = |alpha: f64| Columns { alpha: Some(vec![alpha; 2]), beta: Some(vec![1.0, 0.01]), ..Columns::default() };
    let sets = [0.005, 0.3, 1.0, 20.0].map(|shape| (Model::Weibull, shaped(shape)));
    let others = [0.02, 0.9, 1.1, 30.0].map(|alpha| (Model::GammaPoisson, gamma(alpha)));
    for (model, columns) in sets.into_iter().chain(others) {
        let items = Items::new(model, columns).expect("sound items");
        for metric in METRICS.into_iter().take(if model == Model::Weibull { 2 } else { 4 }) {
            for order in ORDERS {
                for budget in [1e-6, 1.0, 1e6, 1e60] {
                    let goal = Goal::Budget(budget);
                    sound_or_refused(ask(&items, metric, order, Policy::Optimal, goal), goal, metric);
                }
            }
        }
    }
}
