//! How fast to send queries to stay below a target (Yang et al. §4.4).
//!
//! The largest interval I with E[F(L; kI)] ≤ α·k·I·|L|. The best order does not depend on I and
//! g(x̃, I) = E[F(L; kI)]/(kI|L|) is proportional to I, so the answer is I = α/g(x̃, 1): no search is needed.

use super::order::{Groups, above_zero, order_queries};
use crate::problem::{Kind, Problem, Result};

/// g(x̃, 1): what one unit of interval costs, as a share of the growth if nothing were sent.
pub fn growth(groups: &Groups) -> Result<f64> {
    if groups.is_empty() || groups.size == 0 {
        return Err(Problem::new(
            Kind::Value,
            "there is no query to send",
            "Give at least one group of rows that a query refreshes.",
        )
        .in_column("groups"));
    }
    Ok(order_queries(groups, 1.0)?.value / (groups.len() as f64 * groups.size as f64))
}

/// The longest interval between queries that keeps content freshness at the end of a round within α·k·I·|L|; infinite when a
/// single query refreshes all that changes.
pub fn pace(groups: &Groups, alpha: f64) -> Result<f64> {
    above_zero(alpha, "alpha")?;
    Ok(alpha / growth(groups)?)
}
