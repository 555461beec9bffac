//! The knobs of the Replay lab. Times are in days, since 1970 where the history is of the calendar; the budget is per day.

use super::knobs::{ANY, Field, Kind, SIZE, Usual, knob};

const RATE_SORTS: &[&str] =
    &["row", "name", "rate", "low", "high", "changes", "exposure", "posterior", "poissonP", "shape"];
const POLICY_SORTS: &[&str] =
    &["name", "freshness", "predictedFreshness", "difference", "age", "predictedAge", "visits"];
const FIRST_EVENTS: &[&str] = &["change", "start"];

/// New knobs go to the end, with the next number; what is here stays as it is.
pub(super) const FIELDS: &[Field] = &[
    knob(1, "budget", SIZE, Usual::Open),
    knob(2, "trainFrom", ANY, Usual::Open),
    knob(3, "trainTo", ANY, Usual::Open),
    knob(4, "testTo", ANY, Usual::Open),
    knob(5, "mergeWithin", SIZE, Usual::Number(0.0)),
    knob(6, "firstEvent", Kind::Choice(FIRST_EVENTS), Usual::Open),
    knob(7, "replanEvery", SIZE, Usual::Open),
    // Names with commas between them: so a policy that is invented later needs no new knob.
    knob(8, "policies", Kind::Text, Usual::Open),
    knob(9, "shown", Kind::Text, Usual::Open),
    knob(10, "rateSort", Kind::Choice(RATE_SORTS), Usual::Open),
    knob(11, "rateDescending", Kind::Flag, Usual::Open),
    knob(12, "search", Kind::Text, Usual::Open),
    knob(13, "policySort", Kind::Choice(POLICY_SORTS), Usual::Open),
    knob(14, "policyDescending", Kind::Flag, Usual::Open),
];
