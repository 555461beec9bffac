//! Any bytes become a problem with a place or a log whose columns agree; and any log becomes rates whose intervals hold them, words
//! for each of its items, and a replay of shares and ages, or a problem that says what to do.
#![no_main]

use std::sync::Arc;

use afresh::change::estimate::diagnosis::of_set;
use afresh::change::estimate::item::{of_item, reasoning};
use afresh::change::estimate::{Events, FirstEvent, History, Rates, VisitLog, from_events, from_visits};
use afresh::ingest::{Log, LogMapper, LogMapping, LogRole, Reader, Table};
use afresh::problem::{Problem, Result};
use afresh::replay::history::{Policy, Request, replay};
use libfuzzer_sys::fuzz_target;

const ROLES: [LogRole; 6] =
    [LogRole::Ignore, LogRole::Item, LogRole::Time, LogRole::Changed, LogRole::LastModified, LogRole::Weight];
/// Numbers that people and programs give by mistake.
const NUMBERS: [f64; 16] = [
    0.0,
    1.0,
    -1.0,
    0.5,
    7.0,
    1e-9,
    1e9,
    20_753.0,
    -719_528.0,
    2_932_896.0,
    1e12,
    1e13,
    1e308,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

// The first byte perturbs the mapping, the others choose numbers and options.
fuzz_target!(|bytes: &[u8]| {
    let [role, window, split, options, content @ ..] = bytes else { return };
    let Ok(table) = read(content).map_err(explained) else { return };
    let mut mapping = LogMapping::guess(&table);
    if role & 128 != 0 {
        let column = usize::from(role >> 3) % table.columns();
        mapping.roles[column] = ROLES[usize::from(role & 7) % ROLES.len()];
    }
    let Ok(mapper) = LogMapper::new(Arc::clone(&table), mapping).map_err(explained) else { return };
    let log = mapper.finish();
    consistent(&log, table.rows());
    let number = |code: u8| if code & 16 == 0 { None } else { Some(NUMBERS[usize::from(code & 15)]) };
    let (from, to) = (number(*window), number(window.rotate_left(3)));
    let merge_within = if options & 1 == 0 { 0.0 } else { NUMBERS[usize::from(window & 15)] };
    let first = if options & 2 == 0 { FirstEvent::Change } else { FirstEvent::Start };
    let items = log.names.len();
    if let Some(changed) = &log.changed {
        let last_modified = log.last_modified.as_deref();
        let visits = VisitLog { item: &log.item, time: &log.time, changed, last_modified, items };
        if let Ok(rates) = from_visits(&visits).map_err(explained) {
            sound(&rates, items);
        }
    }
    let events = Events { item: &log.item, time: &log.time, items, from, to, merge_within, first };
    if let Ok(history) = History::new(&events).map_err(explained) {
        let rates = from_events(&history);
        sound(&rates, items);
        let calendar = options & 4 != 0;
        assert!(!of_set(&history, &rates, calendar).findings.is_empty());
        for item in [0, items / 2, items - 1] {
            assert!(!of_item(&history, &rates, item, calendar).findings.is_empty());
        }
    }
    let budget = NUMBERS[usize::from(split >> 4)].min(2.0 * items as f64);
    replayed(&Request {
        item: &log.item,
        time: &log.time,
        items,
        train_from: from,
        train_to: if split & 8 == 0 { log.split() } else { NUMBERS[usize::from(split & 15)] },
        test_to: to,
        policies: &Policy::ALL,
        // A replay of a few hundred visits, or one that is refused.
        budget: budget.min(300.0 / (to.unwrap_or(log.window().1) - log.split()).abs()),
        weight: log.weight.as_deref(),
        merge_within,
        first,
        replan_every: number(*options),
        points: 5,
    });
});

fn read(content: &[u8]) -> Result<Arc<Table>> {
    let mut reader = Reader::new("log.csv");
    reader.push(content)?;
    reader.finish().map(Arc::new)
}

/// Every column has one value for each row that was read, and each row was read or is listed.
fn consistent(log: &Log, rows: usize) {
    let entries = log.time.len();
    assert_eq!((log.item.len(), entries + log.bad.rows.len()), (entries, rows));
    assert!(log.item.iter().all(|&item| (item as usize) < log.names.len()));
    assert!(log.time.iter().all(|time| time.is_finite()));
    assert!(log.changed.as_ref().is_none_or(|column| column.len() == entries));
    assert!(log.last_modified.as_ref().is_none_or(|column| column.len() == entries));
    assert!(log.weight.as_ref().is_none_or(|column| column.len() == log.names.len()));
    assert_eq!(log.split().is_nan(), entries == 0);
}

/// Rates lie within their intervals, posteriors are Gammas, and each item has its reasons.
fn sound(rates: &Rates, items: usize) {
    assert_eq!(rates.len(), items);
    for item in 0..items {
        let [low, rate, high] = [&rates.low, &rates.rate, &rates.high].map(|column| column[item]);
        assert!(low >= 0.0 && low <= high && (rate.is_nan() || low <= rate && rate <= high), "{low} {rate} {high}");
        let [alpha, beta] = [&rates.alpha, &rates.beta].map(|column| column[item]);
        assert!(alpha > 0.0 && alpha.is_finite() && beta > 0.0 && beta.is_finite(), "{alpha} {beta}");
        assert!(reasoning(rates, item).iter().all(|text| !text.contains("NaN") && !text.contains("inf")));
    }
}

fn replayed(request: &Request) {
    let Ok(found) = replay(request).map_err(explained) else { return };
    assert_eq!(found.outcomes.len(), request.policies.len());
    assert!(found.verdict.best.is_some() && !found.verdict.sentence.contains("NaN"), "{}", found.verdict.sentence);
    for outcome in &found.outcomes {
        let name = outcome.policy.name();
        assert!((-1e-9..=1.0 + 1e-9).contains(&outcome.freshness), "{name}: {}", outcome.freshness);
        assert!(outcome.age >= -1e-9 && outcome.age.is_finite(), "{name}: {}", outcome.age);
    }
}

/// Whatever is refused says why and what to do.
fn explained(problem: Problem) {
    assert!(!problem.message.is_empty() && !problem.hint.is_empty(), "{problem:?}");
}
