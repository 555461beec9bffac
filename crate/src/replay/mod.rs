//! Plans at work (spec: "Proof by replay"): [Monte Carlo](simulate) of a whole set, the [expected curve](sawtooth) of one item,
//! and [replays](history) of what really happened.

mod check;
mod draw;
pub mod history;
mod monte_carlo;
mod sawtooth;
mod spread;
mod stretches;
#[cfg(test)]
mod tests;
mod visits;

pub(crate) use draw::Stream;
pub use monte_carlo::{MonteCarlo, Request, Simulation, simulate};
pub use sawtooth::{MOST_POINTS, Sawtooth, regular_visits, sawtooth};
