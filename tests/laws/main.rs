//! Laws that hold for any input: monotone, convex, scale-free, conserved.

mod ingest;
