//! Laws of reading tables: no bytes make it panic, nothing is lost silently, and what was written comes back.

#![allow(clippy::float_cmp, reason = "that values come back exactly is the claim")]

use afresh::ingest::{Mapped, Mapper, Reader, Role, Table};
use afresh::problem::Result;
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;

fn read(name: &str, bytes: &[u8]) -> Result<Arc<Table>> {
    let mut reader = Reader::new(name);
    reader.push(bytes)?;
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

/// Reads and maps in every role that fits, as a person might try; the numbers of rows must agree throughout.
fn try_all(name: &str, bytes: &[u8]) {
    let Ok(table) = read(name, bytes) else { return };
    for row in [0, table.rows() - 1, table.rows()] {
        for column in 0..=table.columns() {
            let _ = table.cell(row, column);
        }
    }
    let _ = table.understood_with(!table.understood().header);
    let roles = [Role::Rate, Role::Interval, Role::Id, Role::Weight, Role::Url, Role::LastSync, Role::Max];
    for role in roles {
        let mut mapping = table.understood().mapping();
        for known in &mut mapping.roles {
            if *known == role {
                *known = Role::Ignore;
            }
        }
        mapping.roles[0] = role;
        if let Ok(mapper) = Mapper::new(Arc::clone(&table), mapping) {
            let mapped = mapper.finish();
            assert_eq!(mapped.len(), table.rows());
            let bad = mapped.bad.rows.len();
            let kept = mapped.drop_bad();
            assert_eq!(kept.len() + bad, table.rows());
            assert!(kept.rate.iter().all(|rate| rate.is_finite() && *rate >= 0.0));
            assert_eq!(kept.ids.len(), kept.len());
        }
    }
}

const SEEDS: [&str; 5] = [
    "id;rate;weight\na;1,5;2\n\"b;\"\"c\"\"\";0,25;\r\nd;every 3 weeks;1.234,5\n",
    "url,interval,last_sync\nhttps://www.a.example/x,7d,2026-01-02T03:04:05Z\nb.example,P7D,\n",
    r#"[{"id":"a\u00e9","rate":1.5,"x":{"y":[1,"]"]}},{"id":"b","rate":null}]"#,
    "{\"id\":\"a\",\"rate\":1}\n{\"id\":\"b\",\"rate\":\"daily\"}\n",
    r#"{"id": ["a", "b"], "rate": [1.5, 0.25]}"#,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), name in "(a\\.(csv|tsv|json|jsonl))?") {
        try_all(&name, &bytes);
        try_all(&name, &[b"\x1f\x8b".as_slice(), &bytes].concat());
    }

    #[test]
    fn no_table_like_text_makes_reading_panic(text in "([-+0-9a-z.,;:/%$€é\"'{}\\[\\]|\t \\\\#]|\r|\n|\u{feff}){0,200}") {
        try_all("", text.as_bytes());
    }

    #[test]
    fn no_change_to_a_good_file_makes_reading_panic(
        seed in 0..SEEDS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6),
        wide in any::<bool>(),
    ) {
        let mut bytes = SEEDS[seed].as_bytes().to_vec();
        if wide {
            bytes = SEEDS[seed].encode_utf16().flat_map(u16::to_le_bytes).collect();
        }
        for (place, byte, how) in changes {
            let place = place.index(bytes.len());
            match how {
                0 => bytes[place] = byte,
                1 => bytes.insert(place, byte),
                _ => bytes.truncate(place.max(1)),
            }
        }
        try_all("", &bytes);
    }

    #[test]
    fn what_was_written_comes_back(
        rows in prop::collection::vec(("[a-zé,;\"\n 😀]{0,8}", 0.0..1e9_f64), 1..40),
        delimiter in prop::sample::select(vec![',', ';', '\t', '|']),
        ends in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        wide in any::<bool>(),
    ) {
        let mut file = format!("id{delimiter}rate{ends}");
        for (id, rate) in &rows {
            write!(file, "\"{}\"{delimiter}{rate}{ends}", id.replace('"', "\"\"")).unwrap();
        }
        let bytes = if wide { file.encode_utf16().flat_map(u16::to_be_bytes).collect() } else { file.into_bytes() };
        let table = read("", &bytes).unwrap();
        prop_assert_eq!(table.rows(), rows.len());
        let mut mapping = table.understood().mapping();
        mapping.roles = vec![Role::Id, Role::Rate];
        let mapped: Mapped = Mapper::new(table, mapping).unwrap().finish();
        prop_assert_eq!(mapped.bad.total, 0);
        for (item, (id, rate)) in rows.iter().enumerate() {
            prop_assert_eq!(mapped.rate[item], *rate);
            let name = mapped.ids.get(item);
            prop_assert!(id.trim() == name || (id.trim().is_empty() && name.starts_with("row ")));
        }
    }

    #[test]
    fn json_and_csv_agree(rows in prop::collection::vec(("[a-zé\"\\\\\n😀]{1,8}", 0.0..1e9_f64), 1..40)) {
        let objects: Vec<_> = rows.iter().map(|(id, rate)| serde_json::json!({ "id": id, "rate": rate })).collect();
        let lines = objects.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let columns = serde_json::json!({
            "id": rows.iter().map(|(id, _)| id).collect::<Vec<_>>(),
            "rate": rows.iter().map(|(_, rate)| rate).collect::<Vec<_>>(),
        });
        for file in [serde_json::to_string_pretty(&objects).unwrap(), lines, columns.to_string()] {
            let table = read("", file.as_bytes()).unwrap();
            prop_assert_eq!(table.rows(), rows.len());
            let rate = table.understood().columns.iter().position(|column| column.name == "rate").unwrap();
            for (row, (id, value)) in rows.iter().enumerate() {
                prop_assert_eq!(table.cell(row, 1 - rate), id.trim());
                prop_assert_eq!(table.cell(row, rate).parse::<f64>().unwrap(), *value);
            }
        }
    }
}
