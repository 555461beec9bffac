//! Roots, special functions, sums: only what no good crate gives.

pub mod ein;
pub mod octaves;
pub mod root;
pub mod series;
