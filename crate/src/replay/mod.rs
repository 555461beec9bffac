//! Plans at work (spec: "Proof by replay"): [Monte Carlo](simulate) of a whole set, and the [expected curve](sawtooth) of one
//! item.

mod check;
mod draw;
mod monte_carlo;
mod sawtooth;
mod spread;
#[cfg(test)]
mod tests;
mod visits;

pub(crate) use draw::Stream;
pub use monte_carlo::{MonteCarlo, Request, Simulation, simulate};
pub use sawtooth::{MOST_POINTS, Sawtooth, regular_visits, sawtooth};
