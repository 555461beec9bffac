//! The answer in a sentence or two.

use std::fmt::Write;

use super::{Outcome, Policy};
use crate::numeric::said::{counted, length};

/// A promise within this much of freshness was kept.
const KEPT: f64 = 0.02;

/// Who won, and how many promises held.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Which policy won, by how much, and whether its model's promise held.
    pub sentence: String,
    /// The outcome that kept most up to date, by its place; hindsight, which nobody has, does not count.
    pub best: Option<usize>,
    /// The outcome of least age, likewise.
    pub youngest: Option<usize>,
    /// How many promises of freshness were made.
    pub promised: usize,
    /// How many of them held to within 2 points.
    pub kept: usize,
}

/// The verdict on some outcomes.
#[must_use]
pub fn verdict(outcomes: &[Outcome], horizon: f64) -> Verdict {
    let most = |worth: &dyn Fn(&Outcome) -> f64| {
        let contestants = (0..outcomes.len()).filter(|&k| outcomes[k].policy != Policy::Hindsight);
        contestants.reduce(|best, next| if worth(&outcomes[next]) > worth(&outcomes[best]) { next } else { best })
    };
    let best = most(&|outcome| outcome.freshness);
    Verdict {
        sentence: sentence(outcomes, best.map(|best| &outcomes[best]), horizon),
        best,
        youngest: most(&|outcome| -outcome.age),
        promised: outcomes.iter().filter(|outcome| !outcome.difference.is_nan()).count(),
        kept: outcomes.iter().filter(|outcome| outcome.difference.abs() <= KEPT).count(),
    }
}

fn sentence(outcomes: &[Outcome], best: Option<&Outcome>, horizon: f64) -> String {
    let find = |policy| outcomes.iter().find(|outcome| outcome.policy == policy);
    let Some(best) = best else {
        return "Only hindsight was replayed, which nobody has.".into();
    };
    let points = |more: f64| format!("{:.1} points", 100.0 * more.abs());
    let mut text = format!(
        "Over the {} of the test {} kept {:.1} % up to date",
        if horizon < 1.0 { length(horizon) } else { counted(libm::round(horizon), "day") },
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
    if best.difference.is_nan() {
        text += " It is a rule of thumb, and promised nothing.";
    } else {
        let promise = 100.0 * best.predicted_freshness;
        let held = match best.difference {
            difference if difference.abs() <= KEPT => ": the promise held".into(),
            difference if difference < 0.0 => format!(", {} too much", points(difference)),
            difference => format!(", {} too little", points(difference)),
        };
        let _ = write!(text, " Its model had promised {promise:.1} %{held}.");
    }
    text
}
