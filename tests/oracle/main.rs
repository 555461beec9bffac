//! Independent values (mpmath, SciPy, R) that the formulas must agree with.

mod renewals;
mod staleness;

mod allocate;
