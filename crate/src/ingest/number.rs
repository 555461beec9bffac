//! Numbers as people write them in tables: what is unambiguous is read, the rest is refused with a hint.

use crate::numeric::decimal;

/// Why a cell cannot be read, and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) reason: &'static str,
    pub(super) hint: &'static str,
}

impl Fault {
    pub(super) const fn new(reason: &'static str, hint: &'static str) -> Self {
        Self { reason, hint }
    }
}

const NOT_A_NUMBER: Fault = Fault::new("not a number", "Write a plain number such as 1.5.");
const NOT_FINITE: Fault = Fault::new("not a finite number", "Write a number that is not infinite.");
const NAN: Fault = Fault::new("NaN is not a number", "Write the number, or leave the cell empty where it may be.");
const COMMA: Fault =
    Fault::new("a comma where a decimal point should be", "If commas are decimal signs here, turn on decimal comma.");
const POINT: Fault = Fault::new(
    "a point where the file uses decimal commas",
    "Write a comma, or turn off decimal comma if points are decimal signs here.",
);
const NESTED: Fault = Fault::new("a nested value", "Give a single number instead of an object or array.");

/// Whether a cell says that there is no value.
pub(super) fn is_missing(text: &str) -> bool {
    text.is_empty()
        || (text.len() <= 4
            && !text.as_bytes()[0].is_ascii_digit()
            && ["na", "n/a", "null", "none", "nil", "-", "–", "—"].iter().any(|word| text.eq_ignore_ascii_case(word)))
}

/// A finite number. `comma` says that numbers are written as 1,5 (and thousands as 1.234 or 1 234).
#[inline]
pub(super) fn number(text: &str, comma: bool) -> Result<f64, Fault> {
    if let Some(value) = short(text.as_bytes()).filter(|_| !comma) {
        return Ok(value);
    }
    let plain = |byte: u8| byte.is_ascii_digit() || (byte == b'.' && !comma) || byte == b'-';
    if text.bytes().all(plain)
        && let Some(value) = decimal::nearest(text)
    {
        return finite(value);
    }
    written(text, comma)
}

/// Up to 15 digits with at most one point among them, which is nearly every number in a table: digits and the power of ten are
/// both exact, so that their quotient is the nearest float.
#[inline]
fn short(text: &[u8]) -> Option<f64> {
    const TENS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (mut digits, mut point) = (0_u64, None);
    for (place, &byte) in text.iter().enumerate().take(17) {
        match byte {
            b'0'..=b'9' => digits = digits * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(place),
            _ => return None,
        }
    }
    let written = text.len() - usize::from(point.is_some());
    let decimals = point.map_or(0, |place| text.len() - place - 1);
    (1..=15).contains(&written).then(|| digits as f64 / TENS[decimals])
}

/// The same with the signs that amounts and shares carry: 12 % is 0.12, and currencies are left out if `currency`.
pub(super) fn amount(text: &str, comma: bool, currency: bool) -> Result<f64, Fault> {
    match number(text, comma) {
        Err(NOT_A_NUMBER) => {}
        known => return known,
    }
    if let Some(percent) = text.strip_suffix('%') {
        return Ok(number(percent.trim(), comma)? / 100.0);
    }
    if currency {
        let symbol = |c: char| matches!(c, '$' | '€' | '£' | '¥' | '₹' | '₩' | '₽' | '₺');
        let code =
            |c: &str| ["usd", "eur", "gbp", "chf", "jpy", "cny", "inr"].contains(&c.to_ascii_lowercase().as_str());
        let bare = text.trim_matches(symbol).trim();
        let bare = match (bare.get(..3), bare.len().checked_sub(3).and_then(|place| bare.get(place..))) {
            (Some(start), _) if code(start) => &bare[3..],
            (_, Some(end)) if code(end) => &bare[..bare.len() - 3],
            _ => bare,
        };
        if bare.len() < text.len() {
            return number(bare.trim(), comma);
        }
    }
    Err(NOT_A_NUMBER)
}

fn finite(value: f64) -> Result<f64, Fault> {
    if value.is_finite() { Ok(value) } else { Err(NOT_FINITE) }
}

/// The slow path: exponents, signs, groups of thousands.
fn written(text: &str, comma: bool) -> Result<f64, Fault> {
    let lower = text.trim_start_matches(['+', '-', '−']);
    if lower.eq_ignore_ascii_case("nan") {
        return Err(NAN);
    }
    if ["inf", "infinity", "∞"].iter().any(|word| lower.eq_ignore_ascii_case(word)) {
        return Err(NOT_FINITE);
    }
    if text.starts_with(['{', '[']) {
        return Err(NESTED);
    }
    let (decimal, group) = if comma { (',', '.') } else { ('.', ',') };
    let refuse = || {
        let digits = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+'));
        match () {
            () if digits && !comma && text.contains(',') => COMMA,
            () if digits && comma && text.contains('.') => POINT,
            () => NOT_A_NUMBER,
        }
    };
    // Groups of thousands are three digits each, but for the first, which is shorter and does not start with a zero.
    let mut plain = String::with_capacity(text.len().min(64));
    let (mut whole, mut since_group, mut first_group) = (true, 0, None);
    for c in text.chars().take(64) {
        match c {
            '0'..='9' => {
                since_group += 1;
                plain.push(c);
            }
            '-' | '−' => plain.push('-'),
            '+' => plain.push('+'),
            'e' | 'E' => {
                whole = false;
                plain.push('e');
            }
            c if c == decimal && whole => {
                if first_group.is_some() && since_group != 3 {
                    return Err(refuse());
                }
                whole = false;
                plain.push('.');
            }
            c if whole && (c == group || matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '’')) => {
                let fits = match first_group {
                    None => (1..=3).contains(&since_group) && !plain.trim_start_matches(['-', '+']).starts_with('0'),
                    Some(mark) => mark == c && since_group == 3,
                };
                if !fits {
                    return Err(refuse());
                }
                first_group = Some(c);
                since_group = 0;
            }
            _ => return Err(refuse()),
        }
    }
    if text.len() > 128
        || (whole && first_group.is_some() && since_group != 3)
        || !plain.contains(|c: char| c.is_ascii_digit())
    {
        return Err(refuse());
    }
    // A stray sign or exponent is refused here; "inf" and "nan" cannot come this far.
    decimal::nearest(&plain).ok_or_else(refuse).and_then(finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for (text, value) in [
            ("1.5", 1.5),
            ("0.1", 0.1),
            ("7.", 7.0),
            ("123456789.012345", 123_456_789.012_345),
            ("0.00000000000001", 1e-14),
            ("9007199254740993.0", 9_007_199_254_740_993.0),
            ("-3", -3.0),
            ("−3", -3.0),
            ("+2", 2.0),
            (".5", 0.5),
            ("1e-3", 0.001),
            ("1,234.5", 1234.5),
            ("1,234", 1234.0),
            ("1 234 567", 1_234_567.0),
            ("1'234.5", 1234.5),
            ("1\u{202f}234.5", 1234.5),
        ] {
            assert_eq!(number(text, false), Ok(value), "{text}");
        }
        for (text, value) in
            [("1,5", 1.5), ("1.234,5", 1234.5), ("1 234,5", 1234.5), ("0,033", 0.033), ("7", 7.0), ("1.234", 1234.0)]
        {
            assert_eq!(number(text, true), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_ambiguous_or_broken_is_refused_with_a_hint() {
        assert_eq!(number("1,5", false), Err(COMMA));
        assert_eq!(number("0,033", false), Err(COMMA));
        assert_eq!(number("1.5", true), Err(POINT));
        assert_eq!(number("0.033", true), Err(POINT));
        for text in ["1e999", "inf", "-Infinity", "∞"] {
            assert_eq!(number(text, false), Err(NOT_FINITE), "{text}");
        }
        assert_eq!(number("NaN", false), Err(NAN));
        for text in ["abc", "1-2", "--1", "1e", "e5", ".", "-", "12 34", "1,2345", "1.2.3", "<1", "1 234'567"] {
            assert!(number(text, false).is_err(), "{text}");
        }
        assert_eq!(number("[1]", false), Err(NESTED));
    }

    #[test]
    fn percent_and_currencies_are_amounts() {
        assert_eq!(amount("5 %", false, false), Ok(0.05));
        assert_eq!(amount("12,5%", true, false), Ok(0.125));
        assert_eq!(amount("$1,234.50", false, true), Ok(1234.5));
        assert_eq!(amount("3,50 €", true, true), Ok(3.5));
        assert_eq!(amount("USD 7", false, true), Ok(7.0));
        assert!(amount("$3", false, false).is_err());
    }
}
