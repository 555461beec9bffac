//! Whole files, from bytes to items, as a person meets them.

use super::*;
use crate::change::Model;
use crate::problem::Result;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::sync::Arc;

fn read_as(name: &str, file: &[u8]) -> Result<Arc<Table>> {
    let mut reader = Reader::new(name);
    for chunk in file.chunks(7) {
        reader.push(chunk)?;
    }
    reader.end();
    let mut before = 0.0;
    loop {
        let progress = reader.step()?;
        assert!((before..=1.0).contains(&progress.fraction), "progress never falls");
        before = progress.fraction;
        if progress.done {
            return reader.finish().map(Arc::new);
        }
    }
}

fn read(file: &str) -> Arc<Table> {
    read_as("", file.as_bytes()).unwrap()
}

fn refused(file: &str) -> Problem {
    read_as("", file.as_bytes()).unwrap_err()
}

fn map(table: &Arc<Table>) -> Mapped {
    Mapper::new(Arc::clone(table), table.understood().mapping()).unwrap().finish()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn ids(mapped: &Mapped) -> Vec<String> {
    (0..mapped.len()).map(|item| mapped.ids.get(item).into_owned()).collect()
}

#[test]
fn semicolons_decimal_commas_and_two_bad_rows() {
    let table = read(
        "Seite;Änderungsrate;Gewicht\r\nStart;1,5;2\r\nNeu;abc;1\r\nAlt;0,25;\r\nArchiv;0,5;-3\r\nKontakt;1.234,5;0,5\r\n",
    );
    let understood = table.understood();
    assert_eq!(
        (understood.delimiter, understood.decimal_comma, understood.header, understood.rows),
        (Some(';'), true, true, 5)
    );
    let mapped = map(&table);
    let bad = &mapped.bad;
    assert_eq!((bad.total, bad.rows.as_slice()), (2, [3, 5].as_slice()));
    let listed: Vec<_> =
        bad.listed.iter().map(|cell| (cell.row, cell.column.as_deref().unwrap(), cell.text.as_str())).collect();
    assert_eq!(listed, [(3, "Änderungsrate", "abc"), (5, "Gewicht", "-3")]);
    let problem = mapped.check().unwrap_err();
    assert_eq!((problem.row, problem.column.as_deref()), (Some(3), Some("Änderungsrate")));

    let kept = mapped.drop_bad();
    kept.check().unwrap();
    assert_eq!(ids(&kept), ["Start", "Alt", "Kontakt"]);
    assert_eq!(kept.rate, [1.5, 0.25, 1234.5]);
    assert_eq!(kept.weight.as_deref(), Some([2.0, 1.0, 0.5].as_slice()));
    assert_eq!(kept.ids.file_row(2), 6);
    assert!(kept.notes.iter().any(|note| note.starts_with("1 empty cells of \"Gewicht\"")), "{:?}", kept.notes);
    assert!(kept.notes.iter().any(|note| note.starts_with("2 rows")));
}

#[test]
fn every_format_gives_the_same_items() {
    let csv = "id,rate,weight\na,1.5,2\n\"b, c\",0.25,\n";
    let json = r#"[{"id":"a","rate":1.5,"weight":2},{"rate":0.25,"id":"b, c"}]"#;
    let lines = "{\"id\":\"a\",\"rate\":1.5,\"weight\":2}\n\n{\"id\":\"b, c\",\"rate\":0.25,\"weight\":null}\n";
    let columns = r#"{"id": ["a", "b, c"], "rate": [1.5, 0.25], "weight": [2, null]}"#;
    let tsv = "id\trate\tweight\na\t1.5\t2\nb, c\t0.25\t\n";
    let pipe = "id|rate|weight\na|1.5|2\nb, c|0.25|\n";
    for (file, format) in [
        (csv, Format::Csv),
        (tsv, Format::Csv),
        (pipe, Format::Csv),
        (json, Format::Json),
        (lines, Format::JsonLines),
        (columns, Format::JsonColumns),
    ] {
        let utf16: Vec<u8> = std::iter::once(0xfeff).chain(file.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let marked = [b"\xef\xbb\xbf", file.as_bytes()].concat();
        for bytes in [file.as_bytes().to_vec(), marked, utf16.clone(), gzip(file.as_bytes()), gzip(&utf16)] {
            let table = read_as("", &bytes).unwrap();
            assert_eq!(table.understood().format, format, "{file}");
            assert_eq!(table.understood().gzip, bytes[0] == 0x1f);
            let mapped = map(&table);
            mapped.check().unwrap();
            assert_eq!(ids(&mapped), ["a", "b, c"]);
            assert_eq!(mapped.rate, [1.5, 0.25]);
            assert_eq!(mapped.weight.unwrap(), [2.0, 1.0]);
        }
    }
}

#[test]
fn intervals_become_exact_rates() {
    let mapped = map(&read("page,interval_weeks\na,3\nb,1\nc,never\nd,12 h\ne,P7D\n"));
    assert_eq!(mapped.rate, [1.0 / 21.0, 1.0 / 7.0, 0.0, 2.0, 1.0 / 7.0]);
    let table = read("page,x\na,3\n");
    let mut mapping = table.understood().mapping();
    (mapping.roles[1], mapping.units[1]) = (Role::Interval, Some(Unit::Weeks));
    assert_eq!(Mapper::new(Arc::clone(&table), mapping.clone()).unwrap().finish().rate, [1.0 / 21.0]);
    (mapping.roles[1], mapping.units[1]) = (Role::Rate, Some(Unit::Hours));
    assert_eq!(Mapper::new(table, mapping).unwrap().finish().rate, [72.0]);
}

#[test]
fn what_cannot_be_a_rate_is_a_bad_cell() {
    let file = "id,interval\na,0\nb,-1\nc,\nd,NaN\ne,inf\nf,1e999\ng,biweekly\nh,1e-320\ni,7\n";
    let mapped = map(&read(file));
    assert_eq!(mapped.bad.rows, [2, 3, 4, 5, 6, 7, 8, 9]);
    assert!(mapped.bad.listed.iter().all(|cell| !cell.reason.is_empty() && !cell.hint.is_empty()));
    assert_eq!(mapped.bad.by_column, [ColumnCount { column: "interval".into(), cells: 8 }]);
    assert_eq!(mapped.drop_bad().rate, [1.0 / 7.0]);
}

#[test]
fn every_column_is_read_with_its_own_rules() {
    let file = "id,rate,cost,count,min_per_week,max,host,last_sync\n\
                a,1,$2.50,3,1,1/hour,WWW.a.example,2026-10-27\n\
                b,1,0,0,7,0.5,b.example,soon\n\
                c,1,,,,,,\n";
    let mapped = map(&read(file));
    let bad: Vec<_> = mapped.bad.listed.iter().map(|cell| (cell.row, cell.column.as_deref().unwrap())).collect();
    assert_eq!(bad, [(3, "cost"), (3, "count"), (3, "max"), (3, "last_sync")]);
    let kept = mapped.drop_bad();
    assert_eq!(kept.cost.unwrap(), [2.5, 1.0]);
    assert_eq!(kept.count.unwrap(), [3.0, 1.0]);
    assert_eq!(kept.min.unwrap(), [1.0 / 7.0, 0.0]);
    assert_eq!(kept.max.unwrap(), [24.0, f64::INFINITY]);
    let hosts = kept.host.unwrap();
    assert_eq!(hosts.names[hosts.index[0] as usize], "a.example");
    assert_eq!(hosts.names[hosts.index[1] as usize], "(no host)");
    let synced = kept.last_sync.unwrap();
    assert!(synced[0] == 20_753.0 && synced[1].is_nan());
}

#[test]
fn addresses_give_hosts_and_names() {
    let mapped =
        map(&read("url,rate\nhttps://www.A.example/x,1\nhttp://a.example:80/y,2\nhttps://b.example,3\nnonsense,4\n"));
    let hosts = mapped.host.as_ref().unwrap();
    assert_eq!(hosts.names[..2], ["a.example", "b.example"]);
    assert_eq!(hosts.index[..3], [0, 0, 1]);
    assert_eq!(mapped.bad.rows, [5]);
    assert_eq!(mapped.ids.get(0), "https://www.A.example/x");
    assert!(mapped.notes.iter().any(|note| note.contains("www.")));
}

#[test]
fn ragged_rows_are_bad_rows_with_their_counts() {
    let mapped = map(&read("id,rate\na,1\nb\nc,2,3\nd,4,\ne,5\n"));
    let bad: Vec<_> =
        mapped.bad.listed.iter().map(|cell| (cell.row, cell.column.is_none(), cell.reason.as_str())).collect();
    assert_eq!(bad, [(3, true, "1 cells, expected 2"), (3, false, "empty"), (4, true, "3 cells, expected 2")]);
    assert_eq!(ids(&mapped.drop_bad()), ["a", "d", "e"]);
}

#[test]
fn titles_comments_and_blank_lines_keep_the_row_numbers_right() {
    let table = read("My pages\n\n# made by hand\nid,rate\na,1\n\n,\n# more\nb,x\n");
    assert_eq!(table.understood().rows, 2);
    assert_eq!((table.file_row(0), table.file_row(1)), (5, 9));
    assert_eq!(map(&table).bad.rows, [9]);
    let notes = table.understood().notes.join(" ");
    assert!(
        notes.contains("1 line above")
            && notes.contains("2 lines that start with #")
            && notes.contains("3 lines without"),
        "{notes}"
    );
    assert_eq!(map(&read("#id,rate\n#1,5\nb,6\n")).rate, [5.0, 6.0]);
}

#[test]
fn repeated_names_are_reported_and_kept() {
    let mapped = map(&read("id,rate\na,1\nb,2\na,3\na,4\n,5\n,6\n"));
    assert_eq!(mapped.rate.len(), 6);
    assert_eq!(mapped.duplicates.total, 2);
    assert_eq!(mapped.duplicates.listed[0], Duplicate { id: "a".into(), first_row: 2, row: 4 });
    assert_eq!(mapped.ids.get(5), "row 7");
}

#[test]
fn problems_name_the_row() {
    let problem = refused("id,rate\na,1\n\"b,2\nc,3\n");
    assert_eq!((problem.kind, problem.row), (Kind::Format, Some(3)));
    let problem = refused(r#"{"id":["a","b"],"rate":[1]}"#);
    assert_eq!((problem.kind, problem.row, problem.column.as_deref()), (Kind::Length, Some(2), Some("rate")));
    let problem = refused("[{\"id\":\"a\",\"rate\":1},{\"id\":\"b\",\"rate\":oops}]");
    assert_eq!((problem.row, problem.column.as_deref()), (Some(2), Some("rate")));
    let problem = refused("{\"id\":\"a\",\"rate\":1}\n{\"id\":\"b\",\"ra");
    assert_eq!(problem.row, Some(2));
    for file in ["", " \n\n", "id,rate\n", "[]", "{}", "\u{feff}"] {
        assert_eq!(refused(file).kind, Kind::Format, "{file:?}");
    }
    assert!(refused("id,rate\n").message.contains("header"));
}

#[test]
fn json_is_read_however_it_is_written() {
    let deep = format!("[{{\"id\":\"a\",\"rate\":1,\"x\":{}1{}}}]", "[".repeat(100_000), "]".repeat(100_000));
    assert!(refused(&deep).message.contains("nested too deep"));
    let file = r#"[{"id":"\u00e9\ud83d\ude00\ud800 \"\\\/\n","rate":"0.5","x":{"y":[1,"]"]}},{"id":7,"rate":NaN},{"id":true,"rate":[1]},{"rate":2}]"#;
    let mapped = map(&read(file));
    assert_eq!(mapped.ids.get(0), "é😀\u{fffd} \"\\/");
    assert_eq!(mapped.ids.get(1), "7");
    assert_eq!(mapped.bad.rows, [2, 3]);
    assert!(mapped.bad.listed[1].reason.contains("nested"));
    assert_eq!(mapped.drop_bad().rate, [0.5, 2.0]);
    // A nested list comes first in each line: still lines, not columns.
    assert_eq!(read("{\"tags\":[1],\"rate\":1}\n{\"tags\":[],\"rate\":2}\n").understood().format, Format::JsonLines);
    assert_eq!(read("{\"rate\":1}").rows(), 1);
    for broken in [
        "[{\"a\":1}",
        "[{\"a\":1},]x",
        "[{\"a\" 1}]",
        "[{\"a\":1}{\"a\":2}]",
        "[1,2]",
        "{\"a\":[1],\"b\":2}",
        "[{\"a\":\"\\x\"}]",
        "{\"a\":[1],\"a\":[2]}",
    ] {
        assert_eq!(read_as("x.json", broken.as_bytes()).unwrap_err().kind, Kind::Format, "{broken}");
    }
}

#[test]
fn sizes_are_bounded() {
    assert_eq!(refused(&"x,".repeat(1_100)).kind, Kind::Size);
    assert_eq!(refused(&format!("id,rate\na,{}\n", "1".repeat(MAX_CELL + 1))).kind, Kind::Size);
    let keys: Vec<String> = (0..1_100).map(|key| format!("\"k{key}\":1")).collect();
    assert_eq!(refused(&format!("[{{{}}}]", keys.join(","))).kind, Kind::Size);
    assert_eq!(Reader::new("").expect(MAX_BYTES + 1).unwrap_err().kind, Kind::Size);
}

#[test]
fn a_mapping_without_a_rate_or_with_a_role_twice_is_refused_and_says_why() {
    let table = read("a,b,c\nx,1,2\ny,2,3\n");
    let mut mapping = table.understood().mapping();
    let problem = |mapping: &Mapping| Mapper::new(Arc::clone(&table), mapping.clone()).unwrap_err();
    assert!(problem(&mapping).message.contains("how often"));
    mapping.roles[1..].fill(Role::Rate);
    assert!(problem(&mapping).message.contains("both the rate"));
    mapping.roles[2] = Role::Interval;
    assert_eq!(problem(&mapping).kind, Kind::Field);
    mapping.roles[2] = Role::Alpha;
    assert!(problem(&mapping).message.contains("beta"));
    mapping.roles.pop();
    assert_eq!(problem(&mapping).kind, Kind::Length);
}

#[test]
fn weibull_and_gamma_columns_make_their_models() {
    let weibull = map(&read("id,interval,shape\na,2,0.5\nb,3,1\n"));
    assert_eq!(weibull.model(), Model::Weibull);
    // Γ(3) = 2: the mean of exp(−λ√t) is 2/λ², so a mean of 2 days is λ = 1.
    assert!((weibull.rate[0] - 1.0).abs() < 1e-14 && (weibull.rate[1] - 1.0 / 3.0).abs() < 1e-15);
    // λ√t with t in hours and λ = 1 is √24 a root-day.
    let hourly = map(&read("id,rate_per_hour,shape\na,1,0.5\n"));
    assert!((hourly.rate[0] - 24f64.sqrt()).abs() < 1e-14);
    let gamma = map(&read("id,alpha,beta_weeks\na,3,2\n"));
    assert_eq!(
        (gamma.model(), gamma.beta.as_deref(), gamma.rate[0]),
        (Model::GammaPoisson, Some([14.0].as_slice()), 3.0 / 14.0)
    );
}

#[test]
fn a_person_can_change_the_header_and_the_delimiter() {
    let table = read("1,2\n3,4\n");
    let mut mapping = table.understood_with(true).mapping();
    mapping.roles = vec![Role::Id, Role::Rate];
    assert_eq!(Mapper::new(Arc::clone(&table), mapping).unwrap().finish().rate, [4.0]);
    let mut reader = Reader::new("").delimited_by(':').unwrap();
    reader.push(b"id:rate\na,b:1\n").unwrap();
    let table = Arc::new(reader.finish().unwrap());
    assert_eq!(ids(&map(&table)), ["a,b"]);
    assert!(Reader::new("").delimited_by('"').is_err());
}

#[test]
fn a_mapping_crosses_the_boundary_in_its_own_words() {
    let mapping = read("id,interval_days\na,1\n").understood().mapping();
    let json = serde_json::to_string(&mapping).unwrap();
    assert_eq!(json, r#"{"roles":["id","interval"],"units":[null,"days"],"decimalComma":false,"header":true}"#);
    assert_eq!(serde_json::from_str::<Mapping>(&json).unwrap(), mapping);
}

#[test]
fn lists_inside_the_cells_do_not_make_a_delimiter() {
    let rows: Vec<String> = (0..60).map(|row| format!("p{row},Ann;Bob,0.{row}\n")).collect();
    let file = ["paper,authors,rate\n".to_string(), rows.concat()].concat();
    let mut reader = Reader::new("papers.csv");
    reader.push(file.as_bytes()).unwrap();
    let table = reader.finish().unwrap();
    assert_eq!(table.understood().delimiter, Some(','));
    assert_eq!((table.rows(), table.columns(), table.cell(0, 1).as_ref()), (60, 3, "Ann;Bob"));
}
