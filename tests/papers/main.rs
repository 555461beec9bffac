//! The tables and figures of the papers, as tables in tests.

mod gamma_databases;
mod order_policies;
