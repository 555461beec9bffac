//! Bytes to UTF-8 text: UTF-8 and UTF-16 with or without a byte-order mark, Windows-1252 when nothing else fits.
//!
//! Written out rather than taken from `encoding_rs`, whose tables for forty legacy encodings would outweigh the rest of the
//! module: of those, only Windows-1252 is met in exported tables.

use super::container::not_text;
use super::{MAX_BYTES, out_of_memory, too_large};
use crate::problem::Result;

/// Bytes of one step: a few milliseconds. Even, so that UTF-16 units stay whole.
const STEP: usize = 1 << 20;
/// How much of the file decides whether it is UTF-16 without a mark.
const SNIFFED: usize = 4096;

/// How the file's text is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    /// UTF-8 with some broken bytes, each shown as U+FFFD.
    DamagedUtf8,
    Utf16 {
        big_endian: bool,
    },
    Windows1252,
}

/// Windows-1252 from 0x80 to 0x9f; the rest equals Latin-1. Unassigned bytes stay control characters, as browsers do.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The decoded text and what was assumed about it.
pub(super) struct Decoded {
    /// UTF-8; a byte-order mark at the start is still there.
    pub(super) text: Vec<u8>,
    /// The encoding's name.
    pub(super) name: &'static str,
    /// What the person should know.
    pub(super) note: Option<String>,
}

/// Decodes a step at a time.
#[derive(Debug)]
pub(super) struct Decoder {
    input: Vec<u8>,
    at: usize,
    encoding: Encoding,
    out: Vec<u8>,
    /// Whether UTF-8 sequences of several bytes were met: then a broken byte is damage, not another encoding.
    seen_wide: bool,
    replaced: usize,
}

impl Decoder {
    pub(super) fn new(input: Vec<u8>) -> Self {
        let encoding = sniff(&input);
        Self { input, at: 0, encoding, out: Vec::new(), seen_wide: false, replaced: 0 }
    }

    pub(super) fn fraction(&self) -> f64 {
        self.at as f64 / self.input.len().max(1) as f64
    }

    /// Decodes one step; true when all is decoded.
    pub(super) fn step(&mut self) -> Result<bool> {
        let end = self.input.len().min(self.at + STEP);
        match self.encoding {
            Encoding::Utf8 => self.validate(end)?,
            Encoding::DamagedUtf8 => self.repair(end)?,
            Encoding::Utf16 { big_endian } => self.widen(end, big_endian)?,
            Encoding::Windows1252 => {
                self.out.try_reserve(3 * STEP).map_err(out_of_memory)?;
                for &byte in &self.input[self.at..end] {
                    let c = if (0x80..0xa0).contains(&byte) {
                        WINDOWS_1252[usize::from(byte - 0x80)]
                    } else {
                        char::from(byte)
                    };
                    push(&mut self.out, c);
                }
                self.at = end;
            }
        }
        if self.out.len() > MAX_BYTES { Err(too_large()) } else { Ok(self.at == self.input.len()) }
    }

    /// Checks UTF-8 where it stands: the common case copies nothing.
    fn validate(&mut self, end: usize) -> Result<()> {
        let part = &self.input[self.at..end];
        if part.contains(&0) {
            return Err(not_text());
        }
        let valid = match std::str::from_utf8(part) {
            Ok(_) => part.len(),
            Err(error) if error.error_len().is_none() && end < self.input.len() => error.valid_up_to(),
            Err(_) => {
                let wide = self.seen_wide || !part.is_ascii() && has_wide(part);
                self.encoding = if wide { Encoding::DamagedUtf8 } else { Encoding::Windows1252 };
                self.at = 0;
                return Ok(());
            }
        };
        // A mark at the start says nothing about what follows.
        let marked = self.at == 0 && part.starts_with(b"\xef\xbb\xbf");
        self.seen_wide |= !part[if marked { 3.min(valid) } else { 0 }..valid].is_ascii();
        self.at += valid;
        Ok(())
    }

    fn repair(&mut self, end: usize) -> Result<()> {
        self.out.try_reserve(3 * STEP).map_err(out_of_memory)?;
        let mut part = &self.input[self.at..end];
        if end < self.input.len()
            && let Err(error) = std::str::from_utf8(&part[part.len().saturating_sub(4)..])
            && error.error_len().is_none()
        {
            // A character cut by the end of the step waits for the next one.
            part = &part[..part.len().saturating_sub(4) + error.valid_up_to()];
        }
        if part.contains(&0) {
            return Err(not_text());
        }
        for chunk in part.utf8_chunks() {
            self.out.extend_from_slice(chunk.valid().as_bytes());
            if !chunk.invalid().is_empty() {
                push(&mut self.out, char::REPLACEMENT_CHARACTER);
                self.replaced += 1;
            }
        }
        self.at += part.len();
        Ok(())
    }

    fn widen(&mut self, end: usize, big_endian: bool) -> Result<()> {
        self.out.try_reserve(3 * STEP).map_err(out_of_memory)?;
        let unit = |pair: &[u8]| {
            let pair = [pair[0], pair[1]];
            if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
        };
        let mut part = &self.input[self.at..end];
        if end < self.input.len() && (0xd800..0xdc00).contains(&unit(&part[part.len() - 2..])) {
            part = &part[..part.len() - 2];
        }
        let pairs = part.chunks_exact(2);
        self.replaced += pairs.remainder().len();
        for decoded in char::decode_utf16(pairs.map(unit)) {
            match decoded {
                Ok('\0') => return Err(not_text()),
                Ok(c) => push(&mut self.out, c),
                Err(_) => {
                    push(&mut self.out, char::REPLACEMENT_CHARACTER);
                    self.replaced += 1;
                }
            }
        }
        self.at += part.len();
        Ok(())
    }

    /// What was decoded.
    pub(super) fn take(&mut self) -> Decoded {
        let (name, text) = match self.encoding {
            Encoding::Utf8 => ("UTF-8", std::mem::take(&mut self.input)),
            Encoding::DamagedUtf8 => ("UTF-8", std::mem::take(&mut self.out)),
            Encoding::Utf16 { big_endian: false } => ("UTF-16 LE", std::mem::take(&mut self.out)),
            Encoding::Utf16 { big_endian: true } => ("UTF-16 BE", std::mem::take(&mut self.out)),
            Encoding::Windows1252 => ("Windows-1252", std::mem::take(&mut self.out)),
        };
        let note = if self.encoding == Encoding::Windows1252 {
            Some("The file is not UTF-8; it was read as Windows-1252 (Western European).".into())
        } else if self.replaced > 0 {
            Some(format!("{} broken characters of {name} are shown as \u{fffd}.", self.replaced))
        } else {
            None
        };
        Decoded { text, name, note }
    }
}

fn push(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Whether a valid sequence of several bytes stands anywhere in `part`.
fn has_wide(part: &[u8]) -> bool {
    let part = part.strip_prefix(b"\xef\xbb\xbf").unwrap_or(part);
    part.utf8_chunks().any(|chunk| !chunk.valid().is_ascii())
}

/// UTF-16 by its mark, or by nearly every second byte of the start being zero, as it is for Latin letters and digits.
fn sniff(input: &[u8]) -> Encoding {
    if input.starts_with(b"\xff\xfe") {
        return Encoding::Utf16 { big_endian: false };
    }
    if input.starts_with(b"\xfe\xff") {
        return Encoding::Utf16 { big_endian: true };
    }
    let head = &input[..input.len().min(SNIFFED) & !1];
    let zeros = |odd: usize| head.iter().skip(odd).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd, units) = (zeros(0), zeros(1), head.len() / 2);
    if units > 1 && even * 10 <= units && odd * 10 >= units * 7 {
        Encoding::Utf16 { big_endian: false }
    } else if units > 1 && odd * 10 <= units && even * 10 >= units * 7 {
        Encoding::Utf16 { big_endian: true }
    } else {
        Encoding::Utf8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> (String, &'static str, Option<String>) {
        let mut decoder = Decoder::new(bytes.to_vec());
        while !decoder.step().unwrap() {}
        let done = decoder.take();
        let text = String::from_utf8(done.text).unwrap();
        (text.trim_start_matches('\u{feff}').to_owned(), done.name, done.note)
    }

    #[test]
    fn utf16_is_read_with_and_without_a_mark() {
        let text = "id;größe\n😀;1,5\n";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, name) in [(&le, "UTF-16 LE"), (&be, "UTF-16 BE")] {
            assert_eq!(decode(bytes), (text.into(), name, None));
        }
        assert_eq!(decode(&[b"\xff\xfe".as_slice(), &le].concat()).0, text);
        assert_eq!(decode(&[b"\xfe\xff".as_slice(), &be].concat()).0, text);
    }

    #[test]
    fn windows_1252_is_the_fallback_and_is_said() {
        let (text, name, note) = decode(b"caf\xe9,5\x80\n");
        assert_eq!((text.as_str(), name), ("café,5€\n", "Windows-1252"));
        assert!(note.unwrap().contains("Windows-1252"));
    }

    #[test]
    fn one_broken_byte_in_utf8_does_not_spoil_the_rest() {
        let (text, name, note) =
            decode("é,1\n\u{e9}".as_bytes().iter().copied().chain([0xe9, b'\n']).collect::<Vec<_>>().as_slice());
        assert_eq!((text.as_str(), name), ("é,1\né\u{fffd}\n", "UTF-8"));
        assert!(note.unwrap().starts_with("1 broken"));
    }

    #[test]
    fn characters_across_steps_stay_whole() {
        for lead in 0..4 {
            let text = "x".repeat(STEP - lead) + &"é😀".repeat(10);
            assert_eq!(decode(text.as_bytes()).0, text);
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(decode(&wide).0, text);
            let damaged = [text.as_bytes(), b"\xff"].concat();
            assert_eq!(decode(&damaged).0, text + "\u{fffd}");
        }
    }

    #[test]
    fn zero_bytes_are_refused() {
        let mut decoder = Decoder::new(b"id,rate\na,\0\0\0,1\n".to_vec());
        assert!(decoder.step().unwrap_err().message.contains("binary"));
    }
}
