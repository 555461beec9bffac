//! Independent values (mpmath, SciPy, R) that the formulas must agree with.

mod replay;
mod staleness;

mod allocate;
