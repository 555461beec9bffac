//! A column of cells in as few bytes as a link can afford. What all cells start and end with is written once; the rest in
//! whichever of a few ways deflates to the fewest bytes: as text, as decimal numbers (digits and where the point stands, or
//! how each differs from the one before), or as the bytes of 64-bit floats, those of one significance together.

use super::bytes::{Reader, Writer, altered};
use super::link::deflate;
use super::{Cell, MOST_CELLS};
use crate::problem::{Kind, Problem, Result};

const TEXT: u8 = 0;
const DECIMALS: u8 = 1;
const STEPS: u8 = 2;
const FLOATS: u8 = 3;

/// The most text that the columns of one link may unfold to: what they share is written once, so a short link could
/// otherwise fill the memory.
const MOST_UNFOLDED: usize = 1 << 20;

pub(super) fn write(out: &mut Writer, cells: &[Cell]) {
    let texts: Vec<&str> = cells.iter().map(|cell| cell.0.as_str()).collect();
    let (prefix, suffix) = shared(&texts);
    let inner: Vec<&str> = texts.iter().map(|text| &text[prefix.len()..text.len() - suffix.len()]).collect();
    let mut ways = vec![(TEXT, as_text(&inner))];
    if let Some(decimals) = inner.iter().map(|text| decimal(text)).collect::<Option<Vec<_>>>() {
        ways.push((DECIMALS, as_decimals(&decimals, false)));
        ways.push((STEPS, as_decimals(&decimals, true)));
    }
    if prefix.is_empty()
        && suffix.is_empty()
        && let Some(numbers) = cells.iter().map(Cell::number).collect::<Option<Vec<f64>>>()
    {
        ways.push((FLOATS, as_floats(&numbers)));
    }
    out.text(prefix);
    out.text(suffix);
    if let Some((way, bytes)) = ways.into_iter().min_by_key(|(_, bytes)| deflate(bytes).len()) {
        out.byte(way);
        out.0.extend_from_slice(&bytes);
    }
}

/// Reads a column of so many rows; `unfolded` adds up the text of all columns.
pub(super) fn read(input: &mut Reader<'_>, rows: usize, unfolded: &mut usize) -> Result<Vec<Cell>> {
    let (prefix, suffix) = (input.text()?, input.text()?);
    let mut cells = Vec::with_capacity(rows.min(MOST_CELLS));
    let mut keep = |inner: &str| {
        *unfolded = unfolded.saturating_add(prefix.len() + inner.len() + suffix.len()).saturating_add(1);
        if *unfolded > MOST_UNFOLDED {
            return Err(Problem::new(
                Kind::Size,
                format!("the link unfolds to more than {} MiB", MOST_UNFOLDED >> 20),
                "No link that Afresh makes does that: start from an example.",
            ));
        }
        cells.push(Cell([prefix, inner, suffix].concat()));
        Ok(())
    };
    match input.byte()? {
        TEXT => {
            let lengths = (0..rows).map(|_| input.count()).collect::<Result<Vec<usize>>>()?;
            for length in lengths {
                keep(std::str::from_utf8(input.take(length)?).map_err(|_| altered())?)?;
            }
        }
        way @ (DECIMALS | STEPS) => {
            let places = match input.byte()? {
                VARIED => input.take(rows)?.to_vec(),
                all => vec![all; rows],
            };
            let mut digits = 0_i64;
            for places in places {
                let step = input.signed()?;
                digits = if way == STEPS { digits.checked_add(step).ok_or_else(altered)? } else { step };
                keep(&written(digits, places)?)?;
            }
        }
        FLOATS => {
            let planes = input.take(rows.checked_mul(8).ok_or_else(altered)?)?;
            for row in 0..rows {
                let bits = (0..8).fold(0, |bits, plane| bits << 8 | u64::from(planes[plane * rows + row]));
                keep(&f64::from_bits(bits).to_string())?;
            }
        }
        _ => return Err(altered()),
    }
    Ok(cells)
}

/// What all texts start with and what all end with, without overlap.
fn shared<'a>(texts: &[&'a str]) -> (&'a str, &'a str) {
    let Some((&first, others)) = texts.split_first() else { return ("", "") };
    if others.is_empty() {
        return ("", "");
    }
    let alike = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum::<usize>()
    };
    let prefix =
        others.iter().fold(first.len(), |so_far, other| so_far.min(alike(&mut first.chars(), &mut other.chars())));
    // A number keeps its digits together: 10.5 and 10.7 share no prefix worth the name.
    let prefix = if first[..prefix].ends_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-') {
        first[..prefix].trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-').len()
    } else {
        prefix
    };
    let rest = |text: &'a str| &text[prefix..];
    let suffix = others.iter().fold(first.len() - prefix, |so_far, other| {
        so_far.min(alike(&mut rest(first).chars().rev(), &mut rest(other).chars().rev()))
    });
    let suffix = &first[first.len() - suffix..];
    (&first[..prefix], suffix.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-'))
}

fn as_text(inner: &[&str]) -> Vec<u8> {
    let mut out = Writer::default();
    for text in inner {
        out.whole(text.len() as u64);
    }
    for text in inner {
        out.0.extend_from_slice(text.as_bytes());
    }
    out.0
}

/// Says that each cell has its own number of decimal places.
const VARIED: u8 = 0xff;

/// The digits of a plain decimal number as a whole number, and how many of them stand after the point; none for what is
/// not written in just that way.
pub(super) fn decimal(text: &str) -> Option<(i64, u8)> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = match unsigned.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (unsigned, ""),
    };
    let plain = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || (whole.len() > 1 && whole.starts_with('0')) || whole.len() + part.len() > 18 {
        return None;
    }
    if !plain(whole) || !plain(part) {
        return None;
    }
    let digits: i64 = [whole, part].concat().parse().ok()?;
    let negative = unsigned.len() != text.len();
    // "-0" would come back as "0".
    (!negative || digits != 0).then_some((if negative { -digits } else { digits }, u8::try_from(part.len()).ok()?))
}

/// The text that [`decimal`] took apart.
pub(super) fn written(digits: i64, places: u8) -> Result<String> {
    let places = usize::from(places);
    if places > 18 {
        return Err(altered());
    }
    let sign = if digits < 0 { "-" } else { "" };
    let all = format!("{:0width$}", digits.unsigned_abs(), width = places + 1);
    let (whole, part) = all.split_at(all.len() - places);
    Ok(if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") })
}

fn as_decimals(decimals: &[(i64, u8)], steps: bool) -> Vec<u8> {
    let mut out = Writer::default();
    match decimals.split_first() {
        Some(((_, places), others)) if others.iter().all(|(_, other)| other == places) => out.byte(*places),
        _ => {
            out.byte(VARIED);
            out.0.extend(decimals.iter().map(|(_, places)| places));
        }
    }
    let mut before = 0;
    for (digits, _) in decimals {
        // At most 18 digits on either side of zero: the difference fits.
        out.signed(if steps { digits - before } else { *digits });
        before = *digits;
    }
    out.0
}

fn as_floats(numbers: &[f64]) -> Vec<u8> {
    (0..8).flat_map(|plane| numbers.iter().map(move |number| number.to_be_bytes()[plane])).collect()
}
