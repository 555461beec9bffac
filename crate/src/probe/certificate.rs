//! How far the greedy queries can be from the cheapest ones: a lower bound from dual prices.
//!
//! # What is bounded
//!
//! The least cost of any set of queries whose expected gain is at least the greedy's, G = Σ seen(q)·gain(q). The set may use
//! every query considered ([`super::greedy`]), whatever top-k allowed the greedy itself, and a row that several of its queries
//! match is taken to be seen with the sum of their chances, at most 1, which no dependence between result pages exceeds. Costs
//! and chances are those of [`super::cost::Cost`] on the same server counts. Where the greedy covered everything for sure
//! (method 1 without a cap) that is the least cost of covering; where it stopped early, of gaining as much, on any rows.
//!
//! # Why it is a bound
//!
//! Let v(r) be what row r is worth, V = Σ v(r) over the rows that have keywords, and z(r) ≤ 1 the chance that Q sees r, so that
//! z(r) ≤ Σ_{q∈Q, r∈q} seen(q) and Σ v(r)z(r) ≥ G. Give each row a price y(r) ≥ 0 such that no query is worth more than it
//! costs: seen(q)·Σ_{r∈q} y(r) ≤ cost(q), that is, its load, the score of Σ y(r), is at most 1. For any μ ≥ 0, with
//! c(r) = min(y(r), μv(r)),
//!
//! ```text
//! cost(Q) ≥ Σ_{q∈Q} seen(q) Σ_{r∈q} c(r) ≥ Σ c(r)z(r) ≥ Σ c(r) − Σ μv(r)(1 − z(r)) ≥ Σ c(r) − μ(V − G)
//! ```
//!
//! where the third step holds as c(r)(1 − z(r)) ≤ μv(r)(1 − z(r)): weak duality of the covering program of §3.3 for partial
//! cover. The right side is concave in μ, with its peak where the rows whose y/v is above μ are worth V − G together.
//!
//! The greedy run suggests prices: v(r) over the score of the query that covered r first, or for rows that none did, of the
//! last. They may load some query by more than 1. Dividing each price by the largest load of the row's queries makes them
//! feasible: Σ_{r∈q} y(r)/max_{q'∋r} load(q') ≤ Σ_{r∈q} y(r)/load(q). Where all loads of a row's queries are below 1 the same
//! step raises its price, so repeating it never lowers the bound, and cutting prices down to c first, which the bound does not
//! feel, makes room for others.

use super::cost::Cost;
use super::greedy::{Candidates, Greedy};
use super::index::Splitter;
use crate::numeric::sort;
use crate::numeric::sum::sum;

/// How often prices are made feasible and raised: once is enough for a bound, and more make it better.
const MOST_SWEEPS: usize = 8;
/// Keywords of all rows that all sweeps together may look at, if one does not by itself.
const MANY: usize = 2_000_000;

/// A row of the dual program.
#[derive(Debug, Clone, Copy)]
struct Dual {
    price: f64,
    /// The largest load of the row's queries in this sweep.
    load: f64,
}

/// Sweeps over all queries, in steps.
#[derive(Debug)]
pub(super) struct Certificate {
    rows: Vec<Dual>,
    /// V − G: what the queries to compare with may leave out.
    spare: f64,
    bound: f64,
    sweep: usize,
    sweeps: usize,
    keyword: usize,
    pairs: Splitter,
    triples: Splitter,
}

impl Certificate {
    /// Starts from the scores of the greedy queries.
    pub(super) fn new(queries: &Candidates, greedy: &Greedy) -> Self {
        let (index, value) = (&queries.index, greedy.value());
        let last = greedy.queries.last().map_or(f64::INFINITY, |query| query.score);
        let mut score = vec![last; value.len()];
        for (query, group) in greedy.queries.iter().zip(greedy.groups.iter()) {
            for &row in group {
                score[row as usize] = query.score;
            }
        }
        let price = |(score, value): (&f64, &f64)| Dual { price: value / score, load: 0.0 };
        let all = sum(value.iter().zip(index.rows.iter()).filter(|(_, row)| !row.is_empty()).map(|(value, _)| *value));
        let gained = sum(greedy.queries.iter().map(|query| query.gain * queries.cost.seen(query.server)));
        // Rounding must not make the bound too good.
        let spare = if gained < all { all - gained + 1e-12 * all } else { 0.0 };
        let sweeps = (MANY / index.rows.entries().max(1)).clamp(1, MOST_SWEEPS);
        let [pairs, triples] = [(); 2].map(|()| Splitter::new(index.postings.len()));
        let rows = score.iter().zip(value).map(price).collect();
        Self { rows, spare, bound: 0.0, sweep: 0, sweeps, keyword: 0, pairs, triples }
    }

    /// Looks at queries until about so many rows have been looked at; says whether all sweeps are done.
    pub(super) fn step(&mut self, queries: &Candidates, greedy: &Greedy, rows: usize) -> bool {
        let mut left = rows;
        while self.sweep < self.sweeps && left > 0 {
            if self.keyword == queries.index.postings.len() {
                self.settle(greedy);
                self.keyword = 0;
                self.sweep += 1;
                continue;
            }
            left = left.saturating_sub(self.look(queries, greedy, self.keyword) + 1);
            self.keyword += 1;
        }
        self.sweep == self.sweeps
    }

    /// How much of the sweeps is done.
    pub(super) fn fraction(&self, keywords: usize) -> f64 {
        (self.sweep as f64 + self.keyword as f64 / keywords.max(1) as f64) / self.sweeps as f64
    }

    /// The bound.
    pub(super) fn bound(&self, cost: Cost) -> f64 {
        // Whole requests; and rounding must not make the bound too good.
        if cost.in_requests() { (self.bound * (1.0 - 1e-9) - 1e-9).ceil().max(0.0) } else { self.bound * (1.0 - 1e-12) }
    }

    /// Makes the prices feasible, finds the best μ for them, and cuts down what it does not count.
    fn settle(&mut self, greedy: &Greedy) {
        let lone = greedy.lone_unit();
        for (row, lone) in self.rows.iter_mut().zip(lone) {
            let load = row.load.max(row.price * lone);
            *row = Dual { price: if load > 0.0 { row.price / load } else { 0.0 }, load: 0.0 };
        }
        let value = greedy.value();
        if self.spare > 0.0 {
            let ratio = |(row, value): (&Dual, &f64)| if *value > 0.0 { row.price / value } else { 0.0 };
            let ratios: Vec<f64> = self.rows.iter().zip(value).map(ratio).collect();
            let mut left = self.spare;
            let above = sort::order(ratios.iter().copied(), true).into_iter().map(|row| row as usize);
            let most = above.skip_while(|&row| {
                left -= value[row];
                left > 0.0
            });
            let most = most.map(|row| ratios[row]).next().unwrap_or(0.0);
            for (row, value) in self.rows.iter_mut().zip(value) {
                row.price = row.price.min(most * value);
            }
            self.bound = self.bound.max(sum(self.rows.iter().map(|row| row.price)) - most * self.spare);
        } else {
            self.bound = self.bound.max(sum(self.rows.iter().map(|row| row.price)));
        }
    }

    /// Takes in the loads of all queries whose first keyword is this one; where the greedy has looked at them, from there.
    fn look(&mut self, queries: &Candidates, greedy: &Greedy, keyword: usize) -> usize {
        let Candidates { index, narrow, server, cost, max_terms } = queries;
        let max_terms = *max_terms;
        let Ok(first) = u32::try_from(keyword) else { return 0 };
        let Self { rows: duals, pairs, triples, .. } = self;
        let mut take = |count: &mut dyn FnMut() -> f64, rows: &[u32]| {
            let priced: f64 = rows.iter().map(|&row| duals[row as usize].price).sum();
            if priced > 0.0 {
                let here = cost.score(priced, count());
                for &row in rows {
                    let most = &mut duals[row as usize].load;
                    *most = most.max(here);
                }
            }
        };
        let rows = index.postings.get(keyword);
        take(&mut || server.count(&[first], rows.len()).0, rows);
        if max_terms < 2 || greedy.pairs(keyword, &mut |pair| take(&mut || pair.server, pair.rows)) {
            return rows.len() * 4;
        }
        let rows = narrow.postings.get(keyword);
        pairs.split(&narrow.rows, rows, first, &mut |second, rows| {
            take(&mut || server.count(&[first, second], rows.len()).0, rows);
            if max_terms > 2 {
                triples.split(&narrow.rows, rows, second, &mut |third, rows| {
                    take(&mut || server.count(&[first, second, third], rows.len()).0, rows);
                });
            }
        });
        rows.len() * if max_terms > 2 { 64 } else { 8 }
    }
}
