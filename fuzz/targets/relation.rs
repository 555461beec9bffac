//! Any bytes become a problem with a place or a relation, and any table its server counts or a sample of it; a small run over
//! them ends, adds up, and is bounded by what it costs.
#![no_main]

use std::sync::Arc;

use afresh::ingest::{
    CountColumns, Reader, Related, RelationMapping, RelationReader, RelationRole, Table, count_corpus, read_counts,
};
use afresh::probe::{Counts, Currency, Job, Knobs, Staleness};
use afresh::problem::{Problem, Result};
use libfuzzer_sys::fuzz_target;

const ROLES: [RelationRole; 13] = [
    RelationRole::Ignore,
    RelationRole::Id,
    RelationRole::Weight,
    RelationRole::Rate,
    RelationRole::Interval,
    RelationRole::LastSync,
    RelationRole::Changes,
    RelationRole::History,
    RelationRole::Watched,
    RelationRole::Since,
    RelationRole::Whole,
    RelationRole::List,
    RelationRole::Words,
];
/// What parts the table from its counts, and the counts from a sample.
const BREAK: &[u8] = b"\n===\n";
/// A day of 2026.
const NOW: f64 = 20_753.0;

// The first byte perturbs the mapping, the next two choose the knobs.
fuzz_target!(|bytes: &[u8]| {
    let [role, how, more, content @ ..] = bytes else { return };
    let (rows, rest) = parted(content);
    let (counts, sample) = parted(rest);
    let Ok(table) = read(rows).map_err(explained) else { return };
    let mut mapping = RelationMapping::guess(&table);
    if role & 128 != 0 {
        let column = usize::from(role >> 4) % table.columns();
        mapping.roles[column] = ROLES[usize::from(role & 15) % ROLES.len()];
    }
    let Ok(reader) = RelationReader::new(Arc::clone(&table), &mapping).map_err(explained) else { return };
    let Ok(related) = reader.finish(how & 1 == 0, NOW).map_err(explained) else { return };
    assert!(related.relation.len() <= table.rows() && related.ids.len() == related.relation.len());
    let columns = [related.relation.weight(), related.relation.rate()];
    for column in columns.into_iter().flatten() {
        assert!(
            column.len() == related.relation.len() && column.iter().all(|value| *value >= 0.0 && value.is_finite())
        );
    }
    let _ = run(&related, counts, sample, *how, *more).map_err(explained);
});

fn run(related: &Related, counts: &[u8], sample: &[u8], how: u8, more: u8) -> Result<()> {
    let Related { relation, attributes, .. } = related;
    let mut given = Counts::new(if how & 2 == 0 { None } else { Some(1e6) })?;
    if let Ok(table) = read(counts).map_err(explained)
        && let Ok(columns) = CountColumns::guess(&table, attributes).map_err(explained)
    {
        let report = read_counts(&table, &columns, attributes, relation.vocabulary(), &mut given)?;
        assert!(report.used + report.bad.rows.len() <= report.rows && report.rows <= table.rows() + 1);
    }
    let sample = match read(sample) {
        Ok(table) => {
            count_corpus(&table, table.understood().header, attributes, relation.vocabulary()).ok().map(|found| found.0)
        }
        Err(_) => None,
    };
    let server = relation.server(given, sample, if how & 4 == 0 { None } else { Some(4.6) })?;
    let knobs = Knobs {
        staleness: [Staleness::Quadratic, Staleness::Linear, Staleness::Unit][usize::from(more) % 3],
        method: 1 + (how >> 3 & 1),
        page_size: f64::from(1 + (more >> 4)),
        result_cap: if how & 16 == 0 { None } else { Some(7.0) },
        cost: if how & 32 == 0 { Currency::Tuples } else { Currency::Requests },
        max_terms: 1 + usize::from(more >> 2) % 3,
        top_k: if how & 64 == 0 { None } else { Some(usize::from(more >> 5) + 1) },
        queries: if how & 128 == 0 { None } else { Some(3) },
        requests: None,
        coverage: None,
    };
    let mut job = Job::new(relation, server, &knobs)?;
    let mut before = 0.0;
    loop {
        let fraction = job.step(1_000);
        assert!((before..=1.0).contains(&fraction));
        before = fraction;
        if fraction >= 1.0 {
            break;
        }
    }
    let report = job.finish();
    assert_eq!(report.groups.entries() + report.uncovered.len(), report.rows);
    assert!(report.lower_bound >= 0.0 && report.lower_bound <= report.cost && report.ratio >= 1.0);
    assert!(report.queries.iter().all(|query| query.server >= query.local as f64 && query.score > 0.0));
    Ok(())
}

/// What comes before the first break, and what after it.
fn parted(content: &[u8]) -> (&[u8], &[u8]) {
    match content.windows(BREAK.len()).position(|window| window == BREAK) {
        Some(place) => (&content[..place], &content[place + BREAK.len()..]),
        None => (content, &[]),
    }
}

fn read(content: &[u8]) -> Result<Arc<Table>> {
    let mut reader = Reader::new("");
    reader.push(content)?;
    reader.end();
    while !reader.step()?.done {}
    reader.finish().map(Arc::new)
}

/// Whatever is refused says why and what to do.
fn explained(problem: Problem) {
    assert!(!problem.message.is_empty() && !problem.hint.is_empty(), "{problem:?}");
}
