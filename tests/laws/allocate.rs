//! Laws of allocation: who beats whom, what scales how, and that the optimum is one.

// Zeros, infinities and untouched bounds are exact or wrong.
#![allow(clippy::float_cmp)]

use afresh::allocate::{
    Allocation, Columns, Goal, Items, Policy, Question, allocate, averages, frequency_curve, tradeoff,
};
use afresh::change::{Change, Model};
use afresh::staleness::{Metric, Order, Staleness};
use proptest::collection::vec;
use proptest::prelude::*;

fn staleness(metric: Metric) -> Staleness {
    Staleness { metric, order: Order::Fixed }
}

fn any_metric() -> impl Strategy<Value = Metric> {
    prop_oneof![Just(Metric::Freshness), Just(Metric::Age), Just(Metric::Content), Just(Metric::Harmonic)]
}

fn any_order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::Fixed), Just(Order::Random), Just(Order::PurelyRandom)]
}

fn any_policy() -> impl Strategy<Value = Policy> {
    prop_oneof![Just(Policy::Optimal), Just(Policy::Uniform), Just(Policy::Proportional)]
}

/// Numbers over some decades.
fn decades(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low..high).prop_map(|exponent| 10.0_f64.powf(exponent))
}

/// Items with every column that weighs or costs; some never change, some weigh nothing.
fn any_columns() -> impl Strategy<Value = Columns> {
    let rate = prop_oneof![9 => decades(-3.0, 3.0), 1 => Just(0.0)];
    let weight = prop_oneof![9 => decades(-1.0, 2.0), 1 => Just(0.0)];
    vec((rate, weight, decades(-1.0, 1.0), decades(0.0, 2.0)), 1..12).prop_map(|rows| Columns {
        rate: rows.iter().map(|row| row.0).collect(),
        weight: Some(rows.iter().map(|row| row.1).collect()),
        cost: Some(rows.iter().map(|row| row.2).collect()),
        count: Some(rows.iter().map(|row| row.3).collect()),
        ..Columns::default()
    })
}

fn positive_rates() -> impl Strategy<Value = Vec<f64>> {
    vec(decades(-4.0, 4.0), 1..20)
}

fn poisson(columns: Columns) -> Items {
    Items::new(Model::Poisson, columns).expect("sound items")
}

/// The same items under the models that are not Poisson.
fn other_models(rows: &[(f64, f64)]) -> [(Model, Columns); 2] {
    let column = |pick: fn(&(f64, f64)) -> f64| rows.iter().map(pick).collect::<Vec<f64>>();
    let (rate, shape) = (column(|row| row.0), column(|row| row.1));
    let beta = Some(column(|row| row.1 / row.0));
    [
        (Model::Weibull, Columns { rate, shape: Some(shape.clone()), ..Columns::default() }),
        (Model::GammaPoisson, Columns { alpha: Some(shape), beta, ..Columns::default() }),
    ]
}

/// Weibull changes cannot be counted.
fn defined(model: Model, metric: Metric) -> Metric {
    match (model, metric) {
        (Model::Weibull, Metric::Content | Metric::Harmonic) => Metric::Age,
        _ => metric,
    }
}

fn solve(items: &Items, staleness: Staleness, policy: Policy, goal: Goal) -> Allocation {
    allocate(items, &Question { staleness, policy, ..Question::new(goal) }).expect("a plan exists")
}

/// Mean cost: lower is better in every metric.
fn cost(plan: &Allocation, metric: Metric) -> f64 {
    if metric == Metric::Freshness { 1.0 - plan.averages.freshness } else { plan.averages.get(metric) }
}

/// Σ n·κ·f, added up here and not taken from the plan.
fn within(items: &Items, plan: &Allocation, budget: f64) -> bool {
    let spent: f64 = plan.frequency.iter().enumerate().map(|(i, f)| items.size(i) * f).sum();
    spent <= budget * (1.0 + 1e-12) && (spent - plan.spent).abs() <= 1e-12 * budget
}

fn at_most(a: f64, b: f64) -> bool {
    a <= b * (1.0 + 1e-9) + 1e-13
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn theorem_3_and_4_uniform_is_never_worse_than_proportional(rates in positive_rates(), order in any_order(), each in decades(-3.0, 3.0)) {
        let items = poisson(Columns { rate: rates, ..Columns::default() });
        let budget = Goal::Budget(each * items.len() as f64);
        let staleness = Staleness { metric: Metric::Freshness, order };
        let uniform = solve(&items, staleness, Policy::Uniform, budget);
        let proportional = solve(&items, staleness, Policy::Proportional, budget);
        prop_assert!(at_most(cost(&uniform, Metric::Freshness), cost(&proportional, Metric::Freshness)));
        prop_assert!(at_most(uniform.averages.age, proportional.averages.age));
    }

    #[test]
    fn theorem_5_the_curve_scales_with_the_price(rate in decades(-3.0, 1.0), price in decades(-3.0, 3.0), order in any_order()) {
        let staleness = Staleness { metric: Metric::Freshness, order };
        let here = frequency_curve(staleness, Model::Poisson, None, price, rate / price, 2).unwrap();
        let unit = frequency_curve(staleness, Model::Poisson, None, 1.0, rate, 2).unwrap();
        prop_assert!((price * here.frequency[1] - unit.frequency[1]).abs() <= 1e-9 * unit.frequency[1]);
    }

    #[test]
    fn the_optimum_is_never_worse_than_the_other_policies(columns in any_columns(), metric in any_metric(), order in any_order(), budget in decades(-2.0, 4.0)) {
        let items = poisson(columns);
        prop_assume!(items.total_stake() > 0.0);
        let staleness = Staleness { metric, order };
        let best = solve(&items, staleness, Policy::Optimal, Goal::Budget(budget));
        for policy in [Policy::Uniform, Policy::Proportional] {
            let other = solve(&items, staleness, policy, Goal::Budget(budget));
            prop_assert!(at_most(cost(&best, metric), cost(&other, metric)));
            prop_assert!(other.gap >= 0.0 && other.gap <= 1.0);
        }
    }

    #[test]
    fn every_optimum_is_certified_and_spends_its_budget(columns in any_columns(), metric in any_metric(), order in any_order(), budget in decades(-4.0, 6.0)) {
        let worthwhile = columns.rate.iter().zip(columns.weight.iter().flatten()).any(|(rate, weight)| rate * weight > 0.0);
        let items = poisson(columns);
        let plan = solve(&items, Staleness { metric, order }, Policy::Optimal, Goal::Budget(budget));
        prop_assert!(plan.gap <= 1e-12, "gap {}", plan.gap);
        prop_assert!(within(&items, &plan, budget));
        if worthwhile {
            prop_assert!(plan.spent >= budget * (1.0 - 1e-12), "{} of {budget}", plan.spent);
        } else {
            prop_assert_eq!(plan.spent, 0.0);
            prop_assert_eq!(plan.price, 0.0);
        }
    }

    #[test]
    fn at_the_optimum_every_visit_is_worth_its_price(columns in any_columns(), metric in any_metric(), budget in decades(-2.0, 4.0)) {
        let items = poisson(columns);
        let plan = solve(&items, staleness(metric), Policy::Optimal, Goal::Budget(budget));
        for (i, &f) in plan.frequency.iter().enumerate() {
            let change = items.change(i);
            if f > 0.0 {
                let worth = items.weight(i) * staleness(metric).benefit(&change, f);
                prop_assert!((worth / (plan.price * items.cost(i)) - 1.0).abs() < 1e-9);
            } else if items.weight(i) > 0.0 && !change.never() {
                let worth = items.weight(i) * staleness(metric).benefit(&change, 1e-12);
                prop_assert!(worth <= plan.price * items.cost(i) * (1.0 + 1e-9));
            }
        }
    }

    #[test]
    fn no_exchange_between_items_improves_the_optimum(columns in any_columns(), metric in any_metric(), budget in decades(-1.0, 3.0), moves in vec((0_usize..12, 0_usize..12, 0.0..1.0_f64), 10)) {
        let items = poisson(columns);
        prop_assume!(items.total_stake() > 0.0);
        let plan = solve(&items, staleness(metric), Policy::Optimal, Goal::Budget(budget));
        for (from, to, share) in moves {
            let (from, to) = (from % items.len(), to % items.len());
            let mut other = plan.frequency.clone();
            let taken = share * other[from] * items.size(from);
            other[from] -= taken / items.size(from);
            other[to] += taken / items.size(to);
            let moved = Allocation { averages: averages(&items, Order::Fixed, &other), frequency: other, ..plan.clone() };
            prop_assert!(at_most(cost(&plan, metric), cost(&moved, metric)));
        }
    }

    #[test]
    fn more_budget_never_hurts_and_is_worth_less_and_less(columns in any_columns(), metric in any_metric(), policy in any_policy(), budget in decades(-2.0, 3.0), more in 1.01..10.0_f64) {
        let items = poisson(columns);
        prop_assume!(items.total_stake() > 0.0);
        let little = solve(&items, staleness(metric), policy, Goal::Budget(budget));
        let much = solve(&items, staleness(metric), policy, Goal::Budget(budget * more));
        prop_assert!(at_most(cost(&much, metric), cost(&little, metric)));
        prop_assert!(at_most(much.price, little.price));
    }

    #[test]
    fn the_price_is_what_one_more_request_buys(columns in any_columns(), metric in any_metric(), policy in any_policy(), budget in decades(-1.0, 3.0)) {
        let items = poisson(columns);
        let plan = solve(&items, staleness(metric), policy, Goal::Budget(budget));
        prop_assume!(plan.price > 0.0 && cost(&plan, metric).is_finite());
        let step = 1e-4;
        let at = |budget| cost(&solve(&items, staleness(metric), policy, Goal::Budget(budget)), metric) * items.total_stake();
        let slope = (at(budget * (1.0 - step)) - at(budget * (1.0 + step))) / (2.0 * step * budget);
        let noise = 1e-10 * at(budget) / (step * budget);
        prop_assert!((slope - plan.price).abs() <= 1e-3 * plan.price + noise, "{slope} against {}", plan.price);
    }

    #[test]
    fn the_order_of_rows_does_not_matter(columns in any_columns(), metric in any_metric(), policy in any_policy(), budget in decades(-2.0, 3.0), turn in 0_usize..12) {
        let items = poisson(columns.clone());
        let turned = |column: &Vec<f64>| { let mut column = column.clone(); let by = turn % column.len(); column.rotate_left(by); column };
        let moved = poisson(Columns {
            rate: turned(&columns.rate),
            weight: columns.weight.as_ref().map(turned),
            cost: columns.cost.as_ref().map(turned),
            count: columns.count.as_ref().map(turned),
            ..Columns::default()
        });
        let here = solve(&items, staleness(metric), policy, Goal::Budget(budget));
        let there = solve(&moved, staleness(metric), policy, Goal::Budget(budget));
        for (a, b) in turned(&here.frequency).iter().zip(&there.frequency) {
            prop_assert!((a - b).abs() <= 1e-9 * a.max(1e-6 * budget), "{a} {b}");
        }
    }

    #[test]
    fn a_count_stands_for_that_many_rows(rows in vec((decades(-2.0, 2.0), 1_u8..5), 1..6), metric in any_metric(), policy in any_policy(), budget in decades(-1.0, 3.0)) {
        let counted = poisson(Columns {
            rate: rows.iter().map(|row| row.0).collect(),
            count: Some(rows.iter().map(|row| f64::from(row.1)).collect()),
            ..Columns::default()
        });
        let spelt = poisson(Columns {
            rate: rows.iter().flat_map(|row| std::iter::repeat_n(row.0, usize::from(row.1))).collect(),
            ..Columns::default()
        });
        let here = solve(&counted, staleness(metric), policy, Goal::Budget(budget));
        let there = solve(&spelt, staleness(metric), policy, Goal::Budget(budget));
        let expanded = rows.iter().zip(&here.frequency).flat_map(|(row, &f)| std::iter::repeat_n(f, usize::from(row.1)));
        for (a, b) in expanded.zip(&there.frequency) {
            prop_assert!((a - b).abs() <= 1e-9 * a.max(1e-6 * budget));
        }
        prop_assert!((here.price - there.price).abs() <= 1e-9 * there.price);
    }

    #[test]
    fn from_budget_to_target_and_back(columns in any_columns(), metric in any_metric(), policy in any_policy(), budget in decades(-1.0, 3.0)) {
        let items = poisson(columns);
        prop_assume!(items.total_stake() > 0.0);
        let plan = solve(&items, staleness(metric), policy, Goal::Budget(budget));
        let reached = plan.averages.get(metric);
        prop_assume!(reached.is_finite() && cost(&plan, metric) > 1e-6 && plan.price > 0.0 && reached > 0.0);
        let back = solve(&items, staleness(metric), policy, Goal::Target(reached));
        // Near the flat end of the curve a mean hardly tells budgets apart: compare what it can tell.
        let blur = 1e-12 * cost(&plan, metric).max(reached) * items.total_stake() / plan.price;
        prop_assert!((back.spent - plan.spent).abs() <= 1e-9 * budget + blur, "{} against {}", back.spent, plan.spent);
        prop_assert!((back.averages.get(metric) - reached).abs() <= 1e-10 * reached);
    }

    #[test]
    fn bounds_hold_and_the_optimum_within_them_is_certified(columns in any_columns(), metric in any_metric(), policy in any_policy(), bounds in vec((decades(-2.0, 1.0), decades(0.0, 1.0)), 12), budget in decades(0.0, 3.0)) {
        let len = columns.rate.len();
        let min: Vec<f64> = bounds[..len].iter().map(|bound| bound.0).collect();
        let max: Vec<f64> = bounds[..len].iter().map(|bound| bound.0 * bound.1).collect();
        let items = poisson(Columns { min: Some(min.clone()), max: Some(max.clone()), ..columns });
        let least: f64 = (0..len).map(|i| items.size(i) * min[i]).sum();
        let budget = least + budget;
        let plan = solve(&items, staleness(metric), policy, Goal::Budget(budget));
        for i in 0..len {
            prop_assert!(plan.frequency[i] >= min[i] && plan.frequency[i] <= max[i]);
        }
        prop_assert!(within(&items, &plan, budget));
        if policy == Policy::Optimal {
            prop_assert!(plan.gap <= 1e-11, "{}", plan.gap);
        }
        let most: f64 = (0..len).map(|i| items.size(i) * max[i]).sum();
        if policy == Policy::Uniform {
            prop_assert!((plan.spent - budget.min(most)).abs() <= 1e-10 * budget);
        }
    }

    #[test]
    fn host_caps_hold_and_the_optimum_within_them_is_certified(columns in any_columns(), metric in any_metric(), policy in any_policy(), hosts in vec(0_u32..3, 12), caps in vec(decades(-1.0, 2.0), 2), budget in decades(-1.0, 3.0)) {
        let len = columns.rate.len();
        let host = hosts[..len].to_vec();
        let items = poisson(Columns { host: Some(host.clone()), ..columns });
        let host_caps = vec![caps[0], caps[1], f64::INFINITY];
        let question = Question { staleness: staleness(metric), policy, host_caps: host_caps.clone(), goal: Goal::Budget(budget) };
        let plan = allocate(&items, &question).unwrap();
        let host_price = plan.host_price.clone().unwrap();
        for (h, cap) in host_caps.iter().enumerate() {
            let on: f64 = (0..len).filter(|&i| host[i] as usize == h).map(|i| items.size(i) * plan.frequency[i]).sum();
            prop_assert!(on <= cap * (1.0 + 1e-9));
            if policy == Policy::Optimal && host_price[h] > plan.price * (1.0 + 1e-9) {
                prop_assert!(on >= cap * (1.0 - 1e-9), "a host with its own price is at its cap");
            }
        }
        prop_assert!(within(&items, &plan, budget));
        if policy == Policy::Optimal {
            prop_assert!(plan.gap <= 1e-11, "{}", plan.gap);
            prop_assert!(host_price.iter().all(|&price| price >= plan.price));
        }
    }

    #[test]
    fn caps_that_do_not_bind_change_nothing(columns in any_columns(), policy in any_policy(), budget in decades(-1.0, 3.0)) {
        let len = columns.rate.len();
        let free = poisson(columns.clone());
        let items = poisson(Columns { host: Some(vec![0; len]), ..columns });
        let question = Question { policy, host_caps: vec![2.0 * budget], ..Question::new(Goal::Budget(budget)) };
        let capped = allocate(&items, &question).unwrap();
        let plain = allocate(&free, &Question { policy, ..Question::new(Goal::Budget(budget)) }).unwrap();
        for (a, b) in capped.frequency.iter().zip(&plain.frequency) {
            prop_assert!((a - b).abs() <= 1e-9 * b.max(1e-6 * budget));
        }
    }

    #[test]
    fn purely_random_visits_have_the_square_root_optimum(columns in any_columns(), budget in decades(-2.0, 4.0)) {
        let items = poisson(columns);
        let staleness = Staleness { metric: Metric::Freshness, order: Order::PurelyRandom };
        let plan = solve(&items, staleness, Policy::Optimal, Goal::Budget(budget));
        prop_assume!(plan.price > 0.0);
        for (i, &f) in plan.frequency.iter().enumerate() {
            let rate = items.columns().rate[i];
            let root = (items.weight(i) * rate / (plan.price * items.cost(i))).sqrt() - rate;
            prop_assert!((f - root.max(0.0)).abs() <= 1e-9 * (f + rate), "{f} against {root}");
        }
    }

    #[test]
    fn content_freshness_follows_the_cube_root_law(columns in any_columns(), budget in decades(-2.0, 4.0)) {
        let items = poisson(columns);
        let plan = solve(&items, staleness(Metric::Content), Policy::Optimal, Goal::Budget(budget));
        let root = |i: usize| (items.weight(i) * items.columns().rate[i] / items.cost(i)).cbrt();
        let total: f64 = (0..items.len()).map(|i| items.size(i) * root(i)).sum();
        prop_assume!(total > 0.0);
        for (i, &f) in plan.frequency.iter().enumerate() {
            prop_assert!((f - budget * root(i) / total).abs() <= 1e-9 * f);
        }
    }

    #[test]
    fn a_tradeoff_is_many_allocations(columns in any_columns(), metric in any_metric(), order in any_order(), start in decades(-1.0, 2.0)) {
        let items = poisson(columns);
        prop_assume!(items.total_stake() > 0.0);
        let staleness = Staleness { metric, order };
        let budgets: Vec<f64> = (0..6).map(|k| start * f64::from(k)).collect();
        let sweep = tradeoff(&items, staleness, &budgets).unwrap();
        let same = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-9 * b.abs().max(1e-3);
        for (k, &budget) in budgets.iter().enumerate() {
            for (policy, curve) in [(Policy::Optimal, &sweep.optimal), (Policy::Uniform, &sweep.uniform), (Policy::Proportional, &sweep.proportional)] {
                let plan = solve(&items, staleness, policy, Goal::Budget(budget));
                prop_assert!(same(curve.freshness[k], plan.averages.freshness), "{policy:?} {budget}");
                prop_assert!(same(curve.age[k], plan.averages.age), "{policy:?} {budget}: {} {}", curve.age[k], plan.averages.age);
                if policy == Policy::Optimal {
                    prop_assert!(same(sweep.price[k], plan.price));
                }
            }
        }
    }
}

proptest! {
    // Demands under these models are integrals: fewer cases.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn every_model_has_a_certified_optimum(rows in vec((decades(-4.0, 4.0), 0.4..3.0_f64), 1..5), metric in any_metric(), order in any_order(), each in decades(-2.0, 2.0)) {
        for (model, columns) in other_models(&rows) {
            let items = Items::new(model, columns).unwrap();
            let metric = defined(model, metric);
            let staleness = Staleness { metric, order };
            let budget = each * items.len() as f64;
            let best = solve(&items, staleness, Policy::Optimal, Goal::Budget(budget));
            prop_assert!(best.gap <= 1e-9, "{model:?}: gap {}", best.gap);
            prop_assert!(within(&items, &best, budget) && best.spent >= budget * (1.0 - 1e-12));
            for policy in [Policy::Uniform, Policy::Proportional] {
                let other = solve(&items, staleness, policy, Goal::Budget(budget));
                prop_assert!(at_most(cost(&best, metric), cost(&other, metric)), "{model:?} {policy:?}");
            }
            let reached = best.averages.get(metric);
            if cost(&best, metric) > 1e-6 && reached > 1e-6 {
                let back = solve(&items, staleness, Policy::Optimal, Goal::Target(reached));
                let blur = 1e-11 * reached * items.total_stake() / best.price;
                prop_assert!((back.spent - budget).abs() <= 1e-9 * budget + blur, "{model:?}: {} of {budget}", back.spent);
            }
        }
    }

    #[test]
    fn every_model_has_a_certified_optimum_within_bounds_and_caps(rows in vec((decades(-4.0, 4.0), 0.4..3.0_f64), 2..5), bounds in vec((decades(-2.0, 1.0), decades(0.0, 1.0)), 5), metric in any_metric(), order in any_order(), spare in decades(-1.0, 2.0), cap in 1.01..3.0_f64) {
        for (model, columns) in other_models(&rows) {
            let min: Vec<f64> = bounds[..rows.len()].iter().map(|bound| bound.0).collect();
            let max = bounds[..rows.len()].iter().map(|bound| bound.0 * bound.1).collect();
            let host = (0..rows.len()).map(|i| u32::from(i % 2 == 1)).collect();
            let budget = min.iter().sum::<f64>() + spare;
            let host_caps = vec![cap * min.iter().step_by(2).sum::<f64>(), f64::INFINITY];
            let items = Items::new(model, Columns { min: Some(min), max: Some(max), host: Some(host), ..columns }).unwrap();
            let staleness = Staleness { metric: defined(model, metric), order };
            let question = Question { staleness, policy: Policy::Optimal, goal: Goal::Budget(budget), host_caps };
            let best = allocate(&items, &question).unwrap();
            prop_assert!(best.gap <= 1e-9, "{model:?}: gap {}", best.gap);
            prop_assert!(within(&items, &best, budget));
            prop_assert!((0..rows.len()).all(|i| (items.min(i)..=items.max(i)).contains(&best.frequency[i])));
        }
    }

    #[test]
    fn a_weibull_of_shape_one_is_poisson(rates in vec(decades(-2.0, 2.0), 1..8), age in any::<bool>(), each in decades(-2.0, 2.0)) {
        let metric = if age { Metric::Age } else { Metric::Freshness };
        let budget = Goal::Budget(each * rates.len() as f64);
        let shape = Some(vec![1.0; rates.len()]);
        let weibull = Items::new(Model::Weibull, Columns { rate: rates.clone(), shape, ..Columns::default() }).unwrap();
        let poisson = poisson(Columns { rate: rates, ..Columns::default() });
        let here = solve(&weibull, staleness(metric), Policy::Optimal, budget);
        let there = solve(&poisson, staleness(metric), Policy::Optimal, budget);
        for (a, b) in here.frequency.iter().zip(&there.frequency) {
            prop_assert!((a - b).abs() <= 1e-9 * b.max(1e-6 * each), "{a} {b}");
        }
    }
}

proptest! {
    // Each case makes its own tables.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6) })]

    #[test]
    fn many_items_of_one_shape_are_priced_like_single_ones(
        shape in decades(-1.3, 2.0), metric in any_metric(), order in any_order(), budget in decades(0.0, 4.0), seed in 0.0..1.0
    ) {
        // Rates over four decades; 300 rows are enough for shared curves.
        let rates = (0..300).map(|k| 10.0_f64.powf(4.0 * ((f64::from(k) * 0.618_034 + seed) % 1.0) - 2.0));
        let rows: Vec<(f64, f64)> = rates.map(|rate| (rate, shape)).collect();
        for (model, mut columns) in other_models(&rows) {
            if model == Model::Weibull {
                columns.rate.iter_mut().for_each(|rate| *rate = Change::weibull_rate(*rate, shape));
            }
            let items = Items::new(model, columns).expect("sound items");
            let staleness = Staleness { metric: defined(model, metric), order };
            let plan = solve(&items, staleness, Policy::Optimal, Goal::Budget(budget));
            prop_assert!(plan.gap < 1e-9, "{model:?} {shape}: {}", plan.gap);
            let alone: f64 = (0..300).map(|i| staleness.average(&items.change(i), plan.frequency[i])).sum::<f64>() / 300.0;
            let together = if staleness.metric == Metric::Freshness { 1.0 - plan.averages.freshness } else { plan.averages.get(staleness.metric) };
            prop_assert!(together == alone || (together - alone).abs() <= 1e-12 * alone.max(1e-3), "{model:?} {shape}: {together} {alone}");
        }
    }
}
