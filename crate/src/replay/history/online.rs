//! Online re-planning: a crawler that learns from its own visits, and from nothing else.
//!
//! It starts from the Gammas fitted to the training part. A visit that finds no change after a gap τ adds τ to β, exactly; one
//! that finds a change turns the Gamma into a difference of two, Gamma(α, β) − (β/(β+τ))^α Gamma(α, β+τ), whose mean and
//! variance are kept in a Gamma again. Every so often the plan is made anew with the mean rates known by then (a plan with whole
//! Gammas takes a hundred times as long); an item keeps the share of its round that it has waited.

use super::fixed::plan;
use super::scene::{Copy, Scene};
use super::tally::{Tally, expected};
use crate::allocate::{Items, Policy};
use crate::problem::Result;
use crate::staleness::Metric;

/// A learning crawler at work.
#[derive(Debug)]
pub(super) struct Online {
    every: f64,
    /// What is known by now.
    alpha: Vec<f64>,
    beta: Vec<f64>,
    /// What was known when the plan was made.
    items: Option<Items>,
    frequency: Vec<f64>,
    /// The share of its round that each item has waited.
    waited: Vec<f64>,
    last: Vec<f64>,
    seen: Vec<usize>,
    from: f64,
    next: usize,
}

impl Online {
    pub fn new(scene: &Scene, every: f64) -> Self {
        Self {
            every,
            alpha: scene.rates.alpha.clone(),
            beta: scene.rates.beta.clone(),
            items: None,
            frequency: Vec::new(),
            waited: (0..scene.len()).map(|item| 1.0 - Scene::phase(item)).collect(),
            last: vec![0.0; scene.len()],
            seen: (0..scene.len()).map(|item| scene.changes(item).1).collect(),
            from: 0.0,
            next: 0,
        }
    }

    /// Plans, or makes about so many visits; returns the fraction that is done.
    pub fn step(&mut self, scene: &Scene, tally: &mut Tally, visits: usize) -> Result<f64> {
        let mut left = visits;
        while left > 0 && self.from < scene.horizon {
            let items = if let Some(items) = self.items.take() {
                items
            } else {
                let means = self.alpha.iter().zip(&self.beta).map(|(alpha, beta)| alpha / beta).collect();
                let items = scene.certain(means)?;
                self.frequency = plan(&items, Metric::Freshness, Policy::Optimal, scene.budget)?;
                items
            };
            // A last stretch shorter than rounding would be planned for nothing.
            let end = self.from + self.every;
            let end = if end > scene.horizon * (1.0 - 1e-9) { scene.horizon } else { end };
            while left > 0 && self.next < scene.len() {
                left = left.saturating_sub(1 + self.item(scene, tally, &items, end));
                self.next += 1;
            }
            if self.next == scene.len() {
                (self.from, self.next) = (end, 0);
            } else {
                self.items = Some(items);
            }
        }
        let within = self.next as f64 / scene.len() as f64 * self.every;
        Ok(((self.from + within) / scene.horizon).min(if self.from < scene.horizon { 0.999 } else { 1.0 }))
    }

    /// One item from now to the next plan; returns its visits.
    fn item(&mut self, scene: &Scene, tally: &mut Tally, items: &Items, end: f64) -> usize {
        let item = self.next;
        let (change, frequency) = (items.change(item), self.frequency[item]);
        let mut copy = Copy::new(scene.changes(item).0, self.seen[item]);
        let (mut visits, mut counted_from) = (0, self.from);
        let mut regular = None;
        let mut at = self.from + (1.0 - self.waited[item]).max(0.0) / frequency;
        while at < end {
            let missed = copy.visit(at);
            tally.visit(scene, item, at, missed);
            let gap = at - self.last[item];
            let cost = if visits == 0 {
                expected(&change, gap)
            } else {
                *regular.get_or_insert_with(|| expected(&change, 1.0 / frequency))
            };
            tally.promise(scene, item, cost);
            (self.alpha[item], self.beta[item]) = learned(self.alpha[item], self.beta[item], gap, missed.is_some());
            (self.last[item], self.waited[item], counted_from) = (at, 0.0, at);
            visits += 1;
            at += 1.0 / frequency;
        }
        self.waited[item] += (end - counted_from) * frequency;
        self.seen[item] = copy.seen();
        if end >= scene.horizon {
            tally.end(scene, item, copy.missed());
            tally.promise(scene, item, expected(&change, end - self.last[item]));
        }
        visits
    }
}

/// The Gamma after a visit that found a change in a gap, or none.
fn learned(alpha: f64, beta: f64, gap: f64, changed: bool) -> (f64, f64) {
    if !changed {
        return (alpha, beta + gap);
    }
    // 1 − (β/(β+τ))^a, with all its digits.
    let share = |a: f64| -libm::expm1(-a * libm::log1p(gap / beta));
    let mean = alpha / beta * share(alpha + 1.0) / share(alpha);
    let square = alpha * (alpha + 1.0) / (beta * beta) * share(alpha + 2.0) / share(alpha);
    let variance = square - mean * mean;
    if variance > 0.0 && mean.is_finite() {
        (mean * mean / variance, mean / variance)
    } else {
        // A Gamma so sharp that a visit cannot move it, or a gap of no length.
        (alpha, beta)
    }
}

#[cfg(test)]
mod tests {
    use super::learned;

    #[test]
    fn learning_keeps_the_mean_and_variance_of_the_exact_posterior() {
        // λ^(α−1) e^(−βλ) (1 − e^(−λτ)) by the midpoint rule.
        for (alpha, beta, gap) in [(0.7, 3.0, 2.0), (5.0, 10.0, 0.01), (40.0, 8.0, 30.0)] {
            let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
            let step = 2e-5 * (alpha + 10.0) / beta;
            for k in 0..400_000 {
                let rate = (f64::from(k) + 0.5) * step;
                let density = f64::exp((alpha - 1.0) * rate.ln() - beta * rate) * -f64::exp_m1(-rate * gap);
                mass += density;
                first += density * rate;
                second += density * rate * rate;
            }
            let (mean, square) = (first / mass, second / mass);
            let (alpha, beta) = learned(alpha, beta, gap, true);
            assert!((alpha / beta / mean - 1.0).abs() < 1e-6, "{alpha} {beta}: {mean}");
            assert!((alpha / (beta * beta) / (square - mean * mean) - 1.0).abs() < 1e-5);
        }
        assert_eq!(learned(2.0, 3.0, 4.0, false), (2.0, 7.0));
    }
}
