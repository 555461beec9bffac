//! The calls that refresh a relation through keyword search, one story a file.

mod groups;
mod over_time;
mod queries;
mod raw;
mod server;

pub(super) use over_time::over_time_reply;
pub(super) use queries::{ProbeQuery, ProbeTotals, ProbesRequest, query};

use crate::problem::{Kind, Problem};

fn wrong(column: &str, message: String, hint: &str) -> Problem {
    Problem::new(Kind::Field, message, hint).in_column(column)
}
