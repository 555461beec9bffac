//! The million-item solve, natively: prints milliseconds as one line of JSON for `bench.mjs`.

use std::time::Instant;

use afresh::allocate::{Columns, Goal, Items, Policy, Question, allocate};
use afresh::change::Model;
use afresh::staleness::{Metric, Order, Staleness};

const ITEMS: usize = 1_000_000;

/// The rates of `items.mjs`.
fn rates() -> Vec<f64> {
    let mut state = 1_u32;
    (0..ITEMS)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            libm::pow(10.0, -4.0 + 6.0 * f64::from(state) / 4_294_967_296.0)
        })
        .collect()
}

fn main() {
    let solve = |metric| {
        let columns = Columns { rate: rates(), ..Columns::default() };
        let staleness = Staleness { metric, order: Order::Fixed };
        let question =
            Question { staleness, policy: Policy::Optimal, goal: Goal::Budget(ITEMS as f64), host_caps: Vec::new() };
        let solved = || {
            let columns = columns.clone();
            let from = Instant::now();
            let answer = Items::new(Model::Poisson, columns).and_then(|items| allocate(&items, &question));
            let taken = from.elapsed().as_secs_f64() * 1e3;
            assert!(answer.expect("the benchmark's items are valid").gap < 1e-9);
            taken
        };
        // As in `items.mjs`: the least of three middles.
        let middle = |_| {
            let mut taken: Vec<f64> = (0..7).map(|_| solved()).collect();
            taken.sort_by(f64::total_cmp);
            taken[taken.len() / 2]
        };
        (0..3).map(middle).fold(f64::INFINITY, f64::min)
    };
    println!(r#"{{"freshness":{:.2},"age":{:.2}}}"#, solve(Metric::Freshness), solve(Metric::Age));
}
