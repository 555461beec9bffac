//! The tables and figures of the papers, as tables in tests.
