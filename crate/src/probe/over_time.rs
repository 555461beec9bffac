//! Content freshness over time under four ways of sending queries (Yang et al. §5.2, Fig. 2).
//!
//! All send the same number of requests per unit of time, and all rows are in sync at time 0:
//!
//! - *naive 1*: by ID, one row a request, round robin;
//! - *naive 2*: by ID, only the rows that change less than once per unit of time;
//! - *greedy*: the queries in the order of §4.3, again and again;
//! - *cube-root*: each query at its own frequency, fᵢ ∝ (Λᵢ/κᵢ)^(1/3), whichever is most overdue first.
//!
//! A change at time u that is next synced at z adds w·(t − u) to every time t in between, so it enters the running sums of w
//! and w·u at the first point of the grid after u and leaves them at z: a change costs O(log) whatever the number of points.
//! All ways meet the same changes. The expected line is (1/|L|) Σ ½wλ(t − s)², s the last sync.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::index::Lists;
use super::order::{Groups, above_zero, frequencies, measures, order_queries};
use crate::problem::{Kind, Problem, Result};
use crate::replay::Stream;

/// F(e; t): the summed delays of the changes that an item has missed since its last sync (§4.2, Table 2).
#[must_use]
pub fn content_freshness(missed: &[f64], time: f64) -> f64 {
    missed.iter().filter(|change| **change < time).map(|change| time - change).sum()
}

/// The most points of a line: what pixels can show.
pub const MOST_POINTS: usize = 2_000;
/// The most changes, and the most syncs of rows, that a run may have.
const MOST_EVENTS: f64 = 3e7;

/// How queries are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// By ID, all rows in turn.
    Naive1,
    /// By ID, only rows that change less than once per unit of time.
    Naive2,
    /// Queries in the order of the paper.
    Greedy,
    /// Queries at cube-root frequencies.
    CubeRoot,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Naive1, Self::Naive2, Self::Greedy, Self::CubeRoot];
}

/// What is simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Changes per unit of time of each row.
    pub rate: Vec<f64>,
    /// Importance of each row.
    pub weight: Vec<f64>,
    /// The rows that each query refreshes.
    pub groups: Lists,
    /// The requests that each query takes.
    pub requests: Vec<f64>,
}

impl Scenario {
    /// The citations of §5.2: `papers` papers with x citations from the density 2/x³ on x ≥ 1, rate x/4, in `groups` groups
    /// of at most ten.
    pub fn citations(papers: usize, groups: usize, seed: u64) -> Result<Self> {
        const FULL: usize = 10;
        const MOST_PAPERS: usize = 1_000_000;
        if papers == 0 || papers > MOST_PAPERS || groups.saturating_mul(FULL) < papers || groups > papers {
            return Err(Problem::new(
                Kind::Value,
                format!("{papers} papers do not make {groups} groups of at most {FULL}"),
                "Take 1,000 papers in 200 groups, as the paper does.",
            )
            .in_column("groups"));
        }
        let mut stream = Stream::new(Stream::key(seed, 0), 0);
        // 1 − u is never 0, so no paper has infinitely many citations.
        let rate = (0..papers).map(|_| 0.25 / (1.0 - stream.uniform()).sqrt()).collect();
        // One paper each first, or some group would be left without any.
        let mut members: Vec<Vec<u32>> = (0..).take(groups).map(|paper| vec![paper]).collect();
        let mut open: Vec<usize> = (0..groups).collect();
        for paper in (0_u32..).take(papers).skip(groups) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the number of groups")]
            let place = (stream.uniform() * open.len() as f64) as usize;
            let group = open[place];
            members[group].push(paper);
            if members[group].len() == FULL {
                open.swap_remove(place);
            }
        }
        let requests = vec![1.0; groups];
        Ok(Self { rate, weight: vec![1.0; papers], groups: members.into_iter().collect(), requests })
    }
}

/// The content freshness of one way of sending queries.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Simulated, at each time.
    pub simulated: Vec<f64>,
    /// Expected, at each time.
    pub expected: Vec<f64>,
    /// The mean of the simulated line.
    pub mean: f64,
    /// The mean of the expected line.
    pub mean_expected: f64,
}

/// What a run showed.
#[derive(Debug, Clone, PartialEq)]
pub struct OverTime {
    /// The times of all lines.
    pub time: Vec<f64>,
    /// One line for each of [`Way::ALL`].
    pub lines: Vec<Line>,
}

/// When each row is synced, in one way.
#[derive(Debug)]
struct Plan {
    /// For each row, the list in `times` that holds its syncs.
    list: Vec<u32>,
    times: Vec<Vec<f64>>,
    /// Running sums of w and w·u that enter and leave at each point.
    enter: Vec<(f64, f64)>,
    expected: Vec<f64>,
}

/// A run under way, row by row.
#[derive(Debug)]
pub struct Simulating {
    scenario: Scenario,
    horizon: f64,
    points: usize,
    key: u64,
    plans: Vec<Plan>,
    row: usize,
}

impl Simulating {
    /// Lays out the syncs of all four ways. `budget` is requests per unit of time.
    pub fn new(scenario: Scenario, budget: f64, horizon: f64, points: usize, seed: u64) -> Result<Self> {
        above_zero(budget, "budget")?;
        above_zero(horizon, "horizon")?;
        if !(2..=MOST_POINTS).contains(&points) {
            return Err(Problem::new(
                Kind::Value,
                format!("`points` is {points}, not from 2 to {MOST_POINTS}"),
                "500 make a smooth line.",
            )
            .in_column("points"));
        }
        let rows = scenario.rate.len();
        measures(&scenario.requests, scenario.groups.len(), "requests")?;
        let groups = Groups::new(&scenario.groups, Some(&scenario.weight), &scenario.rate)?;
        let changes: f64 = scenario.rate.iter().sum::<f64>() * horizon;
        let queries = budget * horizon;
        if rows == 0 || groups.is_empty() {
            return Err(Problem::new(
                Kind::Value,
                "there are no rows to refresh",
                "Give at least one row and one group.",
            )
            .in_column("rate"));
        }
        if !(changes <= MOST_EVENTS && queries <= MOST_EVENTS) {
            return Err(Problem::new(
                Kind::Size,
                format!("there would be {changes:.3e} changes and {queries:.3e} requests to simulate"),
                "Shorten the horizon, or take a part of the rows.",
            )
            .in_column("horizon"));
        }
        let order = order_queries(&groups, 1.0)?.order;
        let frequency = frequencies(&groups, &scenario.requests, budget)?.frequency;
        let by_id: Vec<u32> = (0..).take(rows).collect();
        let slow: Vec<u32> = by_id.iter().copied().filter(|&row| scenario.rate[row as usize] < 1.0).collect();
        let ones = vec![1.0; rows];
        // Rows that no query refreshes share one empty list.
        let nowhere = u32::try_from(groups.len()).unwrap_or(u32::MAX);
        let mut of_row = vec![nowhere; rows];
        for (group, members) in (0_u32..).zip(groups.rows.iter()) {
            for &row in members {
                of_row[row as usize] = group;
            }
        }
        let plan = |list: &[u32], times: Vec<Vec<f64>>| Plan {
            list: list.to_vec(),
            times,
            enter: vec![(0.0, 0.0); points + 1],
            expected: Vec::new(),
        };
        let mut plans = vec![
            plan(&by_id, in_turn(&by_id, &ones, rows, budget, horizon)),
            plan(&by_id, in_turn(&slow, &ones, rows, budget, horizon)),
            plan(&of_row, in_turn(&order, &scenario.requests, groups.len() + 1, budget, horizon)),
            plan(&of_row, most_overdue(&frequency, &scenario.requests, budget, horizon)),
        ];
        for plan in &mut plans {
            plan.expected = expected(plan, &scenario, horizon, points);
        }
        Ok(Self { scenario, horizon, points, key: Stream::key(seed, 1), plans, row: 0 })
    }

    /// Simulates about so many more changes; returns the fraction that is done.
    pub fn step(&mut self, changes: usize) -> f64 {
        let mut left = changes;
        let rows = self.scenario.rate.len();
        while left > 0 && self.row < rows {
            left = left.saturating_sub(self.simulate_row(self.row) + 1);
            self.row += 1;
        }
        self.row as f64 / rows as f64
    }

    /// The lines; simulates what is left first.
    #[must_use]
    pub fn finish(mut self) -> OverTime {
        self.step(usize::MAX);
        let size = self.scenario.rate.len() as f64;
        let spacing = self.horizon / (self.points - 1) as f64;
        let time: Vec<f64> = (0..self.points).map(|point| point as f64 * spacing).collect();
        let mean = |line: &[f64]| line.iter().sum::<f64>() / line.len() as f64;
        let line = |plan: Plan| {
            let (mut weight, mut moment) = (0.0, 0.0);
            let at = |(&time, &(w, m)): (&f64, &(f64, f64))| {
                weight += w;
                moment += m;
                // Sums return to 0 only up to rounding.
                f64::max((weight * time - moment) / size, 0.0)
            };
            let simulated: Vec<f64> = time.iter().zip(&plan.enter).map(at).collect();
            Line { mean: mean(&simulated), mean_expected: mean(&plan.expected), simulated, expected: plan.expected }
        };
        let lines = self.plans.into_iter().map(line).collect();
        OverTime { time, lines }
    }

    fn simulate_row(&mut self, row: usize) -> usize {
        let (rate, weight) = (self.scenario.rate[row], self.scenario.weight[row]);
        if rate == 0.0 || weight == 0.0 {
            return 0;
        }
        let spacing = self.horizon / (self.points - 1) as f64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and saturates")]
        let point_from = |time: f64| ((time / spacing).ceil() as usize).min(self.points);
        let mut stream = Stream::new(self.key, row as u64);
        let (mut time, mut made) = (0.0, 0);
        loop {
            time += stream.exponential() / rate;
            if time >= self.horizon {
                return made;
            }
            made += 1;
            for plan in &mut self.plans {
                let syncs = &plan.times[plan.list[row] as usize];
                let next = syncs.get(syncs.partition_point(|sync| *sync <= time)).copied().unwrap_or(f64::INFINITY);
                let (first, end) = (point_from(time), point_from(next));
                if first < end {
                    plan.enter[first].0 += weight;
                    plan.enter[first].1 += weight * time;
                    plan.enter[end].0 -= weight;
                    plan.enter[end].1 -= weight * time;
                }
            }
        }
    }
}

/// When each of `lists` lists is synced if `order` is gone through again and again, each taking its requests.
fn in_turn(order: &[u32], requests: &[f64], lists: usize, budget: f64, horizon: f64) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::new(); lists];
    let mut sent = 0.0;
    for &list in order.iter().cycle() {
        sent += requests[list as usize].max(1.0);
        let time = sent / budget;
        if time > horizon {
            break;
        }
        times[list as usize].push(time);
    }
    times
}

/// The same, if always the list goes next whose turn at its own frequency comes first.
fn most_overdue(frequency: &[f64], requests: &[f64], budget: f64, horizon: f64) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::new(); frequency.len() + 1];
    // First turns are spread by the golden ratio, or queries of one frequency would come in a bunch.
    let phase = |query: u32| (f64::from(query) * 0.618_033_988_749_894_9).fract();
    // The bits of a number from 0 up are in its order.
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> = (0_u32..)
        .zip(frequency)
        .filter(|(_, frequency)| **frequency > 0.0)
        .map(|(query, frequency)| Reverse(((phase(query) / frequency).to_bits(), query)))
        .collect();
    let mut sent = 0.0;
    while let Some(Reverse((due, number))) = heap.pop() {
        let query = number as usize;
        sent += requests[query].max(1.0);
        let time = sent / budget;
        if time > horizon {
            break;
        }
        times[query].push(time);
        heap.push(Reverse(((f64::from_bits(due) + 1.0 / frequency[query]).to_bits(), number)));
    }
    times
}

/// (1/|L|) Σ ½wλ(t − s)² at each point, from running sums of wλ·s and wλ·s² that change at each sync.
fn expected(plan: &Plan, scenario: &Scenario, horizon: f64, points: usize) -> Vec<f64> {
    let mut change = vec![0.0; plan.times.len()];
    for (row, &list) in plan.list.iter().enumerate() {
        change[list as usize] += scenario.weight[row] * scenario.rate[row];
    }
    let spacing = horizon / (points - 1) as f64;
    let mut steps = vec![(0.0, 0.0); points + 1];
    for (change, times) in change.iter().zip(&plan.times) {
        let mut last = 0.0;
        for &time in times {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and saturates")]
            let point = ((time / spacing).ceil() as usize).min(points);
            steps[point].0 += change * (time - last);
            steps[point].1 += change * (time * time - last * last);
            last = time;
        }
    }
    let total: f64 = change.iter().sum();
    let size = scenario.rate.len() as f64;
    let (mut first, mut second) = (0.0, 0.0);
    (0..points)
        .map(|point| {
            let time = point as f64 * spacing;
            first += steps[point].0;
            second += steps[point].1;
            f64::max(0.5 * (total * time * time - 2.0 * first * time + second) / size, 0.0)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The running sums of a run against the definition, change by change and sync by sync.
    #[test]
    fn lines_are_the_sums_of_the_delays_of_what_was_missed() {
        let scenario = Scenario::citations(12, 3, 5).unwrap();
        let (budget, horizon, points) = (2.0, 30.0, 61);
        let mut job = Simulating::new(scenario.clone(), budget, horizon, points, 5).unwrap();
        job.step(1);
        let (key, plans): (u64, Vec<_>) =
            (job.key, job.plans.iter().map(|plan| (plan.list.clone(), plan.times.clone())).collect());
        let run = job.finish();
        for (line, (list, times)) in run.lines.iter().zip(&plans) {
            for (point, &time) in run.time.iter().enumerate() {
                let (mut simulated, mut expected) = (0.0, 0.0);
                for row in 0..12 {
                    let synced =
                        times[list[row] as usize].iter().copied().filter(|sync| *sync <= time).fold(0.0, f64::max);
                    let mut stream = Stream::new(key, row as u64);
                    let (mut change, mut missed) = (0.0, Vec::new());
                    while change < horizon {
                        change += stream.exponential() / scenario.rate[row];
                        missed.push(change);
                    }
                    missed.retain(|change| *change > synced);
                    simulated += content_freshness(&missed, time) / 12.0;
                    expected += 0.5 * scenario.rate[row] * (time - synced) * (time - synced) / 12.0;
                }
                assert!(
                    (line.simulated[point] - simulated).abs() < 1e-9,
                    "{} against {simulated}",
                    line.simulated[point]
                );
                assert!((line.expected[point] - expected).abs() < 1e-9, "{} against {expected}", line.expected[point]);
            }
        }
    }

    #[test]
    fn rows_that_no_query_refreshes_and_ways_without_rows_are_fine() {
        let scenario = Scenario {
            rate: vec![2.0, 3.0, 0.0],
            weight: vec![1.0; 3],
            groups: [[1]].into_iter().collect(),
            requests: vec![4.0],
        };
        let run = Simulating::new(scenario, 1.0, 10.0, 11, 1).unwrap().finish();
        // Nothing changes less than once per unit of time but the row that never does.
        assert!((run.lines[1].expected[10] - 0.5 * 5.0 * 100.0 / 3.0).abs() < 1e-9);
        assert!(run.lines[2].expected[10] < run.lines[1].expected[10]);
    }
}
