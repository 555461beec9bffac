//! Roots, special functions, sums: only what no good crate gives.

pub mod chebyshev;
pub mod cube_root;
pub(crate) mod decimal;
pub mod differences;
pub mod ein;
pub mod gamma;
pub mod octaves;
pub mod quadrature;
pub mod root;
pub(crate) mod said;
pub mod series;
pub(crate) mod sort;
pub mod sum;
