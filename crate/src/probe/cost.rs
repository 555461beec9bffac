//! What a query costs and how much of it is seen (spec "Greedy probes", Eqn 2).
//!
//! | | cost | a matching row is seen with chance |
//! |---|---|---|
//! | method 1, all result pages | min(S, K) tuples, or ⌈min(S, K)/p⌉ requests | min(1, K/S) |
//! | method 2, the first page | 1 request | min(1, min(p, K)/S) |
//!
//! S = `|R_S(q)|`, p results on a page, K results at most. The score is expected gain over cost; in tuples that is Eqn 2,
//! gain/S, with or without a cap.

use serde::{Deserialize, Serialize};

/// What a greedy choice pays for, when all result pages are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Currency {
    /// Tuples transmitted, as in Eqn 2.
    #[default]
    Tuples,
    /// Requests sent.
    Requests,
}

/// How results are read and paid for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Whether only the first page is read (method 2) instead of all (method 1).
    pub first_page: bool,
    /// p, results on a page.
    pub page: f64,
    /// K, the most results that the site returns; infinite where there is no cap.
    pub cap: f64,
    /// What method 1 pays for; method 2 pays one request.
    pub currency: Currency,
}

/// A whole number of pages; estimates that miss it by a rounding error do not cost a page more.
fn pages(tuples: f64, page: f64) -> f64 {
    (tuples / page - 1e-9).ceil().max(1.0)
}

impl Cost {
    /// Tuples that are transmitted.
    #[must_use]
    pub fn tuples(self, server: f64) -> f64 {
        server.min(self.most_read())
    }

    /// Requests that are sent.
    #[must_use]
    pub fn requests(self, server: f64) -> f64 {
        if self.first_page { 1.0 } else { pages(server.min(self.cap), self.page) }
    }

    /// What the query costs, in the currency of the greedy choice.
    #[inline]
    #[must_use]
    pub fn of(self, server: f64) -> f64 {
        if self.in_requests() { self.requests(server) } else { self.tuples(server) }
    }

    /// Whether costs are whole numbers of requests.
    #[must_use]
    pub fn in_requests(self) -> bool {
        self.first_page || self.currency == Currency::Requests
    }

    /// The chance that a matching row is among the results that are read.
    #[must_use]
    pub fn seen(self, server: f64) -> f64 {
        f64::min(1.0, self.most_read() / server)
    }

    /// Expected gain over cost.
    #[inline]
    #[must_use]
    pub fn score(self, gain: f64, server: f64) -> f64 {
        if self.in_requests() { gain * self.seen(server) / self.requests(server) } else { gain / server }
    }

    /// No query whose uncovered rows are worth `gain` together and at most `dearest` each scores more than this.
    ///
    /// S is at least the number of rows m, and gain ≤ m·dearest. In tuples gain/S ≤ dearest, to the bit: gains are sums
    /// without rounding, and division rounds monotonically. In requests, reading m of them takes at least m/p.
    #[inline]
    #[must_use]
    pub fn bound(self, gain: f64, dearest: f64) -> f64 {
        // Three roundings in the score.
        const ROUNDING: f64 = 1.0 + 8.0 * f64::EPSILON;
        if self.in_requests() { gain.min(self.page * dearest * (1.0 + 1e-6) * ROUNDING) } else { dearest }
    }

    fn most_read(self) -> f64 {
        if self.first_page { self.page.min(self.cap) } else { self.cap }
    }
}
