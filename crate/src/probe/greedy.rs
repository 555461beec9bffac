//! Greedy probes (Algorithm 2 with Eqn 2): the query with the best score, then the best for what is left, and so on.
//!
//! # Which queries are considered
//!
//! Every keyword, and every conjunction of up to `max_terms` keywords that some row has. In a round with top-k only those
//! whose keywords are all among the k that the most uncovered rows have (rows worth refreshing; ties by the keywords' order).
//! A conjunction is formed from the [`width`] most frequent keywords of each row at most: a cell of ten thousand words has
//! fifty million pairs. The rows it matches are counted over those keywords too, so it never promises too much.
//!
//! # Why lazy evaluation is exact
//!
//! The chosen query is the first in the order (score falling, fewer terms, then lexicographic). As rows get covered a score
//! only falls: its numerator loses terms and its denominator stays. So an old score is an upper bound, and a heap of old
//! scores whose top is still true has found the maximum. Conjunctions enter the heap when a bound on all those that begin
//! with the same keyword comes to its top. With top-k, entries with a keyword that is not allowed wait at that keyword.
//!
//! Of the conjunctions that match one row alone only the best is kept, unless top-k may forbid it: their numerators are the
//! same until the row is covered, and then nothing is left of any. They are most of what there is.
//!
//! A conjunction is dropped once it can never be first. Let u(q) be its score for a gain of 1, n its uncovered rows that are
//! worth anything, and r the dearest of those: it scores at most n·w(r)·u(q), now and later. If a query for r alone has a u
//! above n·u(q), that one comes first until r is covered; if every one of the n rows has such a query, there is always one.
//!
//! Values of rows are rounded to a grid on which every sum is exact, so that sums depend neither on their order nor on how
//! they were reached, and "the same score" means the same bits.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::cost::Cost;
use super::index::{Index, Lists, Splitter};
use super::server::{Server, Source};
use crate::numeric::sort;

/// The most conjunctions of a table, counted with every row that has them: as many entries as memory and patience allow.
const MOST_CONJUNCTIONS: usize = 12_000_000;

/// When to stop, besides full coverage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// The most queries.
    pub queries: usize,
    /// The most requests; a query that would exceed them ends the run.
    pub requests: f64,
    /// The share of the rows that is enough.
    pub coverage: f64,
}

/// A chosen query.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Its keywords, ascending.
    pub terms: Vec<u32>,
    /// How many local rows match it, `|R_L(q)|`.
    pub local: usize,
    /// How many rows it covers that none before did.
    pub new: usize,
    /// What those rows are worth, Σ w·F.
    pub gain: f64,
    /// `|R_S(q)|`.
    pub server: f64,
    /// Where that comes from.
    pub source: Source,
    /// Requests it takes.
    pub requests: f64,
    /// Tuples it transmits.
    pub tuples: f64,
    /// Expected gain over cost when it was chosen.
    pub score: f64,
}

/// Values that add up without rounding: multiples of 2^−50 of their sum's power of two, and none above 0 becomes 0.
#[must_use]
pub fn on_grid(values: &[f64]) -> Vec<f64> {
    let total: f64 = values.iter().sum();
    let (_, exponent) = libm::frexp(total);
    let unit = libm::ldexp(1.0, (exponent - 50).max(-1000));
    values.iter().map(|&value| if value > 0.0 { libm::rint(value / unit).max(1.0) * unit } else { 0.0 }).collect()
}

/// How many keywords of a row conjunctions are formed from, so that all rows together have at most so many conjunctions.
#[must_use]
pub fn width(rows: &Lists, max_terms: usize) -> usize {
    width_for(rows, max_terms, MOST_CONJUNCTIONS)
}

fn width_for(rows: &Lists, max_terms: usize, most: usize) -> usize {
    let widest = rows.iter().map(<[u32]>::len).max().unwrap_or(0);
    if max_terms < 2 {
        return widest;
    }
    let mut of_length = vec![0_usize; widest + 1];
    rows.iter().for_each(|row| of_length[row.len()] += 1);
    let conjunctions = |length: usize| {
        let pairs = length.saturating_mul(length.saturating_sub(1)) / 2;
        let triples = if max_terms > 2 { pairs.saturating_mul(length.saturating_sub(2)) / 3 } else { 0 };
        pairs.saturating_add(triples)
    };
    let total = |width: usize| {
        let of = |(length, &rows): (usize, &usize)| conjunctions(length.min(width)).saturating_mul(rows);
        of_length.iter().enumerate().map(of).fold(0, usize::saturating_add)
    };
    let (mut fits, mut fails) = (1, widest + 1);
    while fails - fits > 1 {
        let middle = usize::midpoint(fits, fails);
        if total(middle) <= most { fits = middle } else { fails = middle }
    }
    fits
}

/// The rows of a conjunction.
fn pooled(pool: &[u32], place: u32) -> &[u32] {
    let start = place as usize + 1;
    &pool[start..start + pool[start - 1] as usize]
}

/// A query with its last known score, or (with `local` 0) a bound on all queries that begin with these terms and have one
/// more. Terms are keywords + 1, and 0 where there is none, which orders a bound before everything that it stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    score: f64,
    terms: [u32; 3],
    local: u32,
    /// Where the rows of a conjunction stand in the pool.
    place: u32,
}

impl Entry {
    fn new(score: f64, terms: &[u32], local: usize, place: u32) -> Self {
        let mut packed = [0; 3];
        packed.iter_mut().zip(terms).for_each(|(place, term)| *place = term + 1);
        Self { score, terms: packed, local: u32::try_from(local).unwrap_or(u32::MAX), place }
    }

    fn given(&self) -> usize {
        self.terms.iter().take_while(|&&term| term > 0).count()
    }

    fn keywords(&self) -> ([u32; 3], usize) {
        (self.terms.map(|term| term.wrapping_sub(1)), self.given())
    }

    fn size(&self) -> usize {
        self.given() + usize::from(self.local == 0)
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then_with(|| other.size().cmp(&self.size()))
            .then_with(|| other.terms.cmp(&self.terms))
            // A bound and a query may only be told apart by this.
            .then_with(|| other.local.cmp(&self.local))
    }
}

/// The k keywords that the most uncovered rows have. Counts only fall, so a heap's entry whose count has fallen is either
/// outdone by a newer one or brought up to date when it comes to the top.
#[derive(Debug)]
struct Top {
    k: usize,
    active: Vec<bool>,
    members: usize,
    /// The members, the one to go first at the top: few rows, then late in the order.
    worst: BinaryHeap<u64>,
    /// The others, the one to come first at the top.
    others: BinaryHeap<u64>,
}

/// Orders by count, then by keyword, the last first; as `!` of it orders the other way around.
fn packed(count: u32, keyword: u32) -> u64 {
    u64::from(count) << 32 | u64::from(!keyword)
}

#[allow(clippy::cast_possible_truncation, reason = "takes apart what was put together")]
fn unpacked(packed: u64) -> (u32, u32) {
    ((packed >> 32) as u32, !(packed as u32))
}

impl Top {
    fn new(k: usize, count: &[u32]) -> Self {
        let others = (0_u32..).zip(count).map(|(keyword, &count)| packed(count, keyword)).collect();
        Self { k, active: vec![false; count.len()], members: 0, worst: BinaryHeap::new(), others }
    }

    /// A keyword now has `count` uncovered rows, one less than before.
    fn fell(&mut self, keyword: u32, count: u32) {
        if self.active[keyword as usize] {
            self.worst.push(!packed(count, keyword));
        }
    }

    /// The member to go first.
    fn last(&mut self, count: &[u32]) -> Option<(u32, u32)> {
        while let Some(&top) = self.worst.peek() {
            let (known, keyword) = unpacked(!top);
            if self.active[keyword as usize] && known == count[keyword as usize] {
                return Some((known, keyword));
            }
            self.worst.pop();
        }
        None
    }

    fn remove(&mut self, keyword: u32) {
        self.worst.pop();
        self.active[keyword as usize] = false;
        self.members -= 1;
    }

    /// Makes the members the top k again and names those that came in.
    fn settle(&mut self, count: &[u32], entered: &mut Vec<u32>) {
        entered.clear();
        while let Some((0, keyword)) = self.last(count) {
            self.remove(keyword);
        }
        while let Some(next) = self.others.pop() {
            let (known, keyword) = unpacked(next);
            let now = count[keyword as usize];
            if now == 0 {
                continue;
            }
            if now < known {
                self.others.push(packed(now, keyword));
                continue;
            }
            if self.members == self.k {
                match self.last(count) {
                    Some((fewest, worst)) if packed(fewest, worst) < next => {
                        self.remove(worst);
                        self.others.push(packed(fewest, worst));
                    }
                    _ => {
                        self.others.push(next);
                        break;
                    }
                }
            }
            self.worst.push(!next);
            self.active[keyword as usize] = true;
            self.members += 1;
            entered.push(keyword);
        }
    }
}

/// The queries that are considered and what they cost.
#[derive(Debug, Clone)]
pub(super) struct Candidates {
    pub(super) index: Arc<Index>,
    /// What conjunctions see: the same, or rows cut to the width.
    pub(super) narrow: Arc<Index>,
    pub(super) server: Arc<Server>,
    pub(super) cost: Cost,
    pub(super) max_terms: usize,
}

/// What the uncovered rows of a query come to.
#[derive(Debug, Default)]
struct Weighed {
    gain: f64,
    /// The most that one of them is worth.
    dearest: f64,
    /// How many are worth anything.
    rows: u32,
    /// The least `alone` of those.
    alone: f64,
}

/// A greedy run under way.
#[derive(Debug)]
pub struct Greedy {
    all: Candidates,
    value: Arc<Vec<f64>>,
    stop: Stop,

    covered: Vec<bool>,
    covered_rows: usize,
    /// What the uncovered rows of each keyword are worth, and how many of them are worth anything.
    worth: Vec<f64>,
    count: Vec<u32>,
    /// The rows that conjunctions with each keyword can match, the dearest first, and how many of the first are covered.
    dearest: Lists,
    passed: Vec<u32>,
    heap: BinaryHeap<Entry>,
    top: Option<Top>,
    waiting: Vec<Vec<Entry>>,
    /// Of the conjunctions that match one row alone, the best of each row so far: no other can come before it.
    lone: Vec<Option<Entry>>,
    /// The best score for a gain of 1 among the queries of each row alone that are in the heap; 0 if there is none.
    alone: Vec<f64>,
    started: Vec<bool>,
    entered: Vec<u32>,
    splitter: Splitter,
    /// The rows of each conjunction, after how many they are.
    pool: Vec<u32>,

    /// The queries so far.
    pub queries: Vec<Probe>,
    /// The rows that each was the first to cover.
    pub groups: Lists,
    requests: f64,
    done: bool,
}

impl Greedy {
    /// Gets ready for the first round. `value` is w·F of each row, on the grid of [`on_grid`].
    #[must_use]
    pub(super) fn new(all: Candidates, value: Arc<Vec<f64>>, top_k: Option<usize>, stop: Stop) -> Self {
        let Candidates { index, narrow, .. } = &all;
        let keywords = index.postings.len();
        let worth = index.postings.iter().map(|rows| rows.iter().map(|&row| value[row as usize]).sum()).collect();
        let counted = |rows: &[u32]| rows.iter().filter(|&&row| value[row as usize] > 0.0).count();
        let count: Vec<u32> =
            index.postings.iter().map(|rows| u32::try_from(counted(rows)).unwrap_or(u32::MAX)).collect();
        let order = sort::order(value.iter().copied(), true);
        let dearest = narrow.rows.inverted_in(&mut order.into_iter(), keywords);
        let mut greedy = Self {
            covered: vec![false; index.rows.len()],
            covered_rows: 0,
            top: top_k.filter(|&k| k < keywords).map(|k| Top::new(k, &count)),
            worth,
            count,
            dearest,
            passed: vec![0; keywords],
            heap: BinaryHeap::new(),
            waiting: vec![Vec::new(); keywords],
            lone: vec![None; index.rows.len()],
            alone: vec![0.0; index.rows.len()],
            started: vec![false; keywords],
            entered: Vec::new(),
            splitter: Splitter::new(keywords),
            pool: Vec::new(),
            queries: Vec::new(),
            groups: Lists::default(),
            requests: 0.0,
            done: false,
            all,
            value,
            stop,
        };
        if greedy.top.is_none() {
            greedy.entered = (0..).take(keywords).collect();
        }
        greedy.settle();
        greedy.done = greedy.reached();
        greedy
    }

    /// Whether the run is over.
    #[must_use]
    pub fn done(&self) -> bool {
        self.done
    }

    /// How far the run has come, by the stop rule that is nearest.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        if self.done {
            return 1.0;
        }
        let share = |done: f64, of: f64| if of > 0.0 { done / of } else { 1.0 };
        let coverage = share(self.covered_rows as f64, self.covered.len() as f64 * self.stop.coverage);
        let queries = share(self.queries.len() as f64, self.stop.queries as f64);
        coverage.max(queries).max(share(self.requests, self.stop.requests)).min(1.0)
    }

    /// Which rows are covered.
    #[must_use]
    pub fn covered(&self) -> &[bool] {
        &self.covered
    }

    /// How many uncovered rows have keywords but are worth nothing: no query is sent for them.
    #[must_use]
    pub fn worthless(&self) -> usize {
        let has_keywords = |row: &usize| !self.all.index.rows.get(*row).is_empty();
        (0..self.covered.len()).filter(|&row| !self.covered[row] && self.value[row] == 0.0).filter(has_keywords).count()
    }

    /// Looks at entries of the heap until about so many rows have been looked at.
    pub fn step(&mut self, rows: usize) {
        let mut left = rows;
        while left > 0 && !self.done {
            let work = self.look();
            left = left.saturating_sub(work + 16);
        }
    }

    /// Deals with the top of the heap; returns how many rows that took.
    fn look(&mut self) -> usize {
        let Some(mut entry) = self.heap.pop() else {
            self.done = true;
            return 0;
        };
        let (terms, size) = entry.keywords();
        let terms = &terms[..size];
        if let Some(top) = &self.top
            && let Some(&out) = terms.iter().find(|&&term| !top.active[term as usize])
        {
            self.waiting[out as usize].push(entry);
            return 0;
        }
        let (found, work) = self.worth_of(terms, &entry);
        let score = if entry.local == 0 {
            self.all.cost.bound(found.gain, found.dearest)
        } else {
            let server = self.all.server.count(terms, entry.local as usize).0;
            if self.never_first(&found, server) {
                return work;
            }
            self.all.cost.score(found.gain, server)
        };
        if found.gain == 0.0 || score == 0.0 {
            return work;
        }
        if score < entry.score {
            entry.score = score;
            if self.heap.peek().is_some_and(|next| *next > entry) {
                self.heap.push(entry);
                return work;
            }
        }
        work + if entry.local == 0 { self.expand(terms, &entry) } else { self.choose(terms, &entry) }
    }

    /// Looks at each row of a conjunction.
    fn weigh(&self, rows: &[u32]) -> Weighed {
        let mut found = Weighed { alone: f64::INFINITY, ..Weighed::default() };
        for &row in rows {
            let (row, value) = (row as usize, self.value[row as usize]);
            if !self.covered[row] && value > 0.0 {
                found.gain += value;
                found.dearest = found.dearest.max(value);
                found.rows += 1;
                found.alone = found.alone.min(self.alone[row]);
            }
        }
        found
    }

    /// Whether a query for one of the rows alone always comes before a query that the server answers with so many tuples.
    fn never_first(&self, found: &Weighed, server: f64) -> bool {
        f64::from(found.rows) * self.all.cost.score(1.0, server) * (1.0 + 1e-9) < found.alone
    }

    /// Takes note of a query for one row alone that is in the heap, unless top-k may take it out.
    fn note_alone(&mut self, row: usize, score: f64, server: f64) {
        // Below the normal numbers a score has lost its digits.
        if self.top.is_none() && score.is_normal() {
            self.alone[row] = self.alone[row].max(self.all.cost.score(1.0, server));
        }
    }

    /// What the uncovered rows of a query or of a bound come to, and how many rows were looked at.
    fn worth_of(&mut self, terms: &[u32], entry: &Entry) -> (Weighed, usize) {
        let [keyword] = *terms else {
            let rows = pooled(&self.pool, entry.place);
            return (self.weigh(rows), rows.len());
        };
        let gain = self.worth[keyword as usize];
        if entry.local > 0 || gain == 0.0 {
            return (Weighed { gain, ..Weighed::default() }, 0);
        }
        let rows = self.dearest.get(keyword as usize);
        let passed = &mut self.passed[keyword as usize];
        let before = *passed;
        while rows.get(*passed as usize).is_some_and(|&row| self.covered[row as usize]) {
            *passed += 1;
        }
        let dearest = rows.get(*passed as usize).map_or(0.0, |&row| self.value[row as usize]);
        (Weighed { gain, dearest, ..Weighed::default() }, (*passed - before) as usize)
    }

    /// Puts every query with one more term, above these, into the heap.
    fn expand(&mut self, terms: &[u32], entry: &Entry) -> usize {
        let narrow = Arc::clone(&self.all.narrow);
        let Some(&last) = terms.last() else { return 0 };
        let of_pair: Vec<u32>;
        let rows = if terms.len() == 1 {
            narrow.postings.get(last as usize)
        } else {
            of_pair = pooled(&self.pool, entry.place).to_vec();
            &of_pair
        };
        let deeper = terms.len() + 1 < self.all.max_terms;
        let mut splitter = std::mem::take(&mut self.splitter);
        splitter.split(&narrow.rows, rows, last, &mut |keyword, rows| {
            let found = self.weigh(rows);
            if found.rows == 0 {
                return;
            }
            let bound = self.all.cost.bound(found.gain, found.dearest);
            let mut query = [0; 3];
            query[..terms.len()].copy_from_slice(terms);
            query[terms.len()] = keyword;
            let query = &query[..=terms.len()];
            let place = u32::try_from(self.pool.len()).unwrap_or(u32::MAX);
            let lone = match (rows, &self.top) {
                ([row], None) => Some(*row as usize),
                _ => None,
            };
            let beaten = |score: f64| {
                let best = lone.and_then(|row| self.lone[row]);
                best.is_some_and(|best| best > Entry::new(score, query, rows.len(), place))
            };
            // Most are beaten by any score that they could have, and need no count.
            if !deeper && beaten(bound) {
                return;
            }
            let server = self.all.server.count(query, rows.len()).0;
            let score = self.all.cost.score(found.gain, server);
            let beaten = self.never_first(&found, server) || beaten(score);
            let entry = Entry::new(score, query, rows.len(), place);
            if beaten && !deeper {
                return;
            }
            self.pool.push(entry.local);
            self.pool.extend_from_slice(rows);
            if deeper {
                self.enter(Entry::new(bound, query, 0, place));
            }
            if !beaten {
                if let Some(row) = lone {
                    self.lone[row] = Some(entry);
                    self.note_alone(row, score, server);
                }
                self.enter(entry);
            }
        });
        self.splitter = splitter;
        rows.len() * 8
    }

    /// Puts an entry into the heap, or lets it wait at a keyword that is not allowed now.
    fn enter(&mut self, entry: Entry) {
        let (terms, size) = entry.keywords();
        let out = self.top.as_ref().and_then(|top| terms[..size].iter().find(|&&term| !top.active[term as usize]));
        match out {
            Some(&out) => self.waiting[out as usize].push(entry),
            None => self.heap.push(entry),
        }
    }

    fn choose(&mut self, terms: &[u32], entry: &Entry) -> usize {
        let local = entry.local as usize;
        let (server, source) = self.all.server.count(terms, local);
        let requests = self.all.cost.requests(server);
        if self.requests + requests > self.stop.requests {
            self.done = true;
            return 0;
        }
        let rows = match *terms {
            [keyword] => self.all.index.postings.get(keyword as usize),
            _ => pooled(&self.pool, entry.place),
        };
        let matched: Vec<u32> = rows.iter().copied().filter(|&row| !self.covered[row as usize]).collect();
        let gain = matched.iter().map(|&row| self.value[row as usize]).sum();
        self.queries.push(Probe {
            terms: terms.to_vec(),
            local,
            new: matched.len(),
            gain,
            server,
            source,
            requests,
            tuples: self.all.cost.tuples(server),
            score: entry.score,
        });
        self.requests += requests;
        let index = Arc::clone(&self.all.index);
        let mut work = matched.len();
        for &row in &matched {
            self.covered[row as usize] = true;
            self.groups.push(row);
            let value = self.value[row as usize];
            let keywords = index.rows.get(row as usize);
            work += keywords.len();
            if value == 0.0 {
                continue;
            }
            for &keyword in keywords {
                let left = &mut self.count[keyword as usize];
                *left -= 1;
                self.worth[keyword as usize] -= value;
                if let Some(top) = &mut self.top {
                    top.fell(keyword, *left);
                }
            }
        }
        self.groups.end_list();
        self.covered_rows += matched.len();
        self.settle();
        self.done = self.reached();
        work
    }

    /// Lets the keywords that are allowed now, and were not before, take part.
    fn settle(&mut self) {
        let mut entered = std::mem::take(&mut self.entered);
        if let Some(top) = &mut self.top {
            top.settle(&self.count, &mut entered);
        }
        for &keyword in &entered {
            for entry in std::mem::take(&mut self.waiting[keyword as usize]) {
                self.enter(entry);
            }
            if !std::mem::replace(&mut self.started[keyword as usize], true) {
                let rows = self.all.index.postings.get(keyword as usize);
                let (local, lone) = (rows.len(), rows.first().map(|&row| row as usize));
                let server = self.all.server.count(&[keyword], local).0;
                let score = self.all.cost.score(self.worth[keyword as usize], server);
                self.heap.push(Entry::new(score, &[keyword], local, 0));
                if let (1, Some(row)) = (local, lone) {
                    self.note_alone(row, score, server);
                }
                if self.all.max_terms > 1 {
                    // Not known yet, and looked up when it comes to the top.
                    self.heap.push(Entry::new(f64::INFINITY, &[keyword], 0, 0));
                }
            }
        }
        entered.clear();
        self.entered = entered;
    }

    fn reached(&self) -> bool {
        self.queries.len() >= self.stop.queries
            || self.covered_rows as f64 >= self.stop.coverage * self.covered.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_on_the_grid_do_not_depend_on_their_order() {
        let values: Vec<f64> = (0..2_000).map(|k| libm::exp(f64::from(k % 37) - 20.0) / 3.0).chain([0.0]).collect();
        let grid = on_grid(&values);
        let forward: f64 = grid.iter().sum();
        let backward: f64 = grid.iter().rev().sum();
        assert_eq!(forward.to_bits(), backward.to_bits());
        assert!((forward / values.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(values.iter().zip(&grid).all(|(value, grid)| (*value > 0.0) == (*grid > 0.0)));
        assert!(on_grid(&[]).is_empty() && on_grid(&[0.0])[0] == 0.0 && on_grid(&[1e-320])[0] > 0.0);
        assert!(on_grid(&[1e300, 1.0])[1] > 0.0);
    }

    #[test]
    fn conjunctions_are_formed_from_as_many_keywords_as_the_limit_allows() {
        let rows: Lists = [(0..10).collect(), (0..100).collect(), vec![]].into_iter().collect::<Lists>();
        assert_eq!(width_for(&rows, 2, 1_000_000), 100);
        assert_eq!(width_for(&rows, 1, 0), 100);
        assert_eq!(width_for(&rows, 2, 45 + 190), 20);
        assert_eq!(width_for(&rows, 2, 45 + 189), 19);
        assert_eq!(width_for(&rows, 3, 45 + 120 + 45 + 120), 10);
        assert_eq!(width_for(&rows, 2, 0), 1);
        assert_eq!(width_for(&Lists::default(), 3, 0), 1);
    }
}
