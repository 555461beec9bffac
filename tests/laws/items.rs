//! What is refused, and how it is said: every problem names its kind, its place and a way out.

use afresh::allocate::{Columns, Goal, Items, Policy, Question, allocate, frequency_curve, split_curve, tradeoff};
use afresh::change::Model;
use afresh::problem::{Kind, Problem};
use afresh::staleness::{Metric, Order, Staleness};

fn sound() -> Columns {
    Columns { rate: vec![1.0, 2.0, 3.0], ..Columns::default() }
}

#[track_caller]
fn refused(model: Model, columns: Columns, kind: Kind, row: Option<usize>, column: &str) {
    let problem = Items::new(model, columns).expect_err("these items are not sound");
    check(&problem, kind, row, column);
}

#[track_caller]
fn check(problem: &Problem, kind: Kind, row: Option<usize>, column: &str) {
    assert_eq!((problem.kind, problem.row, problem.column.as_deref()), (kind, row, Some(column)), "{problem:?}");
    assert!(!problem.message.is_empty() && !problem.hint.is_empty());
    if let Some(row) = row {
        assert!(problem.message.contains(&row.to_string()), "{}", problem.message);
    }
}

#[test]
fn no_items() {
    refused(Model::Poisson, Columns::default(), Kind::Length, None, "rate");
    let empty = Columns { alpha: Some(vec![]), beta: Some(vec![]), ..Columns::default() };
    refused(Model::GammaPoisson, empty, Kind::Length, None, "alpha");
}

#[test]
fn columns_of_unequal_length() {
    let short = || Some(vec![1.0, 2.0]);
    refused(Model::Poisson, Columns { weight: short(), ..sound() }, Kind::Length, None, "weight");
    refused(Model::Poisson, Columns { cost: short(), ..sound() }, Kind::Length, None, "cost");
    refused(Model::Poisson, Columns { count: short(), ..sound() }, Kind::Length, None, "count");
    refused(Model::Poisson, Columns { min: short(), ..sound() }, Kind::Length, None, "min");
    refused(Model::Poisson, Columns { max: short(), ..sound() }, Kind::Length, None, "max");
    refused(Model::Poisson, Columns { host: Some(vec![0]), ..sound() }, Kind::Length, None, "host");
    refused(Model::Weibull, Columns { shape: short(), ..sound() }, Kind::Length, None, "shape");
    let gamma = Columns { alpha: Some(vec![1.0; 3]), beta: short(), ..Columns::default() };
    refused(Model::GammaPoisson, gamma, Kind::Length, None, "beta");
}

#[test]
fn numbers_that_make_no_sense() {
    for bad in [f64::NAN, -1.0, f64::INFINITY, f64::NEG_INFINITY] {
        let column = |k: usize| {
            let mut values = vec![1.0; 3];
            values[k] = bad;
            values
        };
        refused(Model::Poisson, Columns { rate: column(1), ..sound() }, Kind::Value, Some(1), "rate");
        refused(Model::Poisson, Columns { weight: Some(column(2)), ..sound() }, Kind::Value, Some(2), "weight");
        refused(Model::Poisson, Columns { cost: Some(column(0)), ..sound() }, Kind::Value, Some(0), "cost");
        refused(Model::Poisson, Columns { count: Some(column(1)), ..sound() }, Kind::Value, Some(1), "count");
        refused(Model::Poisson, Columns { min: Some(column(1)), ..sound() }, Kind::Value, Some(1), "min");
        refused(Model::Weibull, Columns { shape: Some(column(2)), ..sound() }, Kind::Value, Some(2), "shape");
        if bad != f64::INFINITY {
            refused(Model::Poisson, Columns { max: Some(column(1)), ..sound() }, Kind::Value, Some(1), "max");
        }
        let gamma = |alpha, beta| Columns { alpha: Some(alpha), beta: Some(beta), ..Columns::default() };
        refused(Model::GammaPoisson, gamma(column(1), vec![1.0; 3]), Kind::Value, Some(1), "alpha");
        refused(Model::GammaPoisson, gamma(vec![1.0; 3], column(1)), Kind::Value, Some(1), "beta");
    }
    let zero = || Some(vec![1.0, 0.0, 1.0]);
    refused(Model::Poisson, Columns { cost: zero(), ..sound() }, Kind::Value, Some(1), "cost");
    refused(Model::Poisson, Columns { count: zero(), ..sound() }, Kind::Value, Some(1), "count");
    let crossed = Columns { min: Some(vec![0.0, 2.0, 0.0]), max: Some(vec![1.0; 3]), ..sound() };
    refused(Model::Poisson, crossed, Kind::Value, Some(1), "min");
    refused(Model::Poisson, Columns { weight: Some(vec![1e308; 3]), ..sound() }, Kind::Value, None, "weight");
}

#[test]
fn columns_that_a_model_needs_or_does_not_know() {
    refused(Model::Weibull, sound(), Kind::Field, None, "shape");
    refused(Model::GammaPoisson, sound(), Kind::Field, None, "alpha");
    refused(Model::GammaPoisson, Columns { alpha: Some(vec![1.0; 3]), ..sound() }, Kind::Field, None, "beta");
    refused(Model::Poisson, Columns { shape: Some(vec![1.0; 3]), ..sound() }, Kind::Field, None, "shape");
    refused(Model::Poisson, Columns { alpha: Some(vec![1.0; 3]), ..sound() }, Kind::Field, None, "alpha");
    refused(
        Model::Weibull,
        Columns { shape: Some(vec![1.0; 3]), beta: Some(vec![1.0; 3]), ..sound() },
        Kind::Field,
        None,
        "beta",
    );
}

#[test]
fn a_gamma_poisson_item_needs_no_rate_and_may_have_one() {
    let gamma = |rate| Columns { rate, alpha: Some(vec![2.0; 3]), beta: Some(vec![4.0; 3]), ..Columns::default() };
    for rate in [vec![], vec![9.0; 3]] {
        let items = Items::new(Model::GammaPoisson, gamma(rate)).unwrap();
        assert_eq!(items.len(), 3);
        assert!((items.mean_rate(0) - 0.5).abs() < 1e-15);
    }
    refused(Model::GammaPoisson, gamma(vec![1.0]), Kind::Length, None, "rate");
}

#[test]
fn questions_that_make_no_sense() {
    let items = Items::new(Model::Poisson, sound()).unwrap();
    let ask = |metric, goal| {
        let staleness = Staleness { metric, order: Order::Fixed };
        allocate(&items, &Question { staleness, ..Question::new(goal) }).expect_err("not a sensible question")
    };
    for budget in [f64::NAN, -1.0, f64::INFINITY] {
        check(&ask(Metric::Freshness, Goal::Budget(budget)), Kind::Value, None, "budget");
        let problem = tradeoff(&items, Staleness::default(), &[1.0, budget]).unwrap_err();
        assert_eq!((problem.kind, problem.row, problem.column.as_deref()), (Kind::Value, Some(1), Some("budgets")));
    }
    for target in [f64::NAN, -0.5, 0.0, 1.5, f64::INFINITY] {
        check(&ask(Metric::Freshness, Goal::Target(target)), Kind::Value, None, "target");
    }
    for target in [f64::NAN, -0.5, 0.0, f64::INFINITY] {
        check(&ask(Metric::Age, Goal::Target(target)), Kind::Value, None, "target");
    }
    check(&tradeoff(&items, Staleness::default(), &[]).unwrap_err(), Kind::Length, None, "budgets");
    assert_eq!(split_curve(&items, Staleness::default(), 1.0, 10).unwrap_err().kind, Kind::Length);
}

#[test]
fn metrics_that_a_model_does_not_define() {
    let items = Items::new(Model::Weibull, Columns { shape: Some(vec![1.0; 3]), ..sound() }).unwrap();
    for metric in [Metric::Content, Metric::Harmonic] {
        let staleness = Staleness { metric, order: Order::Fixed };
        let problem = allocate(&items, &Question { staleness, ..Question::new(Goal::Budget(1.0)) }).unwrap_err();
        check(&problem, Kind::Undefined, None, "metric");
        check(&tradeoff(&items, staleness, &[1.0]).unwrap_err(), Kind::Undefined, None, "metric");
        let problem = frequency_curve(staleness, Model::Weibull, Some(1.0), 1.0, 1.0, 10).unwrap_err();
        check(&problem, Kind::Undefined, None, "metric");
    }
    let plan = allocate(&items, &Question::new(Goal::Budget(1.0))).unwrap();
    assert!(plan.averages.content.is_nan() && plan.averages.harmonic.is_nan() && plan.averages.age > 0.0);
}

#[test]
fn curves_that_cannot_be_drawn() {
    let draw = |model, shape, price, max_rate, points| {
        frequency_curve(Staleness::default(), model, shape, price, max_rate, points).expect_err("not a curve")
    };
    check(&draw(Model::Poisson, Some(1.0), 1.0, 1.0, 10), Kind::Field, None, "shape");
    check(&draw(Model::Weibull, None, 1.0, 1.0, 10), Kind::Field, None, "shape");
    check(&draw(Model::Weibull, Some(-1.0), 1.0, 1.0, 10), Kind::Value, None, "shape");
    check(&draw(Model::Poisson, None, 0.0, 1.0, 10), Kind::Value, None, "price");
    check(&draw(Model::Poisson, None, 1.0, f64::NAN, 10), Kind::Value, None, "maxRate");
    check(&draw(Model::Poisson, None, 1.0, 1.0, 1), Kind::Size, None, "points");
    check(&draw(Model::Poisson, None, 1.0, 1.0, 100_001), Kind::Size, None, "points");
    check(&draw(Model::Poisson, None, 1.0, 1.0, usize::MAX), Kind::Size, None, "points");
    check(&draw(Model::GammaPoisson, Some(1.0), 1.0, 1.0, 10_001), Kind::Size, None, "points");
}

#[test]
fn hosts_and_caps_that_do_not_fit() {
    let ask = |host: Option<Vec<u32>>, min: Option<Vec<f64>>, host_caps: Vec<f64>| {
        let items = Items::new(Model::Poisson, Columns { host, min, ..sound() }).unwrap();
        allocate(&items, &Question { host_caps, policy: Policy::Uniform, ..Question::new(Goal::Budget(5.0)) })
    };
    check(&ask(None, None, vec![1.0]).unwrap_err(), Kind::Field, None, "host");
    check(&ask(Some(vec![0, 1, 2]), None, vec![1.0, 1.0]).unwrap_err(), Kind::Value, Some(2), "host");
    check(&ask(Some(vec![0, 1, 1]), None, vec![1.0, f64::NAN]).unwrap_err(), Kind::Value, Some(1), "hostCaps");
    let problem = ask(Some(vec![0, 1, 1]), Some(vec![0.0, 1.0, 1.0]), vec![1.0, 1.5]).unwrap_err();
    check(&problem, Kind::Infeasible, Some(1), "hostCaps");
    assert!(problem.message.contains('2'), "says the least that would do: {}", problem.message);
    assert!(ask(Some(vec![0, 1, 1]), None, vec![f64::INFINITY, 1.0]).is_ok());
}
