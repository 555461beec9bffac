//! A plan as a link: `p1.` and, in base64url, how long its two forms are, a checksum, and the deflated bytes.
//!
//! A plan with tables beside its data is of format 2, `p2.`: they stand behind the knobs. All others stay in format 1, whose
//! links every version can read.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::decompress;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;

use super::bytes::{Reader, Writer, altered};
use super::knobs::{self, Kind, KnobValue};
use super::{MOST_TABLES, Plan, PlanColumn, PlanData, PlanTable, cells};
use crate::checksum::Crc32;
use crate::numeric::decimal;
use crate::problem::{Kind as ProblemKind, Problem, Result};

/// The newest version of the format; a plan is written in the oldest that can hold it, and all are read for ever.
pub const FORMAT: u32 = 2;
/// The version that holds tables beside the data.
const BESIDE: u32 = 2;
/// The longest link that is made, in characters: chats, mails and course pages still carry it.
pub const LONGEST_LINK: usize = 8_000;
/// The longest that is read.
const LONGEST_READ: usize = 1 << 16;
/// The most bytes that a link may inflate to: its own length says how many, and a longer one is never inflated at all.
const MOST_INFLATED: usize = 1 << 18;

const EXAMPLE: u8 = 0;
const CELLS: u8 = 1;
const FINGERPRINT: u8 = 2;

/// The plan as the text of a link, from `p1.` on.
pub fn encode(plan: &Plan) -> Result<String> {
    let plan = plan.clone().check()?;
    let mut body = Writer::default();
    body.text(&plan.lab);
    match &plan.data {
        PlanData::Example(name) => {
            body.byte(EXAMPLE);
            body.text(name);
        }
        PlanData::Table(table) => write_table(&mut body, table)?,
    }
    write_knobs(&mut body, &plan)?;
    let format = if plan.beside.is_empty() { 1 } else { BESIDE };
    if format == BESIDE {
        body.whole(plan.beside.len() as u64);
        plan.beside.iter().try_for_each(|table| write_table(&mut body, table))?;
    }
    let packed = deflate(&body.0);
    let mut lengths = Writer::default();
    lengths.whole(body.0.len() as u64);
    lengths.whole(packed.len() as u64);
    let mut bytes = lengths.0;
    let check = checksum(&bytes, &packed);
    bytes.extend(check.to_le_bytes());
    bytes.extend(packed);
    let link = format!("p{format}.{}", URL_SAFE_NO_PAD.encode(bytes));
    if link.len() > LONGEST_LINK || body.0.len() > MOST_INFLATED {
        return Err(Problem::new(
            ProblemKind::Size,
            format!("the plan makes a link of {} characters, and the longest has {LONGEST_LINK}", link.len()),
            "Leave the cells out and give the file's fingerprint, or save the plan as a file.",
        ));
    }
    Ok(link)
}

/// The plan that a link carries: from `p1.` on, with the lab and `#` before it, or as a whole address; percent-encoded once
/// too often, or broken over lines.
pub fn decode(text: &str) -> Result<Plan> {
    let text = payload(text)?;
    let (version, payload) = text.split_once('.').ok_or_else(no_link)?;
    let version: u32 = version.strip_prefix('p').and_then(|digits| digits.parse().ok()).ok_or_else(no_link)?;
    if version > FORMAT {
        return Err(Problem::new(
            ProblemKind::Version,
            format!(
                "the link was made by a newer Afresh: it is of format {version}, and this version reads up to {FORMAT}"
            ),
            "Reload the page to get the newest version, then open the link again.",
        ));
    }
    if version == 0 {
        return Err(no_link());
    }
    let bytes = unpack(payload)?;
    let mut body = Reader(&bytes);
    let lab = body.text()?.to_owned();
    let fields = knobs::fields(&lab)?;
    let mut unfolded = 0;
    let data = match body.byte()? {
        EXAMPLE => PlanData::Example(body.text()?.into()),
        kind => PlanData::Table(read_table(&mut body, kind, &mut unfolded)?),
    };
    let knobs = read_knobs(&mut body, fields)?;
    let mut beside = Vec::new();
    if version >= BESIDE {
        let tables = body.count()?;
        // A plan without such tables has but one link, that of the format before.
        if tables == 0 || tables > MOST_TABLES {
            return Err(altered());
        }
        for _ in 0..tables {
            let kind = body.byte()?;
            beside.push(read_table(&mut body, kind, &mut unfolded)?);
        }
    }
    if !body.0.is_empty() {
        return Err(altered());
    }
    Plan { lab, data, knobs, beside }.check()
}

/// The part of an address that carries the plan.
fn payload(text: &str) -> Result<String> {
    if text.len() > LONGEST_READ * 4 {
        return Err(too_long());
    }
    let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect::<String>();
    let mut text = plain(text);
    // A chat or a mail may have encoded the address again, and the next one again.
    for _ in 0..4 {
        match percent_decoded(&text) {
            Some(decoded) => text = plain(&decoded),
            None => break,
        }
    }
    let last = text.rsplit(['/', '#']).next().unwrap_or_default();
    // Marks that a sentence or an address list put behind it.
    let end = last.find(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c))).unwrap_or(last.len());
    let last = last[..end].trim_end_matches('.');
    if last.len() > LONGEST_READ {
        return Err(too_long());
    }
    Ok(last.into())
}

/// The text with each %41 as the character that it stands for; none where there is none.
fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let (mut at, mut found) = (0, false);
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or_default());
                at += 3;
                found = true;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    found.then(|| String::from_utf8_lossy(&out).into_owned())
}

/// Deflated as small as it gets.
pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, 9)
}

fn checksum(lengths: &[u8], packed: &[u8]) -> u32 {
    let mut crc = Crc32::new();
    crc.update(lengths);
    crc.update(packed);
    crc.sum()
}

/// The bytes of a payload, if it is whole and unaltered.
fn unpack(payload: &str) -> Result<Vec<u8>> {
    // A cut may fall where no byte ends: the last character or two then say nothing.
    let whole = payload.len() - usize::from(payload.len() % 4 == 1);
    let cut = |wanted: usize| {
        Problem::new(
            ProblemKind::Format,
            format!("the link is cut off: {} of {wanted} characters arrived", payload.len()),
            "Ask for the link again and copy the whole of it, or start from an example.",
        )
    };
    let bytes = match URL_SAFE_NO_PAD.decode(&payload[..whole]) {
        Ok(bytes) => bytes,
        Err(base64::DecodeError::InvalidLastSymbol { .. }) => {
            let short = whole - whole % 4;
            URL_SAFE_NO_PAD.decode(&payload[..short]).map_err(|_| altered())?
        }
        Err(_) => return Err(altered()),
    };
    let mut input = Reader(&bytes);
    let incomplete = |_| cut(payload.len() + 1);
    let inflated = usize::try_from(input.whole().map_err(incomplete)?).map_err(|_| altered())?;
    let packed = usize::try_from(input.whole().map_err(incomplete)?).map_err(|_| altered())?;
    if packed > LONGEST_READ {
        return Err(altered());
    }
    let lengths = &bytes[..bytes.len() - input.0.len()];
    let wanted = (lengths.len() + 4 + packed) * 4;
    let wanted = wanted.div_ceil(3);
    if payload.len() < wanted {
        return Err(cut(wanted));
    }
    let check = input.take(4)?;
    if payload.len() > wanted || input.0.len() != packed || checksum(lengths, input.0).to_le_bytes() != check {
        return Err(altered());
    }
    if inflated > MOST_INFLATED {
        return Err(Problem::new(
            ProblemKind::Size,
            format!("the link would inflate to {inflated} bytes, and {MOST_INFLATED} is the most"),
            "No link that Afresh makes does that: start from an example.",
        ));
    }
    let mut out = vec![0; inflated];
    let unpacked = decompress(&mut Box::default(), input.0, &mut out, 0, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF);
    if unpacked == (TINFLStatus::Done, packed, inflated) { Ok(out) } else { Err(altered()) }
}

fn no_link() -> Problem {
    Problem::new(
        ProblemKind::Format,
        "this address carries no plan that Afresh knows",
        "A plan starts with p1. or p2. and goes on with letters, digits, - and _: copy the whole link, or start from an example.",
    )
}

fn too_long() -> Problem {
    Problem::new(
        ProblemKind::Size,
        format!("the link has more than {LONGEST_READ} characters"),
        "No link that Afresh makes is that long: copy it again.",
    )
}

fn write_table(body: &mut Writer, table: &PlanTable) -> Result<()> {
    let inside = table.has_cells();
    body.byte(if inside { CELLS } else { FINGERPRINT });
    body.text(&table.name);
    body.byte(u8::from(table.decimal_comma) | u8::from(table.header) << 1 | u8::from(table.drop_bad) << 2);
    body.whole(table.rows as u64);
    if let (false, Some(mark)) = (inside, &table.fingerprint) {
        let mark = u64::from_str_radix(mark, 16).map_err(|_| altered())?;
        body.0.extend(mark.to_be_bytes());
    }
    body.whole(table.columns.len() as u64);
    for column in &table.columns {
        body.text(&column.name);
        body.text(&column.role);
        body.text(column.unit.as_deref().unwrap_or_default());
    }
    for column in table.columns.iter().filter_map(|column| column.cells.as_ref()) {
        cells::write(body, column);
    }
    Ok(())
}

fn read_table(body: &mut Reader<'_>, kind: u8, unfolded: &mut usize) -> Result<PlanTable> {
    let inside = match kind {
        CELLS => true,
        FINGERPRINT => false,
        _ => return Err(altered()),
    };
    let name = body.text()?.into();
    let flags = body.byte()?;
    let rows = usize::try_from(body.whole()?).map_err(|_| altered())?;
    let fingerprint = if inside {
        None
    } else {
        Some(body.take(8)?.iter().fold(String::new(), |mark, byte| mark + &format!("{byte:02x}")))
    };
    // Every cell takes a byte or more.
    if flags > 7 || (inside && rows > MOST_INFLATED) {
        return Err(altered());
    }
    let mut columns = Vec::new();
    for _ in 0..body.count()? {
        let (name, role, unit) = (body.text()?.into(), body.text()?.into(), body.text()?);
        let unit = (!unit.is_empty()).then(|| unit.into());
        columns.push(PlanColumn { name, role, unit, cells: None });
    }
    if inside {
        for column in &mut columns {
            column.cells = Some(cells::read(body, rows, unfolded)?);
        }
    }
    Ok(PlanTable {
        name,
        fingerprint,
        rows,
        decimal_comma: flags & 1 != 0,
        header: flags & 2 != 0,
        drop_bad: flags & 4 != 0,
        columns,
    })
}

/// Says that a number follows as the eight bytes of its float.
const FLOAT: u8 = 0xff;

fn write_knobs(body: &mut Writer, plan: &Plan) -> Result<()> {
    let fields = knobs::fields(&plan.lab)?;
    let set = || {
        fields
            .iter()
            .filter_map(|field| Some((field, plan.knobs.get(field.name)?)))
            .filter(|(field, value)| field.usual().as_ref() != Some(*value))
    };
    body.whole(set().count() as u64);
    for (field, value) in set() {
        body.whole(field.number);
        match (field.kind, value) {
            (Kind::Choice(words), KnobValue::Text(word)) => {
                body.whole(words.iter().position(|known| known == word).unwrap_or_default() as u64);
            }
            (_, KnobValue::Text(text)) => body.text(text),
            (_, KnobValue::Flag(on)) => body.byte(u8::from(*on)),
            (_, KnobValue::Number(number)) => match cells::decimal(&number.to_string()) {
                Some((digits, places)) if digits.unsigned_abs() < 1 << 40 => {
                    body.byte(places);
                    body.signed(digits);
                }
                _ => {
                    body.byte(FLOAT);
                    body.0.extend(number.to_be_bytes());
                }
            },
        }
    }
    Ok(())
}

fn read_knobs(body: &mut Reader<'_>, fields: &'static [knobs::Field]) -> Result<BTreeMap<String, KnobValue>> {
    let mut knobs = BTreeMap::new();
    for _ in 0..body.count()? {
        let number = body.whole()?;
        let Some(field) = fields.iter().find(|field| field.number == number) else {
            return Err(Problem::new(
                ProblemKind::Version,
                format!(
                    "the link was made by a newer Afresh: it sets a knob, number {number}, that this version lacks"
                ),
                "Reload the page to get the newest version, then open the link again.",
            ));
        };
        let value = match field.kind {
            Kind::Choice(words) => {
                let word = words.get(usize::try_from(body.whole()?).unwrap_or(usize::MAX)).ok_or_else(|| {
                    Problem::new(
                        ProblemKind::Version,
                        format!("the link was made by a newer Afresh: it has a {} that this version lacks", field.name),
                        "Reload the page to get the newest version, then open the link again.",
                    )
                })?;
                KnobValue::Text((*word).into())
            }
            Kind::Text => KnobValue::Text(body.text()?.into()),
            Kind::Flag => KnobValue::Flag(body.byte()? != 0),
            Kind::Number { .. } | Kind::Whole { .. } => KnobValue::Number(match body.byte()? {
                FLOAT => body.take(8)?.try_into().map(f64::from_be_bytes).map_err(|_| altered())?,
                places => {
                    let digits = body.signed()?;
                    decimal::nearest(&cells::written(digits, places)?).ok_or_else(altered)?
                }
            }),
        };
        if knobs.insert(field.name.into(), value).is_some() {
            return Err(altered());
        }
    }
    Ok(knobs)
}
