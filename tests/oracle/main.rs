//! Independent values (mpmath, SciPy, R) that the formulas must agree with.

mod allocate;
mod estimate;
mod probe;
mod recurrence;
mod renewals;
mod replay;
mod staleness;
