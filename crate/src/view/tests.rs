use super::allocate::{AllocateView, Reason};
use super::rows::{RowsQuery, SortKey};
use super::write::PlanFormat;
use super::{Dataset, Knobs};
use crate::allocate::{Columns, Policy};
use crate::change::Model;
use crate::ingest::{self, EXAMPLES};
use crate::problem::Kind;
use crate::staleness::{Metric, Order};
use crate::view::dataset::About;

fn budget(budget: f64) -> Knobs {
    Knobs { budget: Some(budget), ..Knobs::default() }
}

fn query(sort: SortKey, descending: bool, search: &str) -> RowsQuery {
    RowsQuery { sort, descending, search: search.into(), from: 0, count: 10 }
}

fn set(columns: Columns) -> Dataset {
    let ids = (0..columns.rate.len()).map(|i| format!("item, \"{i}\"")).collect();
    Dataset::new(About::default(), ids, columns, Vec::new(), None).expect("the columns are valid")
}

fn example(name: &str) -> Dataset {
    let bytes = ingest::example_bytes(ingest::example(name).expect(name));
    Dataset::example(name, bytes.as_deref()).expect(name)
}

#[test]
fn every_example_is_solved_as_it_opens() {
    for example in EXAMPLES.iter().filter(|example| example.split.is_none() && example.search.is_none()) {
        let mut set = self::example(example.name);
        let summary = set.summary();
        let view = set.plan(&budget(summary.default_budget)).expect(example.name);
        let answer = &view.answer;
        assert!(answer.gap <= 1e-9, "{}: gap {}", example.name, answer.gap);
        assert!(answer.optimal.freshness >= answer.uniform.freshness, "{}", example.name);
        assert!(answer.optimal.freshness >= answer.proportional.freshness, "{}", example.name);
        let tradeoff = set.tradeoff().expect(example.name);
        assert!(tradeoff.budget.0.len() > 10 && !view.curve.rate.0.is_empty(), "{}", example.name);
        assert_eq!(view.split.is_some(), summary.rows == 2, "{}", example.name);
    }
    assert_eq!(Dataset::example("terms-history", None).err().map(|problem| problem.kind), Some(Kind::Value));
    assert_eq!(Dataset::example("nowhere", None).err().map(|problem| problem.kind), Some(Kind::Value));
    assert_eq!(Dataset::example("terms", None).err().map(|problem| problem.kind), Some(Kind::Field));
    assert_eq!(Dataset::example("terms", Some(b"PK\x03\x04")).err().map(|problem| problem.kind), Some(Kind::Format));
}

#[test]
fn the_web_of_1999_is_solved_from_its_intervals() {
    let mut web = example("web-1999");
    let view = web.plan(&budget(100e6 / 30.0)).expect("solvable");
    assert!((web.summary().total_count - 100e6).abs() < 1.0);
    assert!((view.answer.optimal.freshness - 0.6162).abs() < 5e-5);
    assert!((view.answer.uniform.freshness - 0.5729).abs() < 5e-5);
    assert!((view.answer.proportional.freshness - 0.1287).abs() < 5e-5);
    assert!(view.answer.uniform_beats_proportional);
}

/// Reads `line` at `x` by linear interpolation.
fn at(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let k = xs.partition_point(|&v| v < x).clamp(1, xs.len() - 1);
    ys[k - 1] + (ys[k] - ys[k - 1]) * (x - xs[k - 1]) / (xs[k] - xs[k - 1])
}

fn dots_lie_on_the_line(view: &AllocateView, what: &str) {
    let curve = &view.curve;
    let (xs, ys) = (&curve.scaled_line_rate.0, &curve.scaled_line_frequency.0);
    let top = ys.iter().copied().fold(0.0, f64::max);
    for (&x, &y) in curve.scaled_rate.0.iter().zip(&curve.scaled_frequency.0) {
        if x > xs[0] && x < xs[xs.len() - 1] {
            assert!((at(xs, ys, x) - y).abs() < 5e-3 * top, "{what}: ({x}, {y}) is off the line at {}", at(xs, ys, x));
        }
    }
}

#[test]
fn with_importance_divided_out_all_items_lie_on_one_line() {
    let rate = [0.2, 0.5, 1.0, 1.5, 2.5, 4.0, 6.0, 9.0].to_vec();
    let weight = Some([3.0, 1.0, 2.0, 5.0, 1.0, 8.0, 2.0, 30.0].to_vec());
    let cost = Some([1.0, 2.0, 1.0, 1.0, 3.0, 1.0, 1.0, 2.0].to_vec());
    let mut set = set(Columns { rate, weight, cost, ..Columns::default() });
    for metric in [Metric::Freshness, Metric::Age, Metric::Content, Metric::Harmonic] {
        for order in [Order::Fixed, Order::Random, Order::PurelyRandom] {
            let view = set.plan(&Knobs { metric, order, ..budget(6.0) }).expect("solvable");
            dots_lie_on_the_line(&view, &format!("{metric:?} {order:?}"));
        }
    }
    for (model, shape, evidence) in [(Model::Weibull, Some(0.8), None), (Model::GammaPoisson, None, Some(4.0))] {
        let view = set.plan(&Knobs { model, shape, evidence, ..budget(6.0) }).expect("solvable");
        dots_lie_on_the_line(&view, &format!("{model:?}"));
    }
}

#[test]
fn the_answer_says_why_rows_get_nothing() {
    let rate = vec![1.0, 2.0, 0.0, 3.0, 1e6];
    let weight = Some(vec![1.0, 1.0, 1.0, 0.0, 1.0]);
    let mut set = set(Columns { rate, weight, ..Columns::default() });
    let answer = set.plan(&budget(2.0)).expect("solvable").answer;
    assert_eq!((answer.idle_never_change, answer.idle_no_weight, answer.idle_too_fast), (1, 1, 1));
    assert_eq!(answer.idle, 3);
    let reasons: Vec<Reason> = (0..5).map(|row| set.why(row).expect("there").reason).collect();
    let expected = [Reason::Optimal, Reason::Optimal, Reason::NeverChanges, Reason::NoWeight, Reason::TooFast];
    assert_eq!(reasons, expected);
    let none = set.plan(&budget(0.0)).expect("a budget of nothing is a budget").answer;
    assert_eq!((none.idle, none.idle_no_budget), (5, 3));
}

#[test]
fn a_visited_row_is_worth_the_price_and_an_idle_one_less() {
    let mut set = example("example4");
    set.plan(&budget(5.0)).expect("solvable");
    for row in 0..4 {
        let why = set.why(row).expect("there");
        assert!((why.worth / why.price - 1.0).abs() < 1e-9, "row {row}");
        assert!(why.first_visit_worth > why.price);
        assert!(why.cutoff_rate.is_some_and(|cutoff| cutoff > why.rate));
    }
    let idle = set.why(4).expect("there");
    assert!(idle.first_visit_worth < idle.price && idle.cutoff_rate.is_some_and(|cutoff| cutoff < idle.rate));
    assert!(set.why(5).is_err());
}

#[test]
fn one_more_visit_a_day_buys_what_the_price_says() {
    let mut set = example("terms");
    let step = 1e-3;
    let here = set.plan(&budget(100.0)).expect("solvable").answer;
    let there = set.plan(&budget(100.0 + step)).expect("solvable").answer;
    let bought = (there.optimal.freshness - here.optimal.freshness) / step;
    assert!((bought / here.next_visit_gain - 1.0).abs() < 1e-4, "{bought} is not {}", here.next_visit_gain);
}

#[test]
fn limits_in_days_hold_and_are_counted() {
    let mut set = example("packages");
    let knobs = Knobs { min_every: Some(2.0), max_every: Some(60.0), ..budget(200.0) };
    let answer = set.plan(&knobs).expect("solvable").answer;
    assert!(answer.at_min > 0 && answer.at_max > 0 && answer.idle == 0);
    let page = set.rows(&query(SortKey::Frequency, true, "")).expect("solved");
    assert!(page.frequency.0.iter().all(|&f| f <= 0.5 + 1e-12));
    let impossible = set.plan(&Knobs { max_every: Some(0.001), ..budget(1.0) });
    assert_eq!(impossible.err().map(|problem| problem.kind), Some(Kind::Infeasible));
    assert_eq!(set.rows(&query(SortKey::Row, false, "")).expect("the old plan is kept").total, 1697);
}

#[test]
fn rows_are_sorted_searched_and_paged() {
    let mut set = example("packages");
    set.plan(&budget(50.0)).expect("solvable");
    let heavy = set.rows(&query(SortKey::Weight, true, "")).expect("solved");
    assert_eq!(heavy.total, 1697);
    assert!(heavy.weight.0.is_sorted_by(|a, b| a >= b) && heavy.weight.0.len() == 10);
    let next = set.rows(&RowsQuery { from: 10, ..query(SortKey::Weight, true, "") }).expect("solved");
    assert!(next.weight.0[0] <= heavy.weight.0[9] && next.row != heavy.row);
    let found = set.rows(&query(SortKey::Id, false, " NumPy ")).expect("solved");
    assert!(found.total >= 1 && found.id.iter().all(|id| id.to_lowercase().contains("numpy")));
    assert!(found.id.is_sorted());
    let beyond = set.rows(&RowsQuery { from: 5000, ..query(SortKey::Row, false, "") }).expect("solved");
    assert_eq!((beyond.total, beyond.id.len()), (1697, 0));
}

#[test]
fn shares_add_up_and_files_hold_every_row() {
    let mut set = set(Columns { rate: vec![1.0, 2.0, 0.0], ..Columns::default() });
    set.plan(&Knobs { policy: Policy::Uniform, ..budget(3.0) }).expect("solvable");
    let rows = set.rows(&query(SortKey::Row, false, "")).expect("solved");
    assert!((rows.share.0.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let csv = set.text(PlanFormat::Csv).expect("solved");
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.lines().nth(1).is_some_and(|line| line.starts_with("\"item, \"\"0\"\"\",1,1,1,1,1,1,")), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&set.text(PlanFormat::Json).expect("solved")).expect("JSON");
    assert_eq!(json[2]["id"], "item, \"2\"");
    assert_eq!(json[1]["changes_per_day"], 2.0);
    set.plan(&budget(0.0)).expect("solvable");
    let json: serde_json::Value = serde_json::from_str(&set.text(PlanFormat::Json).expect("solved")).expect("JSON");
    assert!(json[0]["visit_every_days"].is_null(), "never is not a number");
}

#[test]
fn an_item_is_shown_over_a_few_gaps_or_the_days_asked_for() {
    let mut set = example("example4");
    set.plan(&budget(5.0)).expect("solvable");
    let few = set.item(0, 0.0).expect("there");
    assert!((5..=7).contains(&few.visits.0.len()), "{}", few.visits.0.len());
    let month = set.item(0, 30.0).expect("there");
    assert!((month.time.0.last().copied().unwrap_or(0.0) - 30.0).abs() < 1e-9);
    let idle = set.item(4, 0.0).expect("there");
    assert!(idle.visits.0.is_empty() && idle.freshness.0.is_sorted_by(|a, b| a >= b));
}

#[test]
fn the_plan_stands_in_the_middle_of_the_trade_off() {
    let mut set = example("terms");
    let view = set.plan(&budget(124.0)).expect("solvable");
    let tradeoff = set.tradeoff().expect("solved");
    let middle = tradeoff.budget.0.len() / 2;
    assert!((tradeoff.budget.0[middle] - 124.0).abs() < 1e-9);
    assert!((tradeoff.optimal.freshness.0[middle] - view.answer.optimal.freshness).abs() < 1e-9);
    assert!((tradeoff.uniform.age.0[middle] / view.answer.uniform.age - 1.0).abs() < 1e-9);
    assert!((tradeoff.gain.0[middle] / view.answer.next_visit_gain - 1.0).abs() < 1e-6);
}

#[test]
fn gamma_databases_are_bounded() {
    assert!(Dataset::gamma(1.0, 0.5, 100).is_ok());
    for (mean, delta, items) in [(0.0, 1.0, 10), (f64::NAN, 1.0, 10), (1.0, -1.0, 10), (1.0, 1e9, 10), (1.0, 1.0, 0)] {
        assert!(Dataset::gamma(mean, delta, items).is_err(), "{mean} {delta} {items}");
    }
}

#[test]
fn a_plan_needs_a_budget_or_a_target_but_not_both() {
    let mut set = example("example4");
    assert!(set.plan(&Knobs::default()).is_err());
    assert!(set.plan(&Knobs { target: Some(0.3), ..budget(5.0) }).is_err());
    let view = set.plan(&Knobs { target: Some(0.373_888_699_274_390_4), ..Knobs::default() }).expect("solvable");
    assert!((view.answer.budget - 5.0).abs() < 1e-9);
}
