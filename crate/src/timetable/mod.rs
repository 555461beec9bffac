//! From frequencies to visits.
