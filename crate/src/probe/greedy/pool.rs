//! The conjunctions that were looked at and match several rows, in one array: the server's count (which is dear to find
//! twice), and the rows, those that may still be uncovered first.

/// Words before the rows: the count in two halves, how many rows there are, and how many may be uncovered.
const HEAD: usize = 4;

#[derive(Debug, Default)]
pub(in crate::probe) struct Pool {
    words: Vec<u32>,
}

/// A conjunction in the pool.
pub(in crate::probe) struct Record<'a> {
    /// `|R_S(q)|`.
    pub(in crate::probe) server: f64,
    /// The rows that it matches, in no particular order.
    pub(in crate::probe) rows: &'a [u32],
}

impl Pool {
    /// Where the next conjunction goes.
    pub(super) fn end(&self) -> u32 {
        u32::try_from(self.words.len()).unwrap_or(u32::MAX)
    }

    #[allow(
        clippy::cast_possible_truncation,
        reason = "the two halves of a number, and as many rows as there are numbers for"
    )]
    pub(super) fn push(&mut self, server: f64, rows: &[u32]) -> u32 {
        let (place, bits, many) = (self.end(), server.to_bits(), rows.len() as u32);
        self.words.extend_from_slice(&[(bits >> 32) as u32, bits as u32, many, many]);
        self.words.extend_from_slice(rows);
        place
    }

    pub(super) fn get(&self, place: usize) -> Record<'_> {
        let words = &self.words[place..];
        let server = f64::from_bits(u64::from(words[0]) << 32 | u64::from(words[1]));
        Record { server, rows: &words[HEAD..HEAD + words[2] as usize] }
    }

    /// The rows that were uncovered when they were last looked at, in their first order.
    pub(super) fn uncovered(&self, place: u32) -> &[u32] {
        let words = &self.words[place as usize..];
        &words[HEAD..HEAD + words[3] as usize]
    }

    /// Looks at those rows and moves the ones behind that `keep` does not keep; returns how many were looked at.
    pub(super) fn retain(&mut self, place: u32, mut keep: impl FnMut(u32) -> bool) -> usize {
        let (head, rows) = self.words[place as usize..].split_at_mut(HEAD);
        let looked = head[3] as usize;
        let rows = &mut rows[..looked];
        let mut kept = 0;
        for k in 0..rows.len() {
            if keep(rows[k]) {
                rows.swap(kept, k);
                kept += 1;
            }
        }
        head[3] = u32::try_from(kept).unwrap_or(u32::MAX);
        looked
    }

    /// Calls `visit` with the conjunctions from one place to another.
    pub(super) fn each(&self, (from, to): (u32, u32), visit: &mut dyn FnMut(Record)) {
        let mut place = from as usize;
        while place < to as usize {
            let record = self.get(place);
            place += HEAD + record.rows.len();
            visit(record);
        }
    }
}
