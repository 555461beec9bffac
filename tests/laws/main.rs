//! Laws that hold for any input: monotone, convex, scale-free, conserved.

mod allocate;
mod extremes;
mod items;
mod staleness;
