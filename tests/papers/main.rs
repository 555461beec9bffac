//! The tables and figures of the papers, as tables in tests.

mod example4;
mod frequency_curve;
mod gamma_databases;
mod gamma_rates;
mod histories;
mod order_policies;
mod plans;
mod probe;
mod terms;
mod two_elements;
mod web_of_1999;
