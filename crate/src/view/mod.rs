//! What a lab shows: a loaded set with its last plan, and every chart's series, thinned to what pixels can show.

pub mod allocate;
pub mod curve;
pub mod dataset;
pub mod queries;
pub mod rows;
pub mod split;
pub mod summary;
#[cfg(test)]
mod tests;
pub mod timeline;
pub mod timetable;
pub mod tradeoff;
pub mod write;

pub use dataset::{Dataset, Knobs};

/// The most points that a chart is given.
pub const PIXELS: usize = 2_000;

/// A column of numbers of a view; crosses the boundary as a `Float64Array`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series(pub Vec<f64>);

/// A column of row numbers of a view; crosses the boundary as a `Uint32Array`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows(pub Vec<u32>);

impl From<Vec<f64>> for Series {
    fn from(values: Vec<f64>) -> Self {
        Self(values)
    }
}

impl FromIterator<f64> for Series {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

/// Every so many-th index below `len`, so that at most `most` remain.
pub(crate) fn thinned(len: usize, most: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by(len.div_ceil(most).max(1))
}
