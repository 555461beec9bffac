//! Afresh plans what to refresh, how often and in which order, and proves it.
//!
//! One idea runs through the crate: an item last synced `t` ago costs `c(t)`, syncing it every `T` costs `C(T)/T` on
//! average, and one more unit of frequency is worth `b(T) = T·c(T) − C(T)`. A change model says how items change, a metric
//! turns that into `c`, the solver equalises `b` across items at one price, and the timetable and the simulations show the
//! plan at work.
//!
//! Rooms, each using only those above it:
//!
//! | room | what lives there |
//! |---|---|
//! | [`problem`] | the one error: what is wrong, where, and what to do |
//! | `checksum` | CRC-32, of gzip files and links |
//! | [`numeric`] | roots, special functions, sums: only what no good crate gives |
//! | [`change`] | change models: Poisson, Weibull, Gamma–Poisson; rates from logs |
//! | [`staleness`] | freshness, age, content, harmonic, under fixed, random and purely random order |
//! | [`allocate`] | uniform, proportional, optimal; prices, certificates, trade-offs, the frequency curve |
//! | [`timetable`] | frequencies → visits |
//! | [`replay`] | Monte Carlo of any plan, and replay of real histories under any policy |
//! | [`probe`] | queries that refresh a relation through keyword search: which, in what order, how fast |
//! | [`ingest`] | bytes → typed columns, items or logs, every error with its place |
//! | [`plan`] | the document that a link or file carries: versioned, checked, bounded |
//! | [`view`] | what a lab shows, thinned to what pixels can show |
//! | `wasm` | the JavaScript boundary and nothing else (feature `wasm`) |

pub mod allocate;
pub mod change;
mod checksum;
pub mod ingest;
pub mod numeric;
pub mod plan;
pub mod probe;
pub mod problem;
pub mod replay;
pub mod staleness;
pub mod timetable;
pub mod view;
#[cfg(feature = "wasm")]
pub mod wasm;

pub(crate) use staleness::with_response;
