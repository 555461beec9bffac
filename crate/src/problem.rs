//! The one error of the crate: what is wrong, where, and what to do about it.

use serde::Serialize;

/// What sort of thing went wrong; stable names that other people's code may match on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Kind {
    /// A field is missing, unknown or of the wrong type.
    Field,
    /// A number is out of the range that its field allows (NaN, negative, …).
    Value,
    /// Columns that must be equally long are not.
    Length,
    /// No plan meets all the constraints at once.
    Infeasible,
    /// The question has no answer for this model (say, content freshness under Weibull changes).
    Undefined,
    /// The bytes are not what they claim to be (encoding, compression, syntax).
    Format,
    /// It was made by a newer version of Afresh.
    Version,
    /// The request is larger than what can be answered in a browser tab.
    Size,
    /// The person cancelled the work.
    Cancelled,
    /// A bug in Afresh.
    Internal,
}

/// Something is wrong; says what, where, and what to do.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Problem {
    /// What sort of problem it is.
    pub kind: Kind,
    /// What is wrong, in a sentence that names the place.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// The row it concerns: an item's index from 0 in typed columns; the row of the file, header = 1, for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// The column or field it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}

impl Problem {
    /// A problem without a place.
    #[cold]
    #[inline(never)] // what is rare need not be everywhere, for a module that is downloaded; the same below
    pub fn new(kind: Kind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: hint.into(), row: None, column: None }
    }

    /// The same problem, at this row.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn at_row(mut self, row: usize) -> Self {
        self.row = Some(row);
        self
    }

    /// The same problem, in this column.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn in_column(mut self, column: impl Into<String>) -> Self {
        self.column = Some(column.into());
        self
    }
}

/// A number as a message says it: with an exponent where plain digits would run on, and infinity as JavaScript has it.
pub(crate) struct Figure(pub(crate) f64);

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(value) = *self;
        if value.is_infinite() {
            f.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" })
        } else if value != 0.0 && !(1e-6..1e15).contains(&value.abs()) {
            write!(f, "{value:e}")
        } else {
            write!(f, "{value}")
        }
    }
}

/// A result whose error is a [`Problem`].
pub type Result<T> = std::result::Result<T, Problem>;

#[cfg(test)]
mod tests {
    use super::Figure;

    #[test]
    fn figures_are_short_whatever_their_size() {
        let said: Vec<String> =
            [0.0, 0.1, 1e14, 1e300, -2.5e-300, f64::INFINITY, f64::NAN].map(|value| Figure(value).to_string()).into();
        assert_eq!(said, ["0", "0.1", "100000000000000", "1e300", "-2.5e-300", "Infinity", "NaN"]);
    }
}
