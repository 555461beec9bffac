//! Bytes to typed columns, every error with its place.
