//! The knobs of the Probe lab. Times are in days; the budget is of requests a day.

use super::knobs::{ANY, Field, Kind, SIZE, Usual, knob};

const METHODS: &[&str] = &["all-pages", "first-page"];
const COSTS: &[&str] = &["requests", "tuples"];
const STALENESS: &[&str] = &["quadratic", "linear", "unit"];
const SCENARIOS: &[&str] = &["table", "citations"];
pub(super) const SORTS: &[&str] =
    &["number", "terms", "rows", "serverCount", "requests", "score", "place", "a", "frequency"];
const SHARE: Kind = Kind::Number { min: 0.0, max: 1.0 };
const COUNT: Kind = Kind::Whole { max: 4_294_967_295.0 };

/// New knobs go to the end, with the next number; what is here stays as it is.
pub(super) const FIELDS: &[Field] = &[
    knob(1, "method", Kind::Choice(METHODS), Usual::First),
    knob(2, "pageSize", SIZE, Usual::Number(10.0)),
    knob(3, "resultCap", SIZE, Usual::Open),
    knob(4, "cost", Kind::Choice(COSTS), Usual::First),
    knob(5, "maxTerms", Kind::Whole { max: 3.0 }, Usual::Number(2.0)),
    knob(6, "topK", COUNT, Usual::Open),
    knob(7, "staleness", Kind::Choice(STALENESS), Usual::First),
    knob(8, "stopQueries", COUNT, Usual::Open),
    knob(9, "stopRequests", SIZE, Usual::Open),
    knob(10, "stopCoverage", SHARE, Usual::Open),
    knob(11, "serverSize", SIZE, Usual::Open),
    knob(12, "alpha", SIZE, Usual::Open),
    knob(13, "budget", SIZE, Usual::Open),
    knob(14, "horizon", SIZE, Usual::Open),
    knob(15, "seed", COUNT, Usual::Number(1.0)),
    knob(16, "scenario", Kind::Choice(SCENARIOS), Usual::First),
    // The day that syncs are counted back from.
    knob(17, "now", ANY, Usual::Open),
    // The factor of a sample's counts; fitted where it is not given.
    knob(18, "sampleScale", SIZE, Usual::Open),
    knob(19, "sort", Kind::Choice(SORTS), Usual::Open),
    knob(20, "descending", Kind::Flag, Usual::Open),
];
