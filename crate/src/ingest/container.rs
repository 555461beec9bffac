//! What a file is before it is text: gzip is unpacked, other binary files are named and refused.

use super::{out_of_memory, too_large};
use crate::problem::{Kind, Problem, Result};
use flate2::bufread::MultiGzDecoder;
use std::io::{Cursor, ErrorKind, Read};

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

/// Unpacks gzip a step at a time, any number of members, never past the size limit.
#[derive(Debug)]
pub(super) struct Gunzip {
    decoder: MultiGzDecoder<Cursor<Vec<u8>>>,
    packed: usize,
    limit: usize,
    out: Vec<u8>,
}

impl Gunzip {
    pub(super) fn new(packed: Vec<u8>, limit: usize) -> Self {
        let size = packed.len();
        Self { decoder: MultiGzDecoder::new(Cursor::new(packed)), packed: size, limit, out: Vec::new() }
    }

    /// Unpacks one step; true when all is unpacked.
    pub(super) fn step(&mut self) -> Result<bool> {
        let start = self.out.len();
        self.out.try_reserve(STEP).map_err(out_of_memory)?;
        self.out.resize(start + STEP, 0);
        let mut filled = start;
        while filled < self.out.len() {
            match self.decoder.read(&mut self.out[filled..]) {
                Ok(0) => {
                    self.out.truncate(filled);
                    return if filled > self.limit { Err(too_large()) } else { Ok(true) };
                }
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let message = if error.kind() == ErrorKind::UnexpectedEof {
                        "the gzip file ends too early: it was cut off"
                    } else {
                        "the gzip file is damaged"
                    };
                    return Err(Problem::new(Kind::Format, message, "Fetch or pack the file again."));
                }
            }
        }
        if filled > self.limit { Err(too_large()) } else { Ok(false) }
    }

    pub(super) fn fraction(&self) -> f64 {
        self.decoder.get_ref().position() as f64 / self.packed.max(1) as f64
    }

    /// What was unpacked.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
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
