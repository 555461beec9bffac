//! Laws that hold for any input: monotone, convex, scale-free, conserved.

mod allocate;
mod extremes;
mod history;
mod ingest;
mod items;
mod plan;
mod probe;
mod replay;
mod staleness;
mod timetable;
