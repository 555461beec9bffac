//! The knobs of each lab: their names, what values they take, and what they are when a plan does not say. Numbers and usual
//! values are part of the format: they never change, and a number is never given to another knob.

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use super::{allocate, probe, replay};
use crate::problem::{Figure, Kind as ProblemKind, Problem, Result};

/// The value of a knob.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum KnobValue {
    /// On or off.
    Flag(bool),
    /// A number.
    Number(f64),
    /// One of a few words, or any text.
    Text(String),
}

impl<'de> Deserialize<'de> for KnobValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Read;

        impl Visitor<'_> for Read {
            type Value = KnobValue;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, text, true or false")
            }

            fn visit_bool<E>(self, on: bool) -> std::result::Result<KnobValue, E> {
                Ok(KnobValue::Flag(on))
            }

            fn visit_f64<E>(self, value: f64) -> std::result::Result<KnobValue, E> {
                Ok(KnobValue::Number(value))
            }

            fn visit_i64<E>(self, value: i64) -> std::result::Result<KnobValue, E> {
                Ok(KnobValue::Number(value as f64))
            }

            fn visit_u64<E>(self, value: u64) -> std::result::Result<KnobValue, E> {
                Ok(KnobValue::Number(value as f64))
            }

            fn visit_str<E>(self, text: &str) -> std::result::Result<KnobValue, E> {
                Ok(KnobValue::Text(text.into()))
            }
        }

        deserializer.deserialize_any(Read)
    }
}

/// What values a knob takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// A number from `min` to `max`.
    Number { min: f64, max: f64 },
    /// A whole number from 0 to `max`.
    Whole { max: f64 },
    /// One of these words, in the order of their numbers in the format.
    Choice(&'static [&'static str]),
    /// On or off.
    Flag,
    /// Any text of up to 500 bytes.
    Text,
}

/// What a knob is when a plan does not say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Usual {
    /// What suits the data, or nothing at all.
    Open,
    Number(f64),
    /// The first of the choices.
    First,
    Flag(bool),
}

/// A knob of a lab.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Field {
    pub(super) number: u64,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) usual: Usual,
}

/// A row of a lab's table of knobs.
pub(super) const fn knob(number: u64, name: &'static str, kind: Kind, usual: Usual) -> Field {
    Field { number, name, kind, usual }
}

/// Any number at all; what a lab does not accept, it says itself.
pub(super) const ANY: Kind = Kind::Number { min: f64::MIN, max: f64::MAX };
/// A number from 0.
pub(super) const SIZE: Kind = Kind::Number { min: 0.0, max: f64::MAX };

/// The labs that plans are made in, with their knobs.
const LABS: &[(&str, &[Field])] =
    &[("allocate", allocate::FIELDS), ("replay", replay::FIELDS), ("probe", probe::FIELDS)];

/// The knobs of a lab.
pub(super) fn fields(lab: &str) -> Result<&'static [Field]> {
    LABS.iter().find(|(name, _)| *name == lab).map(|(_, fields)| *fields).ok_or_else(|| {
        let names: Vec<&str> = LABS.iter().map(|(name, _)| *name).collect();
        let lab: String = lab.chars().take(40).collect();
        Problem::new(
            ProblemKind::Version,
            format!("the plan is for a lab called {lab:?}, which this version of Afresh does not have"),
            format!("Reload the page to get the newest version. This one has: {}.", names.join(", ")),
        )
        .in_column("lab")
    })
}

/// The knob of this name.
pub(super) fn field(fields: &'static [Field], name: &str) -> Result<&'static Field> {
    fields.iter().find(|field| field.name == name).ok_or_else(|| {
        let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        let name: String = name.chars().take(40).collect();
        Problem::new(
            ProblemKind::Field,
            format!("the plan has a knob {name:?} that this version of Afresh does not know"),
            format!("Reload the page to get the newest version. The knobs are: {}.", names.join(", ")),
        )
        .in_column(name)
    })
}

impl Field {
    pub(super) fn usual(&self) -> Option<KnobValue> {
        match (self.usual, self.kind) {
            (Usual::Number(value), _) => Some(KnobValue::Number(value)),
            (Usual::Flag(on), _) => Some(KnobValue::Flag(on)),
            (Usual::First, Kind::Choice(words)) => words.first().map(|word| KnobValue::Text((*word).into())),
            (Usual::Open | Usual::First, _) => None,
        }
    }

    /// Refuses a value that the knob does not take; makes −0 and 0 one.
    pub(super) fn check(&self, value: &mut KnobValue) -> Result<()> {
        let wanted = match (self.kind, value) {
            (Kind::Number { min, max }, KnobValue::Number(number)) => {
                *number += 0.0;
                if number.is_finite() && (min..=max).contains(number) {
                    return Ok(());
                }
                format!("is {}, not a number from {} to {}", Figure(*number), Figure(min), Figure(max))
            }
            (Kind::Whole { max }, KnobValue::Number(number)) => {
                *number += 0.0;
                if number.fract() == 0.0 && (0.0..=max).contains(number) {
                    return Ok(());
                }
                format!("is {}, not a whole number from 0 to {}", Figure(*number), Figure(max))
            }
            (Kind::Choice(words), KnobValue::Text(word)) => {
                if words.contains(&word.as_str()) {
                    return Ok(());
                }
                let word: String = word.chars().take(40).collect();
                format!("is {word:?}, not one of: {}", words.join(", "))
            }
            (Kind::Flag, KnobValue::Flag(_)) => return Ok(()),
            (Kind::Text, KnobValue::Text(text)) => return super::short(text, self.name),
            (Kind::Number { .. } | Kind::Whole { .. }, _) => "is not a number".into(),
            (Kind::Flag, _) => "is neither true nor false".into(),
            (Kind::Choice(_) | Kind::Text, _) => "is not text".into(),
        };
        Err(Problem::new(ProblemKind::Value, format!("the plan's `{}` {wanted}", self.name), "Correct it in the plan.")
            .in_column(self.name))
    }
}
