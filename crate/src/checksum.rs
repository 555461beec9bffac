//! CRC-32 (ISO 3309), the checksum of gzip files and of plans in links.

/// A checksum under way.
#[derive(Debug)]
pub(crate) struct Crc32 {
    /// What a byte does to the register when 0 to 7 more bytes follow it. Made here, because as constants they would be
    /// 8 kB of the module that nothing can compress.
    tables: Box<[[u32; 256]; 8]>,
    register: u32,
}

impl Crc32 {
    /// The checksum of nothing.
    pub(crate) fn new() -> Self {
        const POLYNOMIAL: u32 = 0xedb8_8320;
        let mut tables = Box::new([[0; 256]; 8]);
        for (byte, entry) in (0_u32..).zip(&mut tables[0]) {
            *entry = (0..8).fold(byte, |rest, _| (rest >> 1) ^ (POLYNOMIAL & (rest & 1).wrapping_neg()));
        }
        for follow in 1..8 {
            for byte in 0..256 {
                let before: u32 = tables[follow - 1][byte];
                tables[follow][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            }
        }
        Self { tables, register: !0 }
    }

    /// Adds bytes, eight at a time.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        let tables = &*self.tables;
        let mut register = self.register;
        let mut eights = bytes.chunks_exact(8);
        for eight in &mut eights {
            let [a, b, c, d] = register.to_le_bytes();
            register = tables[7][usize::from(eight[0] ^ a)]
                ^ tables[6][usize::from(eight[1] ^ b)]
                ^ tables[5][usize::from(eight[2] ^ c)]
                ^ tables[4][usize::from(eight[3] ^ d)]
                ^ tables[3][usize::from(eight[4])]
                ^ tables[2][usize::from(eight[5])]
                ^ tables[1][usize::from(eight[6])]
                ^ tables[0][usize::from(eight[7])];
        }
        for byte in eights.remainder() {
            register = (register >> 8) ^ tables[0][usize::from(register.to_le_bytes()[0] ^ byte)];
        }
        self.register = register;
    }

    /// The checksum so far.
    pub(crate) fn sum(&self) -> u32 {
        !self.register
    }

    /// Starts again.
    pub(crate) fn reset(&mut self) {
        self.register = !0;
    }
}

#[cfg(test)]
mod tests {
    use super::Crc32;

    #[test]
    fn sums_are_those_of_the_standard_however_the_bytes_come() {
        let sum = |parts: &[&[u8]]| {
            let mut crc = Crc32::new();
            for part in parts {
                crc.update(part);
            }
            crc.sum()
        };
        assert_eq!(sum(&[b"123456789"]), 0xcbf4_3926);
        assert_eq!(sum(&[]), 0);
        let bytes: Vec<u8> = (0..1_000_u32).map(|i| ((i * i) >> 3).to_le_bytes()[0]).collect();
        for cut in 0..40 {
            assert_eq!(sum(&[&bytes[..cut], &bytes[cut..]]), crc32fast::hash(&bytes));
            assert_eq!(sum(&[&bytes[..cut]]), crc32fast::hash(&bytes[..cut]));
        }
    }
}
