//! Guesses what a table holds: header or not, decimal comma or not, and what each column is, always with a reason.

use super::host;
use super::instant::instant;
use super::mapping::Role;
use super::number::is_missing;
use super::pace::{Pace, Unit, pace};
use super::table::Table;
use super::understood::{ColumnSummary, Format, Understood};
use super::words::{Named, named};
use hashbrown::HashSet;

/// The most rows, and the most cells, that a guess looks at.
const SAMPLED_ROWS: usize = 2_000;
const SAMPLED_CELLS: usize = 200_000;
/// A column is of a kind when so many of its cells are.
const MOST: f64 = 0.5;
const NEARLY_ALL: f64 = 0.8;

/// What the sample of a column is made of, as shares of its cells that are not empty.
#[derive(Debug, Default)]
struct Kinds {
    number: f64,
    whole: f64,
    /// "every 3 weeks": a pace that is no bare number.
    pace: f64,
    date: f64,
    url: f64,
    empty: f64,
    distinct: usize,
    filled: usize,
    samples: Vec<String>,
}

/// Fills in everything of `base` that follows from the cells. `header` is what a person says, if they do.
pub(super) fn understand(table: &Table, mut base: Understood, header: Option<bool>) -> Understood {
    base.notes.clone_from(&table.file_notes);
    let comma = decimal_comma(table, &mut base);
    base.decimal_comma = comma;
    base.header = if table.keys.is_some() { true } else { header.unwrap_or_else(|| has_header(table, comma)) };
    let first = usize::from(table.has_header_row(base.header));
    base.rows = table.cells.records.saturating_sub(first);
    if table.keys.is_none() && !base.header {
        base.notes.push("The first row was taken as data, so the columns have no names.".into());
    }
    let names = table.names(base.header);
    let rows = sample(table, first);
    let kinds: Vec<Kinds> = (0..names.len()).map(|column| kinds(table, column, &rows, comma)).collect();
    let roles = roles(&names, &kinds, base.header);
    base.columns = names
        .into_iter()
        .zip(kinds)
        .zip(roles)
        .map(|((name, kinds), guess)| ColumnSummary {
            name,
            samples: kinds.samples,
            numeric_share: kinds.number,
            empty_share: kinds.empty,
            distinct: kinds.distinct,
            role: guess.role,
            unit: guess.unit.or(guess.role.has_unit().then_some(Unit::Days)),
            reason: guess.reason,
        })
        .collect();
    base
}

/// Records to look at: the first ones, and others evenly spread.
fn sample(table: &Table, first: usize) -> Vec<usize> {
    let records = table.cells.records;
    let most = SAMPLED_ROWS.min(SAMPLED_CELLS / table.columns().max(1)).max(10);
    if records - first.min(records) <= most {
        return (first..records).collect();
    }
    let near = most / 4;
    let far = most - near;
    let rest = records - first - near;
    (first..first + near).chain((0..far).map(|step| first + near + step * (rest / far))).collect()
}

fn text(table: &Table, record: usize, column: usize) -> &str {
    std::str::from_utf8(table.record(record, column)).unwrap_or("\u{fffd}")
}

fn kinds(table: &Table, column: usize, rows: &[usize], comma: bool) -> Kinds {
    let mut kinds = Kinds::default();
    let mut distinct = HashSet::new();
    let (mut numbers, mut wholes, mut paces, mut dates, mut urls) = (0, 0, 0, 0, 0);
    for &record in rows {
        let cell = text(table, record, column);
        if is_missing(cell) {
            continue;
        }
        kinds.filled += 1;
        if distinct.insert(cell) && kinds.samples.len() < 3 {
            kinds.samples.push(cell.chars().take(40).collect());
        }
        match pace(cell, comma) {
            Ok(Pace::Bare(value)) => {
                numbers += 1;
                wholes += usize::from(value.fract() == 0.0);
            }
            Ok(Pace::PerDay(_)) => paces += 1,
            Err(_) => {}
        }
        dates += usize::from(instant(cell).is_ok());
        urls += usize::from(has_scheme(cell) && host::host(cell).is_ok());
    }
    let share = |part: usize| part as f64 / kinds.filled.max(1) as f64;
    kinds.distinct = distinct.len();
    (kinds.number, kinds.whole, kinds.pace) = (share(numbers), share(wholes), share(paces));
    (kinds.date, kinds.url) = (share(dates), share(urls));
    kinds.empty = 1.0 - kinds.filled as f64 / rows.len().max(1) as f64;
    kinds
}

/// Whether a cell looks like an address. Thousands of short cells are looked at, too short for a search to be prepared.
fn has_scheme(cell: &str) -> bool {
    cell.as_bytes().windows(3).any(|part| part == b"://")
}

/// Whether a cell is a value rather than a name.
fn is_value(cell: &str, comma: bool) -> bool {
    (pace(cell, comma).is_ok() && named(cell).is_none()) || instant(cell).is_ok() || has_scheme(cell)
}

/// A first row of names only, above rows that hold values; or with a name that is known.
fn has_header(table: &Table, comma: bool) -> bool {
    let cells: Vec<&str> = (0..table.columns()).map(|column| text(table, 0, column)).collect();
    if cells.iter().any(|cell| !cell.is_empty() && is_value(cell, comma)) {
        return false;
    }
    // Rows of text alone tell nothing: a first row without a repeated or empty cell then passes for names.
    let below =
        |column: usize| (1..table.cells.records.min(50)).any(|record| is_value(text(table, record, column), comma));
    let distinct: HashSet<&&str> = cells.iter().collect();
    cells.iter().any(|cell| named(cell).is_some())
        || (0..cells.len()).any(below)
        || (distinct.len() == cells.len() && !cells.contains(&""))
}

/// Counts cells that can only have a decimal comma against those that can only have a decimal point.
fn decimal_comma(table: &Table, base: &mut Understood) -> bool {
    let (mut commas, mut points, mut unclear) = (0, 0, 0);
    for record in sample(table, 0) {
        for column in 0..table.columns() {
            let cell = text(table, record, column);
            let start =
                cell.trim_start_matches(|c: char| matches!(c, '-' | '+' | '$' | '€' | '£') || c.is_whitespace());
            let number =
                &start[..start.find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.'))).unwrap_or(start.len())];
            let Some(sign) = number.rfind([',', '.']) else { continue };
            let (whole, part) = (&number[..sign], &number[sign + 1..]);
            let decimal = !whole.is_empty()
                && !part.is_empty()
                && (part.len() != 3 || whole == "0" || whole.contains(['.', ',']));
            let is_comma = number.as_bytes()[sign] == b',';
            match (
                decimal && whole.matches([',', '.']).all(|mark| mark.as_bytes()[0] != number.as_bytes()[sign]),
                is_comma,
            ) {
                (true, true) => commas += 1,
                (true, false) => points += 1,
                (false, true) => unclear += 1,
                (false, false) => {}
            }
        }
    }
    if base.format != Format::Csv && points >= commas {
        return false;
    }
    if commas > points {
        base.notes.push("Numbers are written with a decimal comma.".into());
        return true;
    }
    if commas == 0 && points == 0 && unclear > 0 && base.delimiter == Some(';') {
        base.notes.push(
            "Commas in numbers were taken as decimal commas, as is usual where semicolons stand between cells.".into(),
        );
        return true;
    }
    false
}

struct Guess {
    role: Role,
    unit: Option<Unit>,
    strength: u8,
    reason: String,
}

impl Guess {
    fn ignored(reason: impl Into<String>) -> Self {
        Self { role: Role::Ignore, unit: None, strength: 0, reason: reason.into() }
    }
}

fn roles(names: &[String], kinds: &[Kinds], header: bool) -> Vec<Guess> {
    let mut guesses: Vec<Guess> =
        names.iter().zip(kinds).map(|(name, kinds)| by_name_and_cells(name, kinds, header)).collect();
    keep_one_of_each(&mut guesses, names);
    let find = |guesses: &[Guess], role: Role| guesses.iter().position(|guess| guess.role == role);
    if let (Some(rate), Some(interval)) = (find(&guesses, Role::Rate), find(&guesses, Role::Interval)) {
        let other = &names[rate];
        guesses[interval] = Guess::ignored(format!("the rate is taken from {other:?}"));
    }
    for (one, other) in [(Role::Alpha, Role::Beta), (Role::Beta, Role::Alpha)] {
        if let (Some(column), None) = (find(&guesses, one), find(&guesses, other)) {
            guesses[column] = Guess::ignored(format!("{} without {}", one.word(), other.word()));
        }
    }
    if find(&guesses, Role::Id).is_none() && find(&guesses, Role::Url).is_none() {
        guess_id(&mut guesses, kinds);
    }
    if [Role::Rate, Role::Interval, Role::Alpha].iter().all(|role| find(&guesses, *role).is_none()) {
        guess_rate(&mut guesses, kinds, header);
    }
    guesses
}

fn by_name_and_cells(name: &str, kinds: &Kinds, header: bool) -> Guess {
    let numeric = kinds.number >= MOST || kinds.filled == 0;
    let paced = numeric || kinds.number + kinds.pace >= MOST;
    if let Some(Named { role, strength, unit }) = named(name).filter(|_| header) {
        let fits = match role {
            Role::Rate | Role::Interval | Role::Min | Role::Max => paced,
            Role::Weight | Role::Cost | Role::Count | Role::Shape | Role::Alpha | Role::Beta => {
                numeric || looks_like_amounts(kinds)
            }
            Role::LastSync => kinds.date >= MOST || kinds.filled == 0,
            Role::Url => kinds.url >= MOST || kinds.number < MOST,
            _ => true,
        };
        if role == Role::Id && kinds.url >= NEARLY_ALL {
            return Guess { role: Role::Url, unit: None, strength, reason: "its cells are addresses".into() };
        }
        if fits {
            return Guess { role, unit, strength, reason: format!("named {name:?}") };
        }
        return Guess::ignored(format!("named {name:?}, but its cells do not look like a {}", role.word()));
    }
    if kinds.url >= NEARLY_ALL {
        return Guess { role: Role::Url, unit: None, strength: 1, reason: "its cells are addresses".into() };
    }
    if kinds.pace >= MOST {
        let example = kinds.samples.first().map_or("", String::as_str);
        return Guess {
            role: Role::Interval,
            unit: None,
            strength: 1,
            reason: format!("its cells say how often, such as {example:?}"),
        };
    }
    Guess::ignored("nothing says what it is")
}

fn looks_like_amounts(kinds: &Kinds) -> bool {
    kinds
        .samples
        .iter()
        .any(|sample| sample.contains(['%', '$', '€', '£', '¥']) && sample.contains(|c: char| c.is_ascii_digit()))
}

/// Of several columns with one role, the surest, and then the first, keeps it.
fn keep_one_of_each(guesses: &mut [Guess], names: &[String]) {
    for column in 0..guesses.len() {
        let role = guesses[column].role;
        let better = |other: usize| {
            let (this, that) = (guesses[column].strength, guesses[other].strength);
            guesses[other].role == role && (that > this || (that == this && other < column))
        };
        if role != Role::Ignore
            && let Some(other) = (0..guesses.len()).find(|other| better(*other))
        {
            guesses[column] = Guess::ignored(format!("{:?} is taken as the {}", names[other], role.word()));
        }
    }
}

/// The first column of text whose values differ, or of different whole numbers when another column has numbers too.
fn guess_id(guesses: &mut [Guess], kinds: &[Kinds]) {
    let free = |column: &usize| guesses[*column].role == Role::Ignore && kinds[*column].filled > 0;
    let differ = |column: &usize| kinds[*column].distinct * 10 >= kinds[*column].filled * 9;
    let columns = 0..guesses.len();
    let worded =
        columns.clone().filter(free).filter(differ).find(|column| kinds[*column].number + kinds[*column].date < MOST);
    let numbered = || {
        let others = kinds.iter().filter(|kinds| kinds.number >= MOST).count() > 1;
        columns.clone().find(|column| {
            free(column) && others && kinds[*column].whole >= 1.0 && kinds[*column].distinct == kinds[*column].filled
        })
    };
    if let Some(column) = worded {
        guesses[column] =
            Guess { role: Role::Id, unit: None, strength: 1, reason: "the first column of different texts".into() };
    } else if let Some(column) = numbered().filter(|column| *column == 0) {
        guesses[column] = Guess {
            role: Role::Id,
            unit: None,
            strength: 1,
            reason: "the first column, of different whole numbers".into(),
        };
    }
}

/// The only column of numbers; without names, the first.
fn guess_rate(guesses: &mut [Guess], kinds: &[Kinds], header: bool) {
    let numeric = |column: &usize| guesses[*column].role == Role::Ignore && kinds[*column].number >= NEARLY_ALL;
    let columns: Vec<usize> = (0..guesses.len()).filter(numeric).collect();
    let reason = match columns.len() {
        1 => "the only column of numbers that is left",
        2.. if !header => "the first column of numbers",
        _ => return,
    };
    guesses[columns[0]] = Guess { role: Role::Rate, unit: None, strength: 1, reason: reason.into() };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::Reader;

    fn read(file: &str) -> Table {
        let mut reader = Reader::new("");
        reader.push(file.as_bytes()).unwrap();
        reader.end();
        reader.finish().unwrap()
    }

    fn guessed(file: &str) -> Vec<(Role, Option<Unit>)> {
        read(file).understood().columns.iter().map(|column| (column.role, column.unit)).collect()
    }

    #[test]
    fn roles_are_guessed_from_names_and_cells() {
        assert_eq!(guessed("a,0.5\nb,0.25\n"), [(Role::Id, None), (Role::Rate, Some(Unit::Days))]);
        assert_eq!(guessed("1,0.5\n2,0.25\n"), [(Role::Id, None), (Role::Rate, Some(Unit::Days))]);
        assert_eq!(guessed("x\n0.5\n0.25\n"), [(Role::Rate, Some(Unit::Days))]);
        assert_eq!(
            guessed("page,how often\nhttps://a.example/x,every 3 weeks\nhttps://b.example/,daily\n"),
            [(Role::Url, None), (Role::Interval, Some(Unit::Days))]
        );
        assert_eq!(
            guessed("rate,interval_hours,weight\n1,24,x\n2,12,y\n")[..2],
            [(Role::Rate, Some(Unit::Days)), (Role::Ignore, None)]
        );
        assert_eq!(guessed("a,b,c\nx,1,2\ny,2,3\n")[1..], [(Role::Ignore, None), (Role::Ignore, None)]);
    }

    #[test]
    fn headers_are_told_from_data() {
        for (file, header) in [
            ("id,rate\na,1\n", true),
            ("a,1\nb,2\n", false),
            ("https://a.example,1\n", false),
            ("page,when\na,daily\n", true),
            ("min,max,rate\n1,2,3\n", true),
            ("never,weekly\n", false),
        ] {
            assert_eq!(read(file).understood().header, header, "{file}");
        }
        let table = read("id,rate\na,1\n");
        let other = table.understood_with(false);
        assert_eq!((other.rows, other.columns[1].name.as_str()), (2, "column 2"));
    }

    #[test]
    fn decimal_commas_are_found_and_said() {
        let comma = |file: &str| read(file).understood().decimal_comma;
        assert!(comma("id;rate\na;1,5\nb;0,25\n"));
        assert!(comma("id;rate\na;1,234\nb;2,345\n"));
        assert!(comma("id,rate\na,\"1,5\"\nb,\"1.234,5\"\n"));
        assert!(!comma("id;rate\na;1.5\nb;0.25\n"));
        assert!(!comma("id,rate\na,\"1,234.5\"\nb,\"2,345\"\n"));
        assert!(!comma("id;date;rate\na;2026-01-02;1\n"));
    }
}
