//! A crontab: a line for each item, at the pace nearest to its own that cron can keep.
//!
//! Cron knows minutes, hours, days and months, so a pace is rounded to the nearest rung of a ladder, by ratio, and the line
//! before says by how much. Items of a rung are spread over its period by the multiples of the golden ratio, which leave
//! no gap and no crowd however many they are.

use std::fmt::Write as _;

use super::to_do::MONTHS;
use super::{breaks_a_line, one_line, shortened};
use crate::ingest::Ids;
use crate::numeric::said::{MONTH, figure, span};
use crate::numeric::sort;
use crate::problem::{Kind, Problem, Result};
use crate::view::dataset::About;

/// The most lines: no cron takes more.
const MOST_LINES: usize = 10_000;
/// From here on some versions of cron refuse a table.
const MANY_LINES: usize = 1_000;
/// The longest command, in octets, that every cron takes.
const LONGEST: usize = 998;
/// Fails, and runs nothing, where the variable is not set: a name must never be taken for a command.
const COMMAND: &str = "\"${AFRESH_VISIT:?}\"";
const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/// A pace that cron can keep.
#[derive(Clone, Copy)]
enum Pace {
    /// Every so many minutes, a divisor of 60.
    Minutes(u32),
    /// Every so many hours, a divisor of 24.
    Hours(u32),
    /// So many times a week.
    Weekly(u32),
    /// So many times a month.
    Monthly(u32),
    /// Every so many months, a divisor of 12.
    Months(u32),
}

use Pace::{Hours, Minutes, Monthly, Months, Weekly};

const LADDER: [Pace; 29] = [
    Minutes(1),
    Minutes(2),
    Minutes(3),
    Minutes(4),
    Minutes(5),
    Minutes(6),
    Minutes(10),
    Minutes(12),
    Minutes(15),
    Minutes(20),
    Minutes(30),
    Hours(1),
    Hours(2),
    Hours(3),
    Hours(4),
    Hours(6),
    Hours(8),
    Hours(12),
    Hours(24),
    Weekly(4),
    Weekly(3),
    Weekly(2),
    Weekly(1),
    Monthly(2),
    Monthly(1),
    Months(2),
    Months(3),
    Months(6),
    Months(12),
];
/// How far beyond either end of the ladder a pace is still rounded to it: one more rung would stand twice as far.
const BEYOND: f64 = std::f64::consts::SQRT_2;

impl Pace {
    /// Its mean interval in days.
    fn every(self) -> f64 {
        match self {
            Minutes(n) => f64::from(n) / 1_440.0,
            Hours(n) => f64::from(n) / 24.0,
            Weekly(n) => 7.0 / f64::from(n),
            Monthly(n) => MONTH / f64::from(n),
            Months(n) => MONTH * f64::from(n),
        }
    }

    /// When it comes, as cron's five fields and in words, `phase` (from 0 to 1) of a period after its first time.
    fn at(self, phase: f64) -> (String, String) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the minutes of a year")]
        let minutes_of = |period: u32| (phase * f64::from(period)) as u32;
        let clock = |minutes: u32| (minutes % 60, minutes / 60 % 24, minutes / 1_440);
        match self {
            Minutes(n) => (format!("{} * * * *", stepped(minutes_of(n), n, 59)), String::new()),
            Hours(24) => {
                let (minute, hour, _) = clock(minutes_of(1_440));
                (format!("{minute} {hour} * * *"), format!("at {hour:02}:{minute:02}, "))
            }
            Hours(n) => {
                let (minute, hour, _) = clock(minutes_of(n * 60));
                (format!("{minute} {} * * *", stepped(hour, n, 23)), String::new())
            }
            Weekly(n) => {
                let (minute, hour, day) = clock(minutes_of(7 * 1_440));
                // As even as whole days allow: gaps of 3 and 4, or of 2 and 3, or of 1 and 2.
                let mut days: Vec<u32> = (0..n).map(|k| (day + k * 7 / n) % 7).collect();
                sort::numbers(&mut days);
                let names: Vec<&str> = days.iter().map(|&day| WEEKDAYS[day as usize]).collect();
                let numbers: Vec<String> = days.iter().map(u32::to_string).collect();
                (format!("{minute} {hour} * * {}", numbers.join(",")), format!("{}, ", listed(&names)))
            }
            // Every month has 28 days.
            Monthly(2) => {
                let (minute, hour, day) = clock(minutes_of(14 * 1_440));
                let (first, second) = (day + 1, day + 15);
                (format!("{minute} {hour} {first},{second} * *"), format!("days {first} and {second}, "))
            }
            Monthly(n) | Months(n) => {
                let (minute, hour, day) = clock(minutes_of(28 * n * 1_440));
                let (day, month) = (day % 28 + 1, day / 28 + 1);
                let words =
                    if n == 12 { format!("{day} {}, ", MONTHS[month as usize - 1]) } else { format!("day {day}, ") };
                (format!("{minute} {hour} {day} {} *", stepped(month, n, 12)), words)
            }
        }
    }
}

/// A field that matches `first` and every `step` after it, up to `last`.
fn stepped(first: u32, step: u32, last: u32) -> String {
    if step == 1 {
        "*".into()
    } else if first + step > last {
        first.to_string()
    } else {
        format!("{first}-{last}/{step}")
    }
}

/// "Mon", "Mon and Thu", "Mon, Wed and Fri"
fn listed(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// By how much a pace was rounded: "9 % less often".
fn rounding(wished: f64, kept: f64) -> String {
    let (percent, how) = match kept / wished {
        ratio if ratio < 1.0 => ((1.0 - ratio) * 100.0, "less"),
        ratio => ((ratio - 1.0) * 100.0, "more"),
    };
    if percent < 0.5 { "as wished".into() } else { format!("{percent:.0} % {how} often") }
}

/// A name as one word of a shell command in a crontab; `None` where cron has no way to carry it.
fn word(name: &str) -> Option<String> {
    let mut out = String::from("'");
    for c in name.chars() {
        match c {
            c if breaks_a_line(c) => return None,
            '\'' => out.push_str("'\\''"),
            // To cron a bare % ends the command.
            '%' => out.push_str("\\%"),
            // Some crons take a backslash off a pair, so none is left beside another or beside a %.
            '\\' => out.push_str("\\''"),
            c => out.push(c),
        }
    }
    out.push('\'');
    (COMMAND.len() + 1 + out.len() <= LONGEST).then_some(out)
}

pub(super) fn crontab(about: &About, ids: &Ids, frequency: &[f64]) -> Result<String> {
    let visited = frequency.iter().filter(|&&f| f > 0.0).count();
    if visited > MOST_LINES {
        return Err(Problem::new(
            Kind::Size,
            format!(
                "{visited} {} are visited, but a crontab takes {MOST_LINES} lines at most",
                one_line(&about.plural)
            ),
            "Take the timetable as CSV or JSON, or plan for fewer items.",
        ));
    }
    let mut lines = String::new();
    let mut taken = [0_u32; LADDER.len()];
    let (mut kept, mut scheduled) = (0.0, 0_usize);
    for (item, &wished) in frequency.iter().enumerate().filter(|&(_, &f)| f > 0.0) {
        let name = ids.get(item);
        let _ = write!(lines, "# {}: every {}", shortened(&one_line(&name)), span(1.0 / wished));
        let left_out = if wished * LADDER[0].every() > BEYOND {
            Some("too often for cron")
        } else if wished * LADDER[LADDER.len() - 1].every() < 1.0 / BEYOND {
            Some("too rarely for cron")
        } else {
            None
        };
        let word = word(&name);
        let (None, Some(word)) = (left_out, word) else {
            let _ = writeln!(lines, ", left out: {}", left_out.unwrap_or("cron cannot carry this name"));
            continue;
        };
        let rung = nearest(wished);
        let pace = LADDER[rung];
        let (when, words) = pace.at(phase(rung, taken[rung]));
        taken[rung] += 1;
        scheduled += 1;
        kept += 1.0 / pace.every();
        let (every, how) = (span(pace.every()), rounding(wished, 1.0 / pace.every()));
        let _ = writeln!(lines, " → {words}every {every} ({how})\n{when} {COMMAND} {word}");
    }
    let all: f64 = frequency.iter().sum();
    Ok(head(about, frequency.len(), visited, scheduled, all, kept) + &lines)
}

/// The rung nearest to a frequency, by ratio.
fn nearest(frequency: f64) -> usize {
    // Where two rungs meet, the one is as much too often as the other is too rare.
    LADDER.windows(2).take_while(|rungs| frequency * frequency * rungs[0].every() * rungs[1].every() < 1.0).count()
}

/// Where in its period the `k`-th item of a rung comes; rungs start apart.
fn phase(rung: usize, k: u32) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    const SILVER: f64 = 0.414_213_562_373_095_1;
    let turn = f64::from(k) * GOLDEN + (rung + 1) as f64 * SILVER;
    turn - libm::floor(turn)
}

fn head(about: &About, rows: usize, visited: usize, scheduled: usize, wished: f64, kept: f64) -> String {
    let (title, plural) = (one_line(&about.title), one_line(&about.plural));
    let mut out = format!(
        "# Visits to {plural} of {title}, made by Afresh.
# A pace is rounded to the nearest that cron can keep; the line before each says by how much.
# Wished: {} visits a day to {visited} {plural}. Here: {} visits a day to {scheduled}.
",
        figure(wished),
        figure(kept)
    );
    if visited < rows {
        let _ = writeln!(out, "# {} of {rows} get no visit.", rows - visited);
    }
    if scheduled > MANY_LINES {
        let _ = writeln!(out, "# Some versions of cron refuse more than {MANY_LINES} lines: keep those that matter.");
    }
    out.push_str(
        "#
# To use it, put your own command below: it is called with a name as its only argument. Then add this file to what
# `crontab -e` shows. Times are those of the machine that runs cron.
AFRESH_VISIT=echo

",
    );
    out
}
