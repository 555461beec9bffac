//! The knobs of the Allocate lab. Times are in days, frequencies per day.

use super::knobs::{ANY, Field, Kind, SIZE, Usual};

const fn field(number: u64, name: &'static str, kind: Kind, usual: Usual) -> Field {
    Field { number, name, kind, usual }
}

pub(super) const MODELS: &[&str] = &["poisson", "weibull", "gamma-poisson"];
pub(super) const METRICS: &[&str] = &["freshness", "age", "content", "harmonic"];
pub(super) const ORDERS: &[&str] = &["fixed", "random", "purely-random"];
pub(super) const POLICIES: &[&str] = &["optimal", "uniform", "proportional"];
pub(super) const SORTS: &[&str] = &["row", "id", "rate", "weight", "frequency", "freshness", "age", "share"];
const ASKS: &[&str] = &["budget", "target"];
const U32: Kind = Kind::Whole { max: u32::MAX as f64 };

/// New knobs go to the end, with the next number; what is here stays as it is.
pub(super) const FIELDS: &[Field] = &[
    field(1, "model", Kind::Choice(MODELS), Usual::First),
    field(2, "metric", Kind::Choice(METRICS), Usual::First),
    field(3, "order", Kind::Choice(ORDERS), Usual::First),
    field(4, "policy", Kind::Choice(POLICIES), Usual::First),
    field(5, "asks", Kind::Choice(ASKS), Usual::First),
    field(6, "budget", SIZE, Usual::Open),
    field(7, "target", ANY, Usual::Number(0.9)),
    field(8, "shape", SIZE, Usual::Number(1.0)),
    field(9, "evidence", SIZE, Usual::Number(10.0)),
    field(10, "hostCap", SIZE, Usual::Open),
    field(11, "minEvery", SIZE, Usual::Open),
    field(12, "maxEvery", SIZE, Usual::Open),
    field(13, "item", U32, Usual::Open),
    field(14, "sort", Kind::Choice(SORTS), Usual::Open),
    field(15, "descending", Kind::Flag, Usual::Open),
    field(16, "search", Kind::Text, Usual::Open),
    field(17, "logAxes", Kind::Flag, Usual::Open),
    field(18, "importanceDividedOut", Kind::Flag, Usual::Flag(true)),
    field(19, "simulationHorizon", SIZE, Usual::Number(30.0)),
    field(20, "simulationRuns", U32, Usual::Open),
    field(21, "seed", U32, Usual::Number(1.0)),
    field(22, "timetableHorizon", SIZE, Usual::Open),
    field(23, "timetableStart", ANY, Usual::Open),
    field(24, "timetableSlot", SIZE, Usual::Open),
    field(25, "timetableCapacity", U32, Usual::Open),
    field(26, "gammaMean", SIZE, Usual::Open),
    field(27, "gammaDelta", SIZE, Usual::Open),
    field(28, "gammaItems", U32, Usual::Open),
];
