//! What a file is before it is text: gzip is unpacked, other binary files are named and refused.

use super::{out_of_memory, too_large};
use crate::checksum::Crc32;
use crate::problem::{Kind, Problem, Result};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use std::fmt;

/// Unpacked bytes of one step: a few milliseconds.
const STEP: usize = 1 << 20;

/// Whether the bytes start like a gzip file.
pub(super) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Names a binary file by its first bytes and says what to do with it.
pub(super) fn refuse_binary(bytes: &[u8]) -> Result<()> {
    let head = &bytes[..bytes.len().min(4096)];
    let holds = |part: &[u8]| head.windows(part.len()).any(|window| window == part);
    let what = if head.starts_with(b"PK\x03\x04") {
        if holds(b"xl/") || holds(b"[Content_Types].xml") {
            "an Excel workbook"
        } else if holds(b"opendocument.spreadsheet") {
            "an OpenDocument spreadsheet"
        } else {
            "a zip archive"
        }
    } else if head.starts_with(b"\xd0\xcf\x11\xe0") {
        "an old Excel workbook"
    } else {
        let known: [(&[u8], &str); 13] = [
            (b"\x89PNG", "a PNG picture"),
            (b"\xff\xd8\xff", "a JPEG picture"),
            (b"GIF8", "a GIF picture"),
            (b"%PDF", "a PDF document"),
            (b"PAR1", "a Parquet file"),
            (b"ARROW1", "an Arrow file"),
            (b"SQLite format 3", "an SQLite database"),
            (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
            (b"BZh", "a bzip2 archive"),
            (b"\xfd7zXZ", "an xz archive"),
            (b"7z\xbc\xaf", "a 7-Zip archive"),
            (b"Rar!", "a RAR archive"),
            (b"\x7fELF", "a program"),
        ];
        match known.into_iter().find(|(magic, _)| head.starts_with(magic)) {
            Some((_, what)) => what,
            None => return Ok(()),
        }
    };
    let hint = match what {
        _ if what.contains("archive") => "Unpack it first, or pack the table with gzip.",
        _ if what.contains("picture") || what.contains("PDF") => "Give the table behind it, as CSV.",
        _ => "Open it in the program that made it and save the table as CSV.",
    };
    Err(Problem::new(Kind::Format, format!("this seems to be {what}, not a table in text"), hint))
}

/// Bytes that are neither text nor anything known.
pub(super) fn not_text() -> Problem {
    Problem::new(
        Kind::Format,
        "the file holds zero bytes, so it seems to be binary, not a table in text",
        "Open it in the program that made it and save the table as CSV.",
    )
}

/// Unpacks gzip (RFC 1952) a step at a time, any number of members, never past the size limit.
pub(super) struct Gunzip {
    packed: Vec<u8>,
    /// How much of it was read.
    position: usize,
    limit: usize,
    out: Vec<u8>,
    /// Where what the member under way unpacks to starts; none between members.
    member: Option<usize>,
    inflater: Box<DecompressorOxide>,
    checksum: Crc32,
}

impl fmt::Debug for Gunzip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gunzip").field("position", &self.position).finish_non_exhaustive()
    }
}

impl Gunzip {
    pub(super) fn new(packed: Vec<u8>, limit: usize) -> Self {
        let (inflater, checksum) = (Box::default(), Crc32::new());
        Self { packed, position: 0, limit, out: Vec::new(), member: None, inflater, checksum }
    }

    /// Unpacks one step; true when all is unpacked.
    pub(super) fn step(&mut self) -> Result<bool> {
        let start = self.out.len();
        self.out.try_reserve(STEP).map_err(out_of_memory)?;
        self.out.resize(start + STEP, 0);
        let mut filled = start;
        let mut done = false;
        while filled < self.out.len() && !done {
            match self.member {
                None => done = self.header(filled)?,
                Some(member) => filled += self.inflate(member, filled)?,
            }
        }
        self.out.truncate(filled);
        if filled > self.limit { Err(too_large()) } else { Ok(done) }
    }

    /// Reads the header of the next member, whose bytes start at `filled`; true if there is none.
    fn header(&mut self, filled: usize) -> Result<bool> {
        const CHECKED: u8 = 2;
        const EXTRA: u8 = 4;
        const NAME: u8 = 8;
        const COMMENT: u8 = 16;
        const RESERVED: u8 = 0xe0;
        let start = self.position;
        // Tapes and disks pad files with zeros.
        if start > 0 && self.packed[start..].iter().all(|byte| *byte == 0) {
            self.position = self.packed.len();
            return Ok(true);
        }
        let fixed = self.next(10)?;
        let flags = fixed[3];
        if !is_gzip(fixed) || fixed[2] != 8 || flags & RESERVED != 0 {
            return Err(damaged());
        }
        if flags & EXTRA != 0 {
            let length = self.next(2)?;
            let length = u16::from_le_bytes([length[0], length[1]]);
            self.next(length.into())?;
        }
        for text in [NAME, COMMENT] {
            if flags & text != 0 {
                let rest = &self.packed[self.position..];
                let end = rest.iter().position(|byte| *byte == 0).ok_or_else(cut_off)?;
                self.next(end + 1)?;
            }
        }
        self.checksum.reset();
        if flags & CHECKED != 0 {
            self.checksum.update(&self.packed[start..self.position]);
            let sum = self.checksum.sum().to_le_bytes();
            if *self.next(2)? != sum[..2] {
                return Err(damaged());
            }
            self.checksum.reset();
        }
        *self.inflater = DecompressorOxide::new();
        self.member = Some(filled);
        Ok(false)
    }

    /// Unpacks from `filled` on until there is no more space or the member ends; says how many bytes.
    fn inflate(&mut self, member: usize, filled: usize) -> Result<usize> {
        let (status, read, written) = decompress(
            &mut self.inflater,
            &self.packed[self.position..],
            &mut self.out[member..],
            filled - member,
            TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
        );
        self.position += read;
        let end = filled + written;
        self.checksum.update(&self.out[filled..end]);
        match status {
            TINFLStatus::HasMoreOutput => {}
            TINFLStatus::Done => {
                let sum = self.checksum.sum().to_le_bytes();
                let [a, b, c, d, ..] = (end - member).to_le_bytes();
                let trailer = self.next(8)?;
                if trailer[..4] != sum || trailer[4..] != [a, b, c, d] {
                    return Err(damaged());
                }
                self.member = None;
            }
            TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => return Err(cut_off()),
            _ => return Err(damaged()),
        }
        Ok(written)
    }

    /// The next so many bytes.
    fn next(&mut self, count: usize) -> Result<&[u8]> {
        let bytes = self.packed.get(self.position..self.position + count).ok_or_else(cut_off)?;
        self.position += count;
        Ok(bytes)
    }

    pub(super) fn fraction(&self) -> f64 {
        self.position as f64 / self.packed.len().max(1) as f64
    }

    /// What was unpacked.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}

fn cut_off() -> Problem {
    unreadable("the gzip file ends too early: it was cut off")
}

fn damaged() -> Problem {
    unreadable("the gzip file is damaged")
}

fn unreadable(message: &str) -> Problem {
    Problem::new(Kind::Format, message, "Fetch or pack the file again.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, GzBuilder, write::GzEncoder};
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn unpack(packed: Vec<u8>) -> Result<Vec<u8>> {
        let mut gunzip = Gunzip::new(packed, 1 << 20);
        while !gunzip.step()? {}
        assert!((gunzip.fraction() - 1.0).abs() < 1e-9);
        Ok(gunzip.take())
    }

    #[test]
    fn members_are_joined() {
        let mut packed = gzip(b"id,rate\n");
        packed.extend(gzip(b"a,1\n"));
        assert_eq!(unpack(packed).unwrap(), b"id,rate\na,1\n");
    }

    #[test]
    fn headers_are_read_past_and_padding_is_none() {
        let mut encoder = GzBuilder::new()
            .extra(vec![7; 300])
            .filename("a.csv")
            .comment("rates")
            .write(Vec::new(), Compression::best());
        encoder.write_all(b"id,rate\n").unwrap();
        let mut packed = encoder.finish().unwrap();
        // The same with a checksum of its header.
        let end = packed.len() - b"id,rate\n".len() - 2 - 8;
        let mut checked = packed.clone();
        checked[3] |= 2;
        let sum = crc32fast::hash(&checked[..end]).to_le_bytes();
        checked.splice(end..end, [sum[0], sum[1]]);
        assert_eq!(unpack(checked.clone()).unwrap(), b"id,rate\n");
        checked[end] ^= 1;
        assert!(unpack(checked).unwrap_err().message.contains("damaged"));
        packed.extend([0; 512]);
        assert_eq!(unpack(packed.clone()).unwrap(), b"id,rate\n");
        packed.push(1);
        assert!(unpack(packed).is_err());
    }

    #[test]
    fn long_files_come_back_and_altered_ones_do_not() {
        let bytes: Vec<u8> =
            (0..3_000_000_u32).map(|i| ((i / 7) ^ (i.wrapping_mul(i) >> 9)).to_le_bytes()[0]).collect();
        let mut packed = gzip(&bytes);
        packed.extend(gzip(&bytes));
        let mut gunzip = Gunzip::new(packed.clone(), 1 << 24);
        while !gunzip.step().unwrap() {}
        assert_eq!(gunzip.take(), [&bytes[..], &bytes[..]].concat());
        let packed = gzip(b"id,rate\na,1\n");
        for place in (0..packed.len()).filter(|place| !(4..10).contains(place)) {
            let mut altered = packed.clone();
            altered[place] ^= 0x40;
            // The last bits of the deflated bytes mean nothing; any other alteration is noticed.
            match unpack(altered) {
                Ok(bytes) => assert_eq!((place, &bytes[..]), (packed.len() - 9, &b"id,rate\na,1\n"[..])),
                Err(problem) => assert_eq!(problem.kind, Kind::Format, "byte {place}"),
            }
        }
        for length in 2..packed.len() {
            assert!(unpack(packed[..length].to_vec()).unwrap_err().message.contains("cut off"), "{length} bytes");
        }
    }

    #[test]
    fn a_cut_file_is_a_problem_and_says_so() {
        let mut packed = gzip(&vec![b'x'; 100_000]);
        packed.truncate(packed.len() - 9);
        assert!(unpack(packed).unwrap_err().message.contains("cut off"));
        assert_eq!(unpack(b"\x1f\x8bnonsense".to_vec()).unwrap_err().kind, Kind::Format);
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let mut gunzip = Gunzip::new(gzip(&vec![0; 16 << 20]), 4 << 20);
        let problem = loop {
            match gunzip.step() {
                Ok(done) => assert!(!done),
                Err(problem) => break problem,
            }
        };
        assert_eq!(problem.kind, Kind::Size);
        assert!(gunzip.take().len() <= (4 << 20) + STEP);
    }

    #[test]
    fn binary_files_are_named() {
        let named = |bytes: &[u8]| refuse_binary(bytes).unwrap_err().message;
        assert!(named(b"\x89PNG\r\n\x1a\n").contains("PNG"));
        assert!(named(b"PK\x03\x04..xl/worksheets").contains("Excel"));
        assert!(named(b"PK\x03\x04....").contains("zip"));
        assert!(named(b"PAR1....").contains("Parquet"));
        assert!(named(b"%PDF-1.7").contains("PDF"));
        assert!(refuse_binary(b"id,rate\n").is_ok());
    }
}
