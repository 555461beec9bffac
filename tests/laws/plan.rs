//! Links: what goes in comes out, whatever a chat does to them on the way; what was damaged never opens; and links of this
//! version mean for ever what they mean today.

use afresh::ingest::{Mapper, Reader};
use afresh::plan::{Cell, KnobValue, LONGEST_LINK, Meaning, Plan, PlanColumn, PlanData, PlanTable, decode, encode};
use afresh::problem::Kind;
use proptest::prelude::*;
use std::fmt::Write as _;
use std::sync::Arc;

fn cells() -> impl Strategy<Value = Vec<Cell>> {
    let cell = prop_oneof![
        "\\PC{0,12}",
        (-1_000_000_i64..1_000_000, 0_usize..5)
            .prop_map(|(digits, places)| format!("{:.places$}", digits as f64 / 64.0)),
        any::<f64>().prop_map(|value| value.to_string()),
        (0_u32..50).prop_map(|n| format!("https://example.org/{n}")),
    ];
    prop::collection::vec(cell.prop_map(Cell), 12)
}

/// Columns whose cells are all of one kind, so that every way of writing them gets its turn.
fn alike() -> impl Strategy<Value = Vec<Cell>> {
    let list = |cell: BoxedStrategy<String>| prop::collection::vec(cell.prop_map(Cell), 12);
    prop_oneof![
        list((0_u32..1_000).prop_map(|n| format!("page-{n}.html")).boxed()),
        list((any::<i32>(), 0_usize..6).prop_map(|(n, places)| format!("{:.places$}", f64::from(n) / 1e3)).boxed()),
        list((0.0..1.0_f64).prop_map(|x| x.to_string()).boxed()),
    ]
}

fn plans() -> impl Strategy<Value = Plan> {
    let name = "[a-zé ]{1,10}";
    let column = (name, "[a-z-]{1,8}", prop::option::of("[a-z]{1,6}"), prop_oneof![cells(), alike()])
        .prop_map(|(name, role, unit, cells)| PlanColumn { name, role, unit, cells: Some(cells) });
    let inside = (name, any::<[bool; 3]>(), prop::collection::vec(column, 1..4)).prop_map(
        |(name, [decimal_comma, header, drop_bad], columns)| PlanTable {
            name,
            fingerprint: None,
            rows: 12,
            decimal_comma,
            header,
            drop_bad,
            columns,
        },
    );
    let known = (name, any::<u64>(), 1..1_000_000_usize).prop_map(|(name, mark, rows)| {
        let columns = vec![PlanColumn { name: "λ".into(), role: "rate".into(), unit: None, cells: None }];
        let fingerprint = Some(format!("{mark:016x}"));
        PlanTable { name, fingerprint, rows, columns, ..PlanTable::default() }
    });
    let table = prop_oneof![inside, known].boxed();
    let data = prop_oneof!["[a-z0-9-]{1,12}".prop_map(PlanData::Example), table.clone().prop_map(PlanData::Table)];
    let beside = prop_oneof![Just(vec![]), prop::collection::vec(table, 1..3)];
    let knobs = (
        prop::option::of(0.0..1e9_f64),
        prop::option::of(prop::sample::select(vec!["freshness", "age", "content", "harmonic"])),
        prop::option::of(any::<bool>()),
        prop::option::of(any::<u32>()),
        prop::option::of("\\PC{0,20}"),
        prop::option::of(any::<i16>()),
    )
        .prop_map(|(budget, metric, log, seed, search, start)| {
            [
                ("budget", budget.map(KnobValue::Number)),
                ("metric", metric.map(|word| KnobValue::Text(word.into()))),
                ("logAxes", log.map(KnobValue::Flag)),
                ("seed", seed.map(|seed| KnobValue::Number(f64::from(seed)))),
                ("search", search.map(KnobValue::Text)),
                ("timetableStart", start.map(|day| KnobValue::Number(f64::from(day) / 24.0))),
            ]
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_string(), value?)))
            .collect()
        });
    (data, knobs, beside).prop_map(|(data, knobs, beside)| Plan { lab: "allocate".into(), data, knobs, beside })
}

proptest! {
    #[test]
    fn a_link_opens_to_the_plan_that_made_it(plan in plans()) {
        let link = encode(&plan).unwrap();
        let opened = decode(&link).unwrap();
        prop_assert_eq!(&opened, &plan.check().unwrap());
        prop_assert_eq!(encode(&opened).unwrap(), link);
    }

    #[test]
    fn a_saved_plan_opens_to_the_plan_that_was_saved(plan in plans()) {
        let checked = plan.check().unwrap();
        let text = serde_json::to_string(&checked).unwrap();
        prop_assert_eq!(serde_json::from_str::<Plan>(&text).unwrap().check().unwrap(), checked);
    }

    #[test]
    fn a_chat_may_encode_a_link_again_and_again(plan in plans(), times in 0_usize..4) {
        let link = encode(&plan).unwrap();
        let mut address = format!("https://afresh.example/any/#allocate/{link}");
        for _ in 0..times {
            address = address.replace('%', "%25").replace('#', "%23").replace('/', "%2F").replace('.', "%2E");
        }
        prop_assert_eq!(decode(&address).unwrap(), decode(&link).unwrap());
        let (front, back) = address.split_at(address.len() / 2);
        prop_assert_eq!(decode(&format!("  {front}\r\n{back}>\n")).unwrap(), decode(&link).unwrap());
    }

    #[test]
    fn no_edit_of_a_character_goes_unnoticed(plan in plans(), at in any::<prop::sample::Index>(), to in "[A-Za-z0-9_-]") {
        let link = encode(&plan).unwrap();
        let at = 3 + at.index(link.len() - 3);
        let edited = format!("{}{to}{}", &link[..at], &link[at + 1..]);
        prop_assume!(edited != link);
        prop_assert!(decode(&edited).is_err());
    }

    #[test]
    fn no_cut_goes_unnoticed(plan in plans(), at in any::<prop::sample::Index>()) {
        let link = encode(&plan).unwrap();
        let problem = decode(&link[..at.index(link.len())]).unwrap_err();
        prop_assert_eq!(problem.kind, Kind::Format);
    }

    #[test]
    fn whatever_is_opened_is_a_plan_or_a_problem(text in "(#allocate/)?p1\\.[A-Za-z0-9_-]{0,300}") {
        prop_assert!(decode(&text).is_err());
    }

    #[test]
    fn a_table_in_a_plan_is_mapped_as_its_file_was(rates in prop::collection::vec(0.001..1e3_f64, 1..40)) {
        let mut file = String::from("page,ignored,rate per week\n");
        for (row, rate) in rates.iter().enumerate() {
            let _ = writeln!(file, "p{row},x,{rate}");
        }
        // A row with a cell too many is bad, and stays out of the plan.
        file += "p,x,1,2\n";
        let mut reader = Reader::new("pages.csv");
        reader.push(file.as_bytes()).unwrap();
        let mark = reader.fingerprint();
        let table = Arc::new(reader.finish().unwrap());
        let mapping = table.understood().mapping();
        let mapped = Mapper::new(Arc::clone(&table), mapping.clone()).unwrap().finish().drop_bad();
        let words = |value: serde_json::Value| value.as_str().map(str::to_string);
        let meaning = Meaning {
            roles: mapping.roles.iter().map(|role| words(serde_json::to_value(role).unwrap()).unwrap()).collect(),
            units: mapping.units.iter().map(|unit| words(serde_json::to_value(unit).unwrap())).collect(),
            decimal_comma: mapping.decimal_comma,
            header: mapping.header,
        };
        let shared = PlanTable::of(&table, "pages.csv", &mark, &meaning, true, 1 << 20).unwrap();
        prop_assert_eq!(shared.columns.len(), 2);
        let again = Arc::new(shared.table().unwrap());
        let mut narrow = mapping;
        narrow.roles.remove(1);
        narrow.units.remove(1);
        let twice = Mapper::new(again, narrow).unwrap().finish();
        prop_assert_eq!(twice.rate, mapped.rate);
        prop_assert_eq!(twice.ids, mapped.ids);

        let known = PlanTable::of(&table, "pages.csv", &mark, &meaning, true, 8).unwrap();
        prop_assert_eq!((known.has_cells(), known.columns.len(), known.fingerprint), (false, 3, Some(mark)));
    }
}

#[test]
fn a_set_too_large_for_a_link_is_refused_with_its_length() {
    let cells = (0..4_000).map(|n| Cell(format!("{}", (f64::from(n) * 0.754_877_666).fract()))).collect();
    let columns = vec![PlanColumn { name: "rate".into(), role: "rate".into(), unit: None, cells: Some(cells) }];
    let table = PlanTable { name: "large.csv".into(), rows: 4_000, columns, ..PlanTable::default() };
    let plan = Plan { lab: "allocate".into(), data: PlanData::Table(table), knobs: [].into(), beside: vec![] };
    let problem = encode(&plan).unwrap_err();
    assert_eq!(problem.kind, Kind::Size);
    assert!(problem.message.contains(&LONGEST_LINK.to_string()), "{}", problem.message);
}

/// Links that this version or one before it has made, with what they mean.
#[derive(serde::Deserialize)]
struct Literal {
    about: String,
    link: String,
    plan: Plan,
}

#[test]
fn links_mean_for_ever_what_they_meant_when_they_were_made() {
    let literal: Vec<Literal> = serde_json::from_str(include_str!("../links.json")).unwrap();
    assert!(literal.len() >= 7);
    for Literal { about, link, plan } in literal {
        assert_eq!(decode(&link).unwrap(), plan, "{about}");
    }
}
