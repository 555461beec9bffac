//! What waits in the heap, and in which order it comes out: score falling, fewer terms, then lexicographic.

/// A query with its last known score, or (with `local` 0) a bound on all queries that begin with these terms and have one
/// more. The fields stand in the order in which they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    /// The bits of the score, which is not negative: they compare as it does.
    score: u64,
    /// All bits of (size, terms) turned over, so that few terms and early ones are greater. Terms are keywords + 1, and 0
    /// where there is none, which orders a bound before everything that it stands for.
    terms: u128,
    /// How many rows match it.
    pub(super) local: u32,
    /// Of a conjunction: its place in the pool, or where it matches one row alone, that row.
    pub(super) place: u32,
}

impl Entry {
    pub(super) fn new(score: f64, terms: &[u32], local: usize, place: u32) -> Self {
        let size = terms.len() + usize::from(local == 0);
        let term = |number: usize| terms.get(number).map_or(0, |&term| u128::from(term) + 1);
        let packed = (size as u128) << 96 | term(0) << 64 | term(1) << 32 | term(2);
        let local = u32::try_from(local).unwrap_or(u32::MAX);
        Self { score: score.to_bits(), terms: !packed, local, place }
    }

    pub(super) fn score(&self) -> f64 {
        f64::from_bits(self.score)
    }

    /// Which quarter of which octave its score is in, below 2¹³.
    pub(super) fn octave_quarter(&self) -> usize {
        usize::try_from(self.score >> 50).unwrap_or_default()
    }

    /// The same with a score that has fallen.
    pub(super) fn fallen(self, score: f64) -> Self {
        Self { score: score.to_bits(), ..self }
    }

    /// Its keywords, and how many they are.
    #[allow(clippy::cast_possible_truncation, reason = "takes apart what was put together")]
    pub(super) fn keywords(&self) -> ([u32; 3], usize) {
        let terms = !self.terms;
        let packed = [(terms >> 64) as u32, (terms >> 32) as u32, terms as u32];
        (packed.map(|term| term.wrapping_sub(1)), (terms >> 96) as usize - usize::from(self.local == 0))
    }
}
