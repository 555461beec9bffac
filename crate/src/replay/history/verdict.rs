//! The answer in a sentence or two.

use std::fmt::Write;

use super::{Outcome, Policy};

/// A promise within this much of freshness was kept.
const KEPT: f64 = 0.02;

/// Which policy won, by how much, and whether its model's promise held.
#[must_use]
pub fn verdict(outcomes: &[Outcome], horizon: f64) -> String {
    let find = |policy| outcomes.iter().find(|outcome| outcome.policy == policy);
    let contestants = outcomes.iter().filter(|outcome| outcome.policy != Policy::Hindsight);
    let Some(best) = contestants.reduce(|best, next| if next.freshness > best.freshness { next } else { best }) else {
        return "Only hindsight was replayed, which nobody has.".into();
    };
    let points = |more: f64| format!("{:.1} points", 100.0 * more.abs());
    let mut text = format!(
        "Over the {horizon:.0} days of the test {} kept {:.1} % up to date",
        best.policy.name(),
        100.0 * best.freshness
    );
    if let Some(uniform) = find(Policy::Uniform).filter(|uniform| uniform.policy != best.policy) {
        let _ = write!(text, ", {} more than visiting all alike", points(best.freshness - uniform.freshness));
    }
    if let Some(ceiling) = find(Policy::Hindsight) {
        let short = ceiling.freshness - best.freshness;
        let side = if short >= 0.0 { "less" } else { "more" };
        let _ = write!(text, " and {} {side} than with the rates known in advance", points(short));
    }
    text.push('.');
    if best.predicted_freshness.is_nan() {
        text += " It is a rule of thumb, and promised nothing.";
    } else {
        let excess = best.predicted_freshness - best.freshness;
        let promise = 100.0 * best.predicted_freshness;
        let held = match () {
            () if excess.abs() <= KEPT => ": the promise held".into(),
            () if excess > 0.0 => format!(", {} too much", points(excess)),
            () => format!(", {} too little", points(excess)),
        };
        let _ = write!(text, " Its model had promised {promise:.1} %{held}.");
    }
    text
}
