//! What [`Gaps`] say about a block of items at once: plain loops over columns, which compilers turn into vectors, where one
//! item after the other would wait for branches that nobody can foretell.

use super::gaps::{Costs, Gaps};

/// As many items as a block has: its columns stay in the fastest cache.
pub const BLOCK: usize = 256;

/// A column of a block.
pub type Column = [f64; BLOCK];

/// [`Costs`] in columns, with the harmonic average beside them.
#[derive(Debug)]
pub struct ManyCosts {
    /// [`Gaps::freshness`].
    pub fresh: Column,
    /// [`Gaps::stale`].
    pub stale: Column,
    /// [`Gaps::age`].
    pub age: Column,
    /// [`Gaps::gain_over_r`].
    pub gain_over_r: Column,
    /// [`Gaps::gain_age`].
    pub gain_age: Column,
    /// [`Gaps::harmonic`].
    pub harmonic: Column,
}

impl ManyCosts {
    /// Nothing yet.
    pub const EMPTY: Self = Self {
        fresh: [0.0; BLOCK],
        stale: [0.0; BLOCK],
        age: [0.0; BLOCK],
        gain_over_r: [0.0; BLOCK],
        gain_age: [0.0; BLOCK],
        harmonic: [0.0; BLOCK],
    };

    /// Writes the costs at `r` to place `k`.
    #[inline]
    pub fn set<G: Gaps>(&mut self, k: usize, r: f64) {
        let Costs { fresh, stale, age, gain_over_r, gain_age } = G::costs(r);
        self.fresh[k] = fresh;
        self.stale[k] = stale;
        self.age[k] = age;
        self.gain_over_r[k] = gain_over_r;
        self.gain_age[k] = gain_age;
        self.harmonic[k] = G::harmonic_beside(r, stale);
    }
}
