//! Roots, special functions, sums: only what no good crate gives.

pub mod root;
pub mod series;
