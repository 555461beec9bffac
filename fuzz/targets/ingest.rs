//! Any bytes, under any file name, become a problem with a place or a set of items whose parts agree.
#![no_main]

use std::sync::Arc;

use afresh::ingest::{Mapped, Mapper, Mapping, Reader, Role, Table, Unit};
use afresh::problem::{Problem, Result};
use afresh::view::Dataset;
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 8] = ["", "a.csv", "a.tsv", "a.json", "a.jsonl", "a.csv.gz", "a.json.gz", "a.txt"];
const DELIMITERS: [char; 5] = [',', ';', '\t', '|', ' '];
const ROLES: [Role; 15] = [
    Role::Ignore,
    Role::Id,
    Role::Rate,
    Role::Interval,
    Role::Weight,
    Role::Cost,
    Role::Count,
    Role::Min,
    Role::Max,
    Role::Shape,
    Role::Alpha,
    Role::Beta,
    Role::Host,
    Role::Url,
    Role::LastSync,
];
const UNITS: [Option<Unit>; 4] = [None, Some(Unit::Hours), Some(Unit::Weeks), Some(Unit::Years)];

// The first byte chooses the file's name and whether a delimiter is told; the next three perturb the mapping.
fuzz_target!(|bytes: &[u8]| {
    let [how, column, role, unit, content @ ..] = bytes else { return };
    let Ok(table) = read(*how, content).map_err(explained) else { return };
    assert!(table.rows() > 0 && table.columns() > 0);
    for row in [0, table.rows() - 1, table.rows()] {
        for column in 0..=table.columns() {
            let _ = table.cell(row, column);
        }
    }
    let guess = table.understood().mapping();
    assert_eq!((guess.roles.len(), guess.units.len()), (table.columns(), table.columns()));
    items(&table, guess.clone());

    let mut mapping = guess;
    let (column, role) = (usize::from(*column) % table.columns(), ROLES[usize::from(*role) % ROLES.len()]);
    for known in &mut mapping.roles {
        if *known == role {
            *known = Role::Ignore;
        }
    }
    mapping.roles[column] = role;
    mapping.units[column] = UNITS[usize::from(*unit) % UNITS.len()];
    mapping.decimal_comma ^= unit & 16 != 0;
    if unit & 32 != 0 {
        mapping = table.understood_with(!table.understood().header).mapping();
    }
    items(&table, mapping);
});

fn read(how: u8, content: &[u8]) -> Result<Arc<Table>> {
    let mut reader = Reader::new(NAMES[usize::from(how & 7)]);
    if how & 8 != 0 {
        reader = reader.delimited_by(DELIMITERS[usize::from(how >> 4) % DELIMITERS.len()])?;
    }
    // In two pieces, as a browser hands files over.
    let (first, second) = content.split_at(content.len() / 2);
    reader.push(first)?;
    reader.push(second)?;
    reader.end();
    let mut before = 0.0;
    loop {
        let progress = reader.step()?;
        assert!((before..=1.0).contains(&progress.fraction));
        before = progress.fraction;
        if progress.done {
            return reader.finish().map(Arc::new);
        }
    }
}

/// Maps, and holds the outcome to its laws.
fn items(table: &Arc<Table>, mapping: Mapping) {
    let Ok(mut mapper) = Mapper::new(Arc::clone(table), mapping).map_err(explained) else { return };
    while !mapper.step().done {}
    let mapped = mapper.finish();
    consistent(&mapped);
    let rows: Vec<usize> = (0..mapped.len()).map(|item| mapped.ids.file_row(item)).collect();
    for bad in &mapped.bad.listed {
        assert!(rows.binary_search(&(bad.row as usize)).is_ok(), "there is no row {}", bad.row);
        assert!(!bad.reason.is_empty() && !bad.hint.is_empty());
    }
    let by_column: usize = mapped.bad.by_column.iter().map(|count| count.cells).sum();
    // A row of too many or too few cells is bad in no column.
    assert!(by_column <= mapped.bad.total);
    assert_eq!(mapped.bad.rows.is_empty(), mapped.bad.total == 0);

    let (all, bad) = (mapped.len(), mapped.bad.rows.len());
    let kept = mapped.drop_bad();
    consistent(&kept);
    assert_eq!(kept.len() + bad, all);
    assert!(kept.rate.iter().all(|rate| rate.is_finite() && *rate >= 0.0));
    let left = kept.len();
    match Dataset::from_file("fuzzed", kept, true) {
        Ok(set) => assert_eq!(set.len(), left),
        Err(problem) => _ = explained(problem),
    }
}

/// Every column has one value for each row.
fn consistent(mapped: &Mapped) {
    let rows = mapped.len();
    assert_eq!(mapped.ids.len(), rows);
    assert!(mapped.rate.len() == rows || mapped.rate.is_empty() && mapped.alpha.is_some());
    let columns = [
        &mapped.weight,
        &mapped.cost,
        &mapped.count,
        &mapped.min,
        &mapped.max,
        &mapped.shape,
        &mapped.alpha,
        &mapped.beta,
        &mapped.last_sync,
    ];
    assert!(columns.into_iter().flatten().all(|column| column.len() == rows));
    if let Some(hosts) = &mapped.host {
        assert_eq!(hosts.index.len(), rows);
        assert!(hosts.index.iter().all(|&host| (host as usize) < hosts.names.len()));
    }
}

/// Whatever is refused says why and what to do.
fn explained(problem: Problem) {
    assert!(!problem.message.is_empty() && !problem.hint.is_empty(), "{problem:?}");
}
