//! What a link says, how long it is, and what becomes of one that is not what it claims.

use super::cells::{decimal, written};
use super::knobs::{Kind as FieldKind, Usual};
use super::*;
use crate::allocate::Policy;
use crate::change::Model;
use crate::staleness::{Metric, Order};
use crate::view::queries::QuerySort;
use crate::view::rows::SortKey;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

fn column(name: &str, role: &str, cells: impl Iterator<Item = String>) -> PlanColumn {
    PlanColumn { name: name.into(), role: role.into(), unit: None, cells: Some(cells.map(Cell).collect()) }
}

fn table(columns: Vec<PlanColumn>) -> Plan {
    let rows = columns[0].cells.as_ref().map_or(0, Vec::len);
    let table = PlanTable { name: "pages.csv".into(), rows, header: true, columns, ..PlanTable::default() };
    Plan {
        lab: "allocate".into(),
        data: PlanData::Table(table),
        knobs: [
            ("budget".into(), KnobValue::Number(40.0)),
            ("metric".into(), KnobValue::Text("age".into())),
            ("timetableStart".into(), KnobValue::Number(20_775.958_333_333_332)),
            ("timetableHorizon".into(), KnobValue::Number(7.0)),
            ("simulationRuns".into(), KnobValue::Number(200.0)),
            ("logAxes".into(), KnobValue::Flag(false)),
            ("sort".into(), KnobValue::Text("share".into())),
        ]
        .into(),
        beside: vec![],
    }
}

/// Numbers that look random and are the same each time.
fn scattered(n: usize) -> f64 {
    (n as f64 * 0.618_033_988_749_894_9).fract()
}

fn round_trip(plan: &Plan) -> String {
    let link = encode(plan).unwrap();
    let back = decode(&link).unwrap();
    assert_eq!(back, plan.clone().check().unwrap());
    assert_eq!(encode(&back).unwrap(), link, "a plan has one link");
    link
}

#[test]
fn a_hundred_items_fit_in_twelve_hundred_characters() {
    let ids = || column("page", "id", (0..100).map(|n| format!("https://example.org/docs/page-{}", n * 7 % 100)));
    let words =
        ["alpha", "bravo", "delta", "echo", "golf", "hotel", "kilo", "lima", "oscar", "tango", "zulu", "sierra"];
    let named = column("name", "id", (0..100).map(|n| format!("{}-{}", words[n % 12], words[n * 5 % 11])));
    let weights = || column("weight", "weight", (0..100).map(|n| format!("{}", 1.0 + (scattered(n) * 50.0).floor())));
    let three = column("rate", "rate", (0..100).map(|n| format!("{:.3}", scattered(n * 3 + 1))));
    let six = column("rate", "rate", (0..100).map(|n| format!("{:.6}", scattered(n * 3 + 1))));
    for columns in [vec![ids(), three.clone(), weights()], vec![named, three, weights()], vec![ids(), six, weights()]] {
        let link = round_trip(&table(columns));
        assert!(link.len() <= 1_200, "{} characters", link.len());
    }
}

#[test]
fn cells_come_back_as_they_were_written() {
    let odd = [
        "",
        "0",
        "-0",
        "00",
        "1.",
        ".5",
        "0.50",
        "-12.500",
        "1e5",
        "NaN",
        "inf",
        "9007199254740993",
        "1 000",
        "½",
        "漢字\n\"x\"",
        "999999999999999999",
        "9999999999999999999",
        "0.000000000000000001",
        "-1",
        "+1",
    ];
    round_trip(&table(vec![column("a", "id", odd.iter().map(ToString::to_string))]));
    // Alone, each in its own column: each way of writing gets its turn.
    for cell in odd {
        round_trip(&table(vec![column("a", "id", [cell.to_string(), cell.to_string()].into_iter())]));
    }
    let numbers = [0.1, 1.0 / 3.0, 5e-324, 1e300, 123_456.789, -7.25];
    round_trip(&table(vec![column("a", "rate", numbers.iter().map(ToString::to_string))]));
    round_trip(&table(vec![column("a", "rate", (0..50).map(|n| (1_000 + n).to_string()))]));
}

#[test]
fn decimals_are_taken_apart_and_put_together() {
    for (text, parts) in
        [("0", (0, 0)), ("0.50", (50, 2)), ("-3.25", (-325, 2)), ("1000", (1_000, 0)), ("0.007", (7, 3))]
    {
        assert_eq!(decimal(text), Some(parts), "{text}");
        assert_eq!(written(parts.0, parts.1).unwrap(), text);
    }
    for text in
        ["", "-", "-0", "-0.0", "01", "1.", ".5", "+1", "1e5", "1_0", "1.2.3", "1234567890123456789", "--1", "1-"]
    {
        assert_eq!(decimal(text), None, "{text:?}");
    }
}

#[test]
fn a_table_travels_by_its_fingerprint() {
    let mut plan = table(vec![PlanColumn { name: "a".into(), role: "rate".into(), ..PlanColumn::default() }]);
    let PlanData::Table(about) = &mut plan.data else { unreachable!() };
    about.rows = 1_000_000;
    assert_eq!(encode(&plan).unwrap_err().column.as_deref(), Some("fingerprint"));
    let PlanData::Table(about) = &mut plan.data else { unreachable!() };
    about.fingerprint = Some("00c0ffee00c0ffee".into());
    assert!(round_trip(&plan).len() < 200);
}

#[test]
fn a_bomb_is_refused_before_it_goes_off() {
    use base64::Engine as _;
    let link = |inflated: u64, packed: &[u8]| {
        let mut lengths = bytes::Writer::default();
        lengths.whole(inflated);
        lengths.whole(packed.len() as u64);
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&lengths.0);
        hasher.update(packed);
        let mut all = lengths.0;
        all.extend(hasher.finalize().to_le_bytes());
        all.extend(packed);
        format!("p1.{}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(all))
    };
    let bomb = link::deflate(&vec![0; 1_000_000]);
    assert!(bomb.len() < 1_100, "a bomb of a kilobyte");
    assert_eq!(decode(&link(1_000_000, &bomb)).unwrap_err().kind, Kind::Size);
    // One that lies about its size is stopped at the size that it gave.
    assert_eq!(decode(&link(1_000, &bomb)).unwrap_err().kind, Kind::Format);
    // One that unfolds only after it was inflated: a long name that ten thousand cells share.
    let mut body = bytes::Writer::default();
    body.text("allocate");
    body.byte(1);
    body.text("x");
    body.byte(0);
    body.whole(10_000);
    body.whole(1);
    for text in ["a", "id", "", &"long ".repeat(1_000), ""] {
        body.text(text);
    }
    body.byte(0);
    body.0.extend(vec![0; 10_000]);
    body.whole(0);
    let packed = link::deflate(&body.0);
    assert_eq!(decode(&link(body.0.len() as u64, &packed)).unwrap_err().kind, Kind::Size);
}

#[test]
fn newer_plans_and_unknown_labs_say_so() {
    let link = encode(&table(vec![column("a", "rate", ["1".to_string()].into_iter())])).unwrap();
    let newer = decode(&link.replacen("p1.", "p3.", 1)).unwrap_err();
    assert_eq!(newer.kind, Kind::Version);
    assert!(newer.message.contains("format 3") && newer.hint.contains("newest version"));
    let plan = Plan {
        lab: "teleport".into(),
        data: PlanData::Example("packages".into()),
        knobs: BTreeMap::new(),
        beside: vec![],
    };
    assert_eq!(encode(&plan).unwrap_err().kind, Kind::Version);
}

#[test]
fn what_is_no_link_is_explained() {
    for text in ["", "p1", "p1.", "p0.AAAA", "p.AAAA", "hello", "#allocate", "q1.AAAA", "p99999999999.AAAA"] {
        let problem = decode(text).unwrap_err();
        assert!(problem.kind == Kind::Format, "{text:?}: {problem:?}");
    }
    assert_eq!(decode(&"p".repeat(1 << 20)).unwrap_err().kind, Kind::Size);
}

#[test]
fn knobs_out_of_their_range_are_named() {
    let with = |name: &str, value: KnobValue| Plan {
        lab: "allocate".into(),
        data: PlanData::Example("packages".into()),
        knobs: [(name.to_string(), value)].into(),
        beside: vec![],
    };
    for (name, value) in [
        ("budget", KnobValue::Number(-1.0)),
        ("budget", KnobValue::Number(f64::NAN)),
        ("seed", KnobValue::Number(1.5)),
        ("seed", KnobValue::Number(5e9)),
        ("metric", KnobValue::Text("beauty".into())),
        ("metric", KnobValue::Number(1.0)),
        ("logAxes", KnobValue::Text("yes".into())),
        ("search", KnobValue::Text("x".repeat(501))),
    ] {
        let problem = encode(&with(name, value.clone())).unwrap_err();
        assert!(problem.message.contains(name), "{name} {value:?}: {}", problem.message);
    }
    let unknown = encode(&with("bugdet", KnobValue::Number(1.0))).unwrap_err();
    assert!(unknown.hint.contains("budget"), "{}", unknown.hint);
}

#[test]
fn the_words_of_the_format_are_those_of_the_crate() {
    fn all<'a, T: Deserialize<'a>>(words: &[&'a str]) {
        for word in words {
            let read: StrDeserializer<'a, Error> = word.into_deserializer();
            assert!(T::deserialize(read).is_ok(), "{word}");
        }
    }
    all::<Model>(allocate::MODELS);
    all::<Metric>(allocate::METRICS);
    all::<Order>(allocate::ORDERS);
    all::<Policy>(allocate::POLICIES);
    all::<SortKey>(allocate::SORTS);
    all::<QuerySort>(probe::SORTS);
}

#[test]
fn numbers_and_names_of_knobs_are_unique() {
    for fields in [allocate::FIELDS, replay::FIELDS, probe::FIELDS] {
        for (at, field) in fields.iter().enumerate() {
            assert_eq!(field.number, at as u64 + 1);
            assert!(fields[..at].iter().all(|other| other.name != field.name));
            let chosen = field.usual().is_some() && matches!(field.kind, FieldKind::Choice(_));
            assert_eq!(field.usual == Usual::First, chosen);
        }
    }
}
