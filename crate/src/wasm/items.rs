//! Items as a request carries them.

use serde::Deserialize;
use tsify::Tsify;

use super::fields::Column;
use crate::allocate::{Columns, Items};
use crate::change::Model;
use crate::problem::{Kind, Problem, Result};

/// Items as columns of equal length; typed arrays or plain arrays.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ItemColumns {
    /// Changes per unit of time, ≥ 0. Weibull: S(t) = exp(−rate·t^shape). Gamma–Poisson needs `alpha` and `beta` instead.
    #[tsify(optional)]
    rate: Option<Column>,
    /// Importance, ≥ 0; 1 unless given.
    #[tsify(optional)]
    weight: Option<Column>,
    /// Cost of one visit, > 0; 1 unless given.
    #[tsify(optional)]
    cost: Option<Column>,
    /// How many alike items the entry stands for, > 0; 1 unless given.
    #[tsify(optional)]
    count: Option<Column>,
    /// Lowest frequency allowed; 0 unless given.
    #[tsify(optional)]
    min: Option<Column>,
    /// Highest frequency allowed; unlimited unless given.
    #[tsify(optional)]
    max: Option<Column>,
    /// Weibull's shape γ, > 0.
    #[tsify(optional)]
    shape: Option<Column>,
    /// Gamma–Poisson: the Gamma's shape.
    #[tsify(optional)]
    alpha: Option<Column>,
    /// Gamma–Poisson: the Gamma's rate.
    #[tsify(optional)]
    beta: Option<Column>,
    /// Host of each item, as an index into `hostCaps`.
    #[tsify(optional)]
    host: Option<Column>,
}

impl ItemColumns {
    pub(super) fn check(&self, model: Model) -> Result<Items> {
        let numbers = |column: &Option<Column>, name: &str| column.as_ref().map(|c| c.numbers(name)).transpose();
        if self.rate.is_none() && model != Model::GammaPoisson {
            return Err(Problem::new(
                Kind::Field,
                "the items have no `rate`",
                "Give each item its changes per unit of time: items: { rate: [1, 2, 3] }.",
            )
            .in_column("rate"));
        }
        let columns = Columns {
            rate: numbers(&self.rate, "rate")?.unwrap_or_default(),
            weight: numbers(&self.weight, "weight")?,
            cost: numbers(&self.cost, "cost")?,
            count: numbers(&self.count, "count")?,
            min: numbers(&self.min, "min")?,
            max: numbers(&self.max, "max")?,
            shape: numbers(&self.shape, "shape")?,
            alpha: numbers(&self.alpha, "alpha")?,
            beta: numbers(&self.beta, "beta")?,
            host: self.host.as_ref().map(|c| c.indices("host")).transpose()?,
        };
        Items::new(model, columns)
    }
}
