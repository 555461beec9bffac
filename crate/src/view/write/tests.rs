use std::collections::BTreeMap;
use std::process::Command;

use proptest::prelude::*;

use super::{Clock, PlanFormat, TimetableFormat, Visits};
use crate::allocate::{Columns, Policy};
use crate::ingest::Ids;
use crate::problem::Kind;
use crate::timetable::{Request, Timetable, timetable};
use crate::view::dataset::About;
use crate::view::{Dataset, Knobs};

/// Names that try to break out of a line, a field or a quote.
fn hostile() -> Vec<String> {
    let mut names: Vec<String> = [
        "numpy",
        "a,b;c\\d\\n",
        "two\nlines\r\nor three",
        "BEGIN:VEVENT",
        "x\nEND:VEVENT\nBEGIN:VEVENT",
        "it's; rm -rf '",
        "100 % \\% \\\\% \\",
        "$(reboot) `reboot` $HOME \"",
        "naïve 😀 日本語\u{2028}next",
        "# * * * * * root",
        "tab\tand bell\u{7}",
    ]
    .map(String::from)
    .into();
    names.push("é😀".repeat(250));
    names.push("long ".repeat(100));
    names
}

fn about() -> About {
    About { title: "a, set;\nhere".into(), noun: "page".into(), plural: "pages".into(), ..About::default() }
}

/// 2026-11-18T00:00Z, a Wednesday.
const START: f64 = 20_775.0;

fn laid_out(frequency: &[f64], horizon: f64, slot: f64) -> Timetable {
    let request = Request { frequency, horizon, slot: Some(slot), capacity: None, last_sync: None, start: START };
    timetable(&request).expect("a valid request")
}

fn text(format: TimetableFormat, names: &[String], table: &Timetable, horizon: f64, offset: i32) -> String {
    let (about, ids) = (about(), names.iter().cloned().collect::<Ids>());
    let visits = Visits { about: &about, ids: &ids, start: START, horizon, timetable: table };
    visits.text(format, Clock { now: START - 1.0, offset }).expect("small enough")
}

#[test]
fn a_calendar_is_made_of_folded_lines_that_no_name_breaks() {
    let names = hostile();
    let table = laid_out(&vec![1.5; names.len()], 4.0, 0.25);
    let calendar = text(TimetableFormat::Ical, &names, &table, 4.0, 0);
    assert!(calendar.ends_with("\r\n") && !calendar.replace("\r\n", "").contains(['\r', '\n', '\u{7}']));
    assert!(calendar.split("\r\n").all(|line| line.len() <= 75), "no line is longer than 75 octets");
    let unfolded = calendar.replace("\r\n ", "");
    let slots = table.load.iter().filter(|&&load| load > 0).count();
    for line in ["BEGIN:VEVENT", "END:VEVENT"] {
        assert_eq!(unfolded.lines().filter(|&found| found == line).count(), slots, "{line}");
    }
    let mut uids: Vec<&str> = unfolded.lines().filter(|line| line.starts_with("UID:")).collect();
    uids.sort_unstable();
    uids.dedup();
    assert_eq!(uids.len(), slots, "every event has a name of its own");
    assert_eq!(calendar, text(TimetableFormat::Ical, &names, &table, 4.0, 0), "names of events are stable");
}

#[test]
fn an_event_says_what_its_slot_visits_and_when() {
    let names: Vec<String> = ["numpy", "scipy"].map(String::from).into();
    let table = Timetable {
        time: vec![START + 0.25, START + 1.0, START + 1.125, START + 1.25],
        item: vec![0, 1, 0, 1],
        max_lag: 0.0,
        load: vec![1, 0, 3],
        slot: 0.5,
        capacity: 3,
    };
    let calendar = text(TimetableFormat::Ical, &names, &table, 1.375, 0);
    let events: Vec<&str> = calendar.split("BEGIN:VEVENT\r\n").skip(1).collect();
    assert_eq!(events.len(), 2);
    assert!(events[0].contains("DTSTAMP:20261117T000000Z\r\nDTSTART:20261118T000000Z\r\nDURATION:PT43200S\r\n"));
    assert!(events[0].contains("SUMMARY:Visit numpy\r\nDESCRIPTION:2026-11-18T06:00:00Z numpy\r\n"));
    assert!(
        events[1].contains("DTSTART:20261119T000000Z\r\nDURATION:PT32400S\r\n"),
        "the last slot ends with the plan"
    );
    assert!(events[1].contains("SUMMARY:3 visits to 2 pages: scipy\\, numpy\r\n"));
}

#[test]
fn a_calendar_of_too_many_events_is_refused_with_their_number() {
    let names = [String::from("a")];
    let table = laid_out(&[6_000.0], 1.0, 1.0 / 6_000.0);
    let (about, ids) = (about(), names.iter().cloned().collect::<Ids>());
    let visits = Visits { about: &about, ids: &ids, start: START, horizon: 1.0, timetable: &table };
    let problem = visits.text(TimetableFormat::Ical, Clock::default()).expect_err("too many");
    assert_eq!(problem.kind, Kind::Size);
    assert!(problem.message.contains("6000"), "{}", problem.message);
}

#[test]
fn a_to_do_list_has_the_days_of_the_clock_it_is_made_for() {
    let names: Vec<String> = ["numpy", "two\nlines"].map(String::from).into();
    let table = Timetable {
        time: vec![START + 0.125, START + 0.98, START + 3.5],
        item: vec![0, 1, 0],
        max_lag: 0.0,
        load: vec![2, 0, 0, 1, 0],
        slot: 1.0,
        capacity: 2,
    };
    assert_eq!(
        text(TimetableFormat::ToDo, &names, &table, 5.0, 0),
        "Visits to pages of a, set; here, made by Afresh
Times are UTC+00:00

Wednesday 18 November 2026 · 2 visits
[ ] 03:00 numpy
[ ] 23:31 two lines

Thursday 19 November 2026 to Friday 20 November 2026 · no visits

Saturday 21 November 2026 · 1 visit
[ ] 12:00 numpy

Sunday 22 November 2026 · no visits
"
    );
    let east = text(TimetableFormat::ToDo, &names, &table, 5.0, 330);
    assert!(east.contains("UTC+05:30\n\nWednesday 18 November 2026 · 1 visit\n[ ] 08:30 numpy\n"), "{east}");
    assert!(east.contains("\nThursday 19 November 2026 · 1 visit\n[ ] 05:01 two lines\n"), "{east}");
    let west = text(TimetableFormat::ToDo, &names, &table, 5.0, -480);
    assert!(west.contains("UTC−08:00\n\nTuesday 17 November 2026 · 1 visit\n[ ] 19:00 numpy\n"), "{west}");
    let empty = Timetable { time: vec![], item: vec![], load: vec![0], ..table };
    assert!(text(TimetableFormat::ToDo, &names, &empty, 1.0, 0).ends_with("Wednesday 18 November 2026 · no visits\n"));
}

/// The crontab of items visited at these frequencies.
fn crontab(names: &[String], frequency: &[f64]) -> String {
    // Changes at the pace of the wished visits, followed in proportion, with a budget of their sum: the plan is the wish.
    let columns = Columns { rate: frequency.to_vec(), ..Columns::default() };
    let mut set = Dataset::new(about(), names.iter().cloned().collect(), columns, Vec::new(), None).expect("valid");
    let budget = Some(frequency.iter().sum());
    set.plan(&Knobs { policy: Policy::Proportional, budget, ..Knobs::default() }).expect("solvable");
    set.text(PlanFormat::Crontab).expect("small enough")
}

/// The values of a field of a crontab, by the manual: lists of values and ranges, with steps.
fn field(text: &str, low: u32, high: u32) -> Vec<u32> {
    let mut values = Vec::new();
    for part in text.split(',') {
        let (range, step) =
            part.split_once('/').map_or((part, 1), |(range, step)| (range, step.parse().expect("step")));
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (low, high),
            Some((first, last)) => (first.parse().expect("first"), last.parse().expect("last")),
            None => (range.parse().expect("value"), range.parse().expect("value")),
        };
        assert!(low <= first && first <= last && last <= high && step > 0, "{text}");
        values.extend((first..=last).step_by(step));
    }
    values
}

/// How often a line fires from 1 March 2026 (a Sunday) for a year, on each minute of the week and of the day.
fn firings(line: &str) -> u32 {
    let fields: Vec<&str> = line.split(' ').take(5).collect();
    let a_day = field(fields[0], 0, 59).len() * field(fields[1], 0, 23).len();
    let (days, months) = (field(fields[2], 1, 31), field(fields[3], 1, 12));
    let weekdays = field(fields[4], 0, 7);
    assert!(fields[2] == "*" || fields[4] == "*", "with both given cron would fire on either");
    let lengths = [31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 28];
    let mut date = 0;
    let mut matched = 0;
    for (k, &length) in lengths.iter().enumerate() {
        let month = u32::try_from((k + 2) % 12 + 1).expect("a month");
        for day in 1..=length {
            if months.contains(&month) && days.contains(&day) && weekdays.contains(&(date % 7)) {
                matched += 1;
            }
            date += 1;
        }
    }
    matched * u32::try_from(a_day).expect("at most 1440")
}

/// "9 % less often" as the ratio of kept to wished; `None` for "as wished".
fn claimed(comment: &str) -> Option<f64> {
    let (_, claim) = comment.rsplit_once(" (").expect("a claim");
    let (percent, how) = claim.strip_suffix(" often)")?.split_once(" % ").expect("percent");
    let part = percent.parse::<f64>().expect("a number") / 100.0;
    Some(if how == "less" { 1.0 - part } else { 1.0 + part })
}

/// Lines with the comment before each.
fn lines(crontab: &str) -> Vec<(&str, &str)> {
    let all: Vec<&str> = crontab.lines().collect();
    all.windows(2).filter(|pair| pair[1].contains("${AFRESH_VISIT:?}")).map(|pair| (pair[0], pair[1])).collect()
}

proptest! {
    #[test]
    fn a_crontab_fires_as_often_as_it_claims(
        exponents in prop::collection::vec(-2.7..3.3_f64, 1..30)
    ) {
        let frequency: Vec<f64> = exponents.iter().map(|&e| libm::pow(10.0, e)).collect();
        let names: Vec<String> = (0..frequency.len()).map(|k| format!("item {k}")).collect();
        let crontab = crontab(&names, &frequency);
        let lines = lines(&crontab);
        let within = |f: f64| (1.0 / 365.2425 / 1.41..1440.0 * 1.41).contains(&f);
        prop_assert_eq!(lines.len(), frequency.iter().filter(|&&f| within(f)).count());
        // A year has 53 of one weekday, and a claim is rounded to a whole percent.
        for (comment, line) in lines {
            let name = line.rsplit_once('\'').and_then(|(rest, _)| rest.rsplit_once('\'')).expect("quoted").1;
            let wished = frequency[names.iter().position(|n| n == name).expect("known")];
            let ratio = f64::from(firings(line)) / 365.0 / wished;
            prop_assert!((0.67..1.49).contains(&ratio), "{}\n{}: {}", comment, line, ratio);
            prop_assert!((claimed(comment).unwrap_or(1.0) / ratio - 1.0).abs() < 0.025, "{}\n{}: {}", comment, line, ratio);
        }
    }
}

#[test]
fn a_pace_is_rounded_to_the_nearest_that_cron_can_keep() {
    let every = [5.0 / 1440.0, 0.25, 1.0, 3.2, 7.0, 15.0, 31.0, 190.0, 400.0, 0.0003, 900.0];
    let names: Vec<String> = (0..every.len()).map(|k| format!("p{k}")).collect();
    let crontab = crontab(&names, &every.map(|days| 1.0 / days));
    let comments: Vec<&str> =
        crontab.lines().filter(|line| line.starts_with("# p") && line.contains(": every")).collect();
    let expected = [
        (" every 5 minutes →", "every 5 minutes (as wished)"),
        (" every 6 hours →", "every 6 hours (as wished)"),
        (" every day →", "every day (as wished)"),
        (" every 3.2 days →", "every 3.5 days (9 % less often)"),
        (" every 7 days →", "every 7 days (as wished)"),
        (" every 15 days →", "every 15 days (1 % less often)"),
        (" every 31 days →", "every 30 days (2 % more often)"),
        (" every 6.2 months →", "every 6 months (4 % more often)"),
        (" every 13 months →", "every 12 months (10 % more often)"),
        (" every 26 seconds,", "too often for cron"),
        (" every 2.5 years,", "too rarely for cron"),
    ];
    for (comment, (start, end)) in comments.iter().zip(expected) {
        assert!(comment.contains(start) && comment.ends_with(end), "{comment}: {start} … {end}");
    }
    assert_eq!(comments.len(), expected.len());
    assert!(crontab.contains("visits a day to 11 pages. Here: "), "{crontab}");
}

#[test]
fn the_load_of_a_crontab_is_even() {
    for (every, most) in [(1.0 / 24.0, 18), (1.0, 2), (7.0, 1)] {
        let names: Vec<String> = (0..1_000).map(|k| format!("p{k}")).collect();
        let crontab = crontab(&names, &vec![1.0 / every; 1_000]);
        let mut load: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for (_, line) in lines(&crontab) {
            let fields: Vec<&str> = line.split(' ').collect();
            let first = |k: usize, low, high| field(fields[k], low, high)[0];
            *load.entry(vec![first(0, 0, 59), first(1, 0, 23), first(4, 0, 7)]).or_default() += 1;
        }
        let found = load.values().copied().max().unwrap_or(0);
        assert!(found <= most, "every {every} days: {found} at once");
        if most == 1 {
            let mut days = [0; 7];
            for (when, count) in &load {
                days[when[2] as usize] += count;
            }
            assert!(days.iter().all(|count| (140..=146).contains(count)), "{days:?}");
        }
    }
}

/// What cron hands to the shell: an escaped % is bare, and of a pair of backslashes some versions take one off.
fn as_cron_reads(command: &str, pairs: bool) -> String {
    let mut out = String::new();
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('%')) => out.push(chars.next().unwrap_or(c)),
            ('\\', Some('\\')) if pairs => out.push(chars.next().unwrap_or(c)),
            ('%', _) => panic!("a bare % ends the command: {command}"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(unix)]
#[test]
fn a_hostile_name_stays_one_word_of_one_command() {
    let names = hostile();
    let crontab = crontab(&names, &vec![1.0; names.len()]);
    let lines = lines(&crontab);
    let carried: Vec<&String> =
        names.iter().filter(|name| name.len() < 900 && !name.contains(super::breaks_a_line)).collect();
    assert_eq!(lines.len(), carried.len(), "{crontab}");
    assert_eq!(crontab.matches("cron cannot carry this name").count(), names.len() - carried.len());
    for pairs in [false, true] {
        for (name, (_, line)) in carried.iter().zip(&lines) {
            let (_, command) = line.split_at(line.find('"').expect("a command"));
            let run = |visit: &str| {
                let mut shell = Command::new("sh");
                shell.arg("-c").arg(as_cron_reads(command, pairs)).env("AFRESH_VISIT", visit);
                shell.output().expect("a shell")
            };
            assert_eq!(String::from_utf8_lossy(&run("/bin/echo").stdout), format!("{name}\n"), "{line}");
            assert!(!run("").status.success(), "without a command nothing runs");
        }
    }
    for line in crontab.lines().filter(|line| !line.is_empty()) {
        let known = line.starts_with("# ") || line == "#" || line == "AFRESH_VISIT=echo" || line.contains(" * ");
        assert!(known, "{line}");
    }
}

#[test]
fn a_crontab_of_too_many_lines_is_refused_with_their_number() {
    let columns = Columns { rate: vec![1.0; 10_001], ..Columns::default() };
    let ids = (0..10_001).map(|k| k.to_string()).collect();
    let mut set = Dataset::new(about(), ids, columns, Vec::new(), None).expect("valid");
    set.plan(&Knobs { budget: Some(5_000.0), ..Knobs::default() }).expect("solvable");
    let problem = set.text(PlanFormat::Crontab).expect_err("too many");
    assert_eq!(problem.kind, Kind::Size);
    assert!(problem.message.contains("10001 pages"), "{}", problem.message);
}
