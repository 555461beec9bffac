//! The JavaScript boundary and nothing else.
