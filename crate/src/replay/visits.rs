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
                // The first visit is the last one before time 0, and from there on the next is as far as from any moment.
                self.position = self.position.max(0.0) + stream.exponential();
                visit * self.interval
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Order, Stream, Visits};

    #[test]
    fn every_window_sees_the_same_number_of_visits_on_average() {
        for order in [Order::Fixed, Order::Random, Order::PurelyRandom] {
            let mut count = [0_u32; 4];
            for item in 0..40_000 {
                let mut stream = Stream::new(Stream::key(3, 0), item);
                let mut visits = Visits::new(order, 2.0, &mut stream);
                let first = visits.next(&mut stream);
                assert!(first <= 0.0, "{order:?} starts at {first}");
                let times = std::iter::repeat_with(|| visits.next(&mut stream)).take_while(|time| *time < 4.0);
                for time in times.filter(|time| *time > 0.0) {
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 3")]
                    let window = time as usize;
                    count[window] += 1;
                }
            }
            // 20,000 expected in each; the variance is at most that of a Poisson number.
            assert!(
                count.iter().all(|n| (f64::from(*n) - 20_000.0).abs() < 4.0 * 20_000_f64.sqrt()),
                "{order:?} {count:?}"
            );
        }
    }
}
