//! Roots, special functions, sums: only what no good crate gives.
