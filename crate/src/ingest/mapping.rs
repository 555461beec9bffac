//! What each column of a table is: guessed, and then the person's to change.

use super::pace::Unit;
use crate::problem::{Kind, Problem, Result};
use serde::{Deserialize, Serialize};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Role {
    /// Nothing that a plan needs.
    #[default]
    Ignore,
    /// The item's name.
    Id,
    /// Changes per unit of time.
    Rate,
    /// Mean time between changes.
    Interval,
    /// Importance.
    Weight,
    /// What one visit costs.
    Cost,
    /// How many alike items the row stands for.
    Count,
    /// The least frequency of visits.
    Min,
    /// The greatest frequency of visits.
    Max,
    /// The Weibull shape.
    Shape,
    /// The Gamma's shape.
    Alpha,
    /// The Gamma's rate: a time.
    Beta,
    /// The name of the host that serves the item.
    Host,
    /// The item's address, which gives the host, and the name if no column does.
    Url,
    /// When the item was last synced.
    LastSync,
}

impl Role {
    /// The role's word in messages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ignore => "ignored",
            Self::Id => "id",
            Self::Rate => "rate",
            Self::Interval => "interval",
            Self::Weight => "weight",
            Self::Cost => "cost",
            Self::Count => "count",
            Self::Min => "min",
            Self::Max => "max",
            Self::Shape => "shape",
            Self::Alpha => "alpha",
            Self::Beta => "beta",
            Self::Host => "host",
            Self::Url => "URL",
            Self::LastSync => "last sync",
        }
    }

    /// Whether bare numbers of this role need a unit of time.
    #[must_use]
    pub fn has_unit(self) -> bool {
        matches!(self, Self::Rate | Self::Interval | Self::Min | Self::Max | Self::Beta)
    }
}

/// What each column of a table is, and how its numbers are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Mapping {
    /// One role for each column.
    pub roles: Vec<Role>,
    /// The unit of each column's bare numbers: rates and bounds are *per* unit, intervals and beta *in* units. None is days.
    pub units: Vec<Option<Unit>>,
    /// Whether numbers are written as 1,5.
    pub decimal_comma: bool,
    /// Whether the first row names the columns; JSON names them itself.
    pub header: bool,
}

impl Mapping {
    /// The column of this role.
    #[must_use]
    pub fn column(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|known| *known == role)
    }

    /// The unit of a column's bare numbers.
    #[must_use]
    pub fn unit(&self, column: usize) -> Unit {
        self.units.get(column).copied().flatten().unwrap_or(Unit::Days)
    }

    /// Refuses a mapping that does not fit the table, uses a role twice, or gives no rate.
    pub(super) fn check(&self, names: &[String]) -> Result<()> {
        self.check_roles(names)?;
        let has = |role| self.column(role).is_some();
        if !has(Role::Rate) && !has(Role::Interval) && !has(Role::Alpha) {
            return Err(Problem::new(
                Kind::Field,
                "no column says how often items change",
                "Choose the column that holds the rate of change, or the mean interval between changes.",
            ));
        }
        Ok(())
    }

    /// Refuses a mapping that does not fit the table or uses a role twice.
    pub(super) fn check_roles(&self, names: &[String]) -> Result<()> {
        if self.roles.len() != names.len() || self.units.len() != names.len() {
            return Err(Problem::new(
                Kind::Length,
                format!(
                    "the mapping has {} roles and {} units for {} columns",
                    self.roles.len(),
                    self.units.len(),
                    names.len()
                ),
                "Give one role and one unit (or null) for each column.",
            ));
        }
        for (column, role) in self.roles.iter().enumerate().filter(|(_, role)| **role != Role::Ignore) {
            if let Some(first) = self.roles[..column].iter().position(|other| other == role) {
                return Err(Problem::new(
                    Kind::Field,
                    format!("columns {:?} and {:?} are both the {}", names[first], names[column], role.word()),
                    "Keep one of them and set the other to ignore.",
                )
                .in_column(&names[column]));
            }
        }
        let has = |role| self.column(role).is_some();
        if has(Role::Rate) && has(Role::Interval) {
            return Err(Problem::new(
                Kind::Field,
                "there is both a rate and an interval column",
                "Keep one of them and set the other to ignore: each follows from the other.",
            ));
        }
        if has(Role::Alpha) != has(Role::Beta) {
            return Err(Problem::new(
                Kind::Field,
                "alpha and beta come together: the Gamma's shape and its rate",
                "Choose both columns, or neither.",
            ));
        }
        if has(Role::Shape) && has(Role::Alpha) {
            return Err(Problem::new(
                Kind::Field,
                "a Weibull shape and a Gamma's alpha and beta are two different models",
                "Keep the shape, or alpha and beta.",
            ));
        }
        Ok(())
    }
}
