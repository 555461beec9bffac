//! The table of the README: every policy on the real histories. `cargo run --release --example replay_table`

use std::sync::Arc;

use afresh::change::estimate::FirstEvent;
use afresh::ingest::{Log, LogMapper, LogMapping, Reader};
use afresh::replay::history::{Policy, Request, replay};

fn main() {
    let packages: &[u8] = include_bytes!("../../crate/src/ingest/examples/packages-history.csv.gz");
    let terms: &[u8] = include_bytes!("../../crate/src/ingest/examples/terms-history.csv.gz");
    // Days since 1970: 2022-10-27, 2025-10-27, 2026-10-27; 2022-08-22, 2025-08-22, 2026-08-22.
    table("packages", &log(packages), [19_292.0, 20_388.0, 20_753.0], 1.0 / 30.0);
    table("packages", &log(packages), [19_292.0, 20_388.0, 20_753.0], 1.0 / 7.0);
    table("terms", &log(terms), [19_226.0, 20_322.0, 20_687.0], 1.0 / 30.0);
    table("terms", &log(terms), [19_226.0, 20_322.0, 20_687.0], 1.0 / 7.0);
}

fn log(bytes: &[u8]) -> Log {
    let mut reader = Reader::new("history.csv.gz");
    reader.push(bytes).expect("bytes");
    let table = Arc::new(reader.finish().expect("a table"));
    let mapping = LogMapping::guess(&table);
    LogMapper::new(table, mapping).expect("a log").finish()
}

fn table(name: &str, log: &Log, [from, split, to]: [f64; 3], visits: f64) {
    let started = std::time::Instant::now();
    let items = log.names.len();
    let found = replay(&Request {
        item: &log.item,
        time: &log.time,
        items,
        train_from: Some(from),
        train_to: split,
        test_to: Some(to),
        policies: &Policy::ALL,
        budget: visits * items as f64,
        weight: None,
        merge_within: 0.0,
        first: FirstEvent::Start,
        replan_every: Some(30.0),
        points: 400,
    })
    .expect("a replay");
    println!(
        "\n{name}, {} items, {:.1} visits a day, {} changes in the test",
        found.item.len(),
        visits * items as f64,
        found.test_changes
    );
    println!("{}", found.verdict.sentence);
    println!("{:?}", found.notes);
    println!(
        "| policy | visits | freshness | promised | age, days | promised | factor |\n|---|---|---|---|---|---|---|"
    );
    for outcome in &found.outcomes {
        println!(
            "| {} | {} | {:.1} % | {:.1} % | {:.2} | {:.2} | {:.4} |",
            outcome.policy.name(),
            outcome.visits,
            100.0 * outcome.freshness,
            100.0 * outcome.predicted_freshness,
            outcome.age,
            outcome.predicted_age,
            outcome.factor
        );
    }
    println!("in {:.0} ms", started.elapsed().as_secs_f64() * 1e3);
}
