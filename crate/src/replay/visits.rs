//! When one item is visited, under each order policy (spec: "Order policies"), in the steady state.
//!
//! The first visit lies at or before time 0 and the sequence looks the same from everywhere: a fixed order has a uniform
//! phase; a random order, reshuffled each round, has one visit at a uniform moment of each round of length I, the rounds
//! themselves at a uniform phase, so that gaps are triangular on [0, 2I]; a purely random order is a Poisson process.

use super::draw::Stream;
use crate::staleness::Order;

/// The visits to one item, without end.
pub(super) struct Visits {
    order: Order,
    interval: f64,
    /// The next round (fixed, random) or the next visit (purely random), in intervals.
    position: f64,
    /// How far time 0 is into its round.
    phase: f64,
}

impl Visits {
    /// The visits that come `interval` apart on average.
    pub fn new(order: Order, interval: f64, stream: &mut Stream) -> Self {
        match order {
            Order::Fixed => Self { order, interval, position: 0.0, phase: stream.uniform() },
            // One round earlier, because the round that holds time 0 may have its visit after it.
            Order::Random => Self { order, interval, position: -1.0, phase: stream.uniform() },
            // Looking back from any moment, the time since the last visit is exponential too.
            Order::PurelyRandom => Self { order, interval, position: -stream.exponential(), phase: 0.0 },
        }
    }

    /// The next visit.
    pub fn next(&mut self, stream: &mut Stream) -> f64 {
        match self.order {
            Order::Fixed => {
                let visit = self.position - self.phase;
                self.position += 1.0;
                visit * self.interval
            }
            Order::Random => {
                let visit = self.position - self.phase + stream.uniform();
                self.position += 1.0;
                visit * self.interval
            }
            Order::PurelyRandom => {
                let visit = self.position;
                self.position += stream.exponential();
                visit * self.interval
            }
        }
    }
}
