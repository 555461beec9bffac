//! The knobs of the Allocate lab. Times are in days, frequencies per day.

use super::knobs::{ANY, Field, Kind, SIZE, Usual, knob};

pub(super) const MODELS: &[&str] = &["poisson", "weibull", "gamma-poisson"];
pub(super) const METRICS: &[&str] = &["freshness", "age", "content", "harmonic"];
pub(super) const ORDERS: &[&str] = &["fixed", "random", "purely-random"];
pub(super) const POLICIES: &[&str] = &["optimal", "uniform", "proportional"];
pub(super) const SORTS: &[&str] = &["row", "id", "rate", "weight", "frequency", "freshness", "age", "share"];
const ASKS: &[&str] = &["budget", "target"];
const U32: Kind = Kind::Whole { max: u32::MAX as f64 };

/// New knobs go to the end, with the next number; what is here stays as it is.
pub(super) const FIELDS: &[Field] = &[
    knob(1, "model", Kind::Choice(MODELS), Usual::First),
    knob(2, "metric", Kind::Choice(METRICS), Usual::First),
    knob(3, "order", Kind::Choice(ORDERS), Usual::First),
    knob(4, "policy", Kind::Choice(POLICIES), Usual::First),
    knob(5, "asks", Kind::Choice(ASKS), Usual::First),
    knob(6, "budget", SIZE, Usual::Open),
    knob(7, "target", ANY, Usual::Number(0.9)),
    knob(8, "shape", SIZE, Usual::Number(1.0)),
    knob(9, "evidence", SIZE, Usual::Number(10.0)),
    knob(10, "hostCap", SIZE, Usual::Open),
    knob(11, "minEvery", SIZE, Usual::Open),
    knob(12, "maxEvery", SIZE, Usual::Open),
    knob(13, "item", U32, Usual::Open),
    knob(14, "sort", Kind::Choice(SORTS), Usual::Open),
    knob(15, "descending", Kind::Flag, Usual::Open),
    knob(16, "search", Kind::Text, Usual::Open),
    knob(17, "logAxes", Kind::Flag, Usual::Open),
    knob(18, "importanceDividedOut", Kind::Flag, Usual::Flag(true)),
    knob(19, "simulationHorizon", SIZE, Usual::Number(30.0)),
    knob(20, "simulationRuns", U32, Usual::Open),
    knob(21, "seed", U32, Usual::Number(1.0)),
    knob(22, "timetableHorizon", SIZE, Usual::Open),
    knob(23, "timetableStart", ANY, Usual::Open),
    knob(24, "timetableSlot", SIZE, Usual::Open),
    knob(25, "timetableCapacity", U32, Usual::Open),
    knob(26, "gammaMean", SIZE, Usual::Open),
    knob(27, "gammaDelta", SIZE, Usual::Open),
    knob(28, "gammaItems", U32, Usual::Open),
];
