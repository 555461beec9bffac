//! Bytes of a plan: whole numbers in as few bytes as they need, text with its length before it.

use crate::problem::{Kind, Problem, Result};

/// What holds for a plan whose bytes make no sense.
pub(super) fn altered() -> Problem {
    Problem::new(
        Kind::Format,
        "the link was altered on its way: its characters do not belong together",
        "Ask for the link again and copy the whole of it, or start from an example.",
    )
}

#[derive(Debug, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Seven bits a byte, the lowest first; a set top bit says that more follow.
    pub(super) fn whole(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.0.push(value.to_le_bytes()[0]);
    }

    /// A whole number of either sign: 0, −1, 1, −2, … become 0, 1, 2, 3, ….
    pub(super) fn signed(&mut self, value: i64) {
        self.whole((value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.whole(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }
}

/// Reads what a [`Writer`] wrote; anything else is an altered link.
#[derive(Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(altered)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn whole(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(altered())
    }

    pub(super) fn signed(&mut self) -> Result<i64> {
        let value = self.whole()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// A count of things that take at least a byte each, so that none is made room for that cannot be there.
    pub(super) fn count(&mut self) -> Result<usize> {
        let count = usize::try_from(self.whole()?).map_err(|_| altered())?;
        if count <= self.0.len() { Ok(count) } else { Err(altered()) }
    }

    pub(super) fn text(&mut self) -> Result<&'a str> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| altered())
    }
}
