//! Greedy probes (Algorithm 2 with Eqn 2): the query with the best score, then the best for what is left, and so on.
//!
//! In a round with top-k only those of the [`candidates`] are considered whose keywords are all among the k that the most
//! uncovered rows have (rows worth refreshing; ties by the keywords' order).
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

mod candidates;
mod entry;
mod pool;
mod queue;
mod rows;
mod top;

use std::sync::Arc;

use super::index::{Lists, Splitter};
use super::server::Source;
use crate::numeric::sort;
pub(super) use candidates::{Candidates, width};
use entry::Entry;
use pool::Pool;
pub(super) use pool::Record;
use queue::Queue;
pub(super) use rows::on_grid;
use rows::{Live, NOTHING, Weighed};
use top::Top;

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

/// A greedy run under way.
#[derive(Debug)]
pub struct Greedy {
    all: Candidates,
    value: Arc<Vec<f64>>,
    stop: Stop,

    covered: Vec<bool>,
    covered_rows: usize,
    live: Vec<Live>,
    /// What the uncovered rows of each keyword are worth, and how many of them are worth anything.
    worth: Vec<f64>,
    count: Vec<u32>,
    /// The rows that conjunctions with each keyword can match, the dearest first, and how many of the first are covered.
    dearest: Lists,
    passed: Vec<u32>,
    heap: Queue,
    top: Option<Top>,
    waiting: Vec<Vec<Entry>>,
    /// Of the conjunctions that match one row alone, the best of each row so far: no other can come before it.
    lone: Vec<Option<Entry>>,
    /// The best score for a gain of 1 among all conjunctions so far that match one row alone, whether it was covered or not.
    lone_unit: Vec<f64>,
    started: Vec<bool>,
    entered: Vec<u32>,
    splitter: Splitter,
    pool: Pool,
    /// Where the pairs that begin with each keyword stand in the pool, once they were looked at.
    pairs: Vec<Option<(u32, u32)>>,

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
        let (rows, keywords) = (index.rows.len(), index.postings.len());
        let worth = index.postings.iter().map(|rows| rows.iter().map(|&row| value[row as usize]).sum()).collect();
        let counted = |rows: &[u32]| rows.iter().filter(|&&row| value[row as usize] > 0.0).count();
        let count: Vec<u32> =
            index.postings.iter().map(|rows| u32::try_from(counted(rows)).unwrap_or(u32::MAX)).collect();
        let order = sort::order(value.iter().copied(), true);
        let dearest = narrow.rows.inverted_in(&mut order.into_iter(), keywords);
        let live = |&value: &f64| if value > 0.0 { Live { value, alone: 0.0 } } else { NOTHING };
        let mut greedy = Self {
            covered: vec![false; rows],
            covered_rows: 0,
            live: value.iter().map(live).collect(),
            top: top_k.filter(|&k| k < keywords).map(|k| Top::new(k, &count)),
            worth,
            count,
            dearest,
            passed: vec![0; keywords],
            heap: Queue::new(),
            waiting: vec![Vec::new(); keywords],
            lone: vec![None; rows],
            lone_unit: vec![0.0; rows],
            started: vec![false; keywords],
            entered: Vec::new(),
            splitter: Splitter::new(keywords),
            pool: Pool::default(),
            pairs: vec![None; keywords],
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

    /// The pairs that begin with a keyword and match several rows, if they were looked at; of those that match one row alone
    /// [`Self::lone_unit`] knows the best.
    pub(super) fn pairs(&self, keyword: usize, visit: &mut dyn FnMut(Record)) -> bool {
        let known = self.pairs.get(keyword).copied().flatten();
        known.map(|stretch| self.pool.each(stretch, visit)).is_some()
    }

    /// For each row the best score for a gain of 1 among the conjunctions so far that match it alone.
    pub(super) fn lone_unit(&self) -> &[f64] {
        &self.lone_unit
    }

    /// What each row is worth, on the grid.
    pub(super) fn value(&self) -> &[f64] {
        &self.value
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
        let Some(entry) = self.heap.peek() else {
            self.done = true;
            return 0;
        };
        let (terms, size) = entry.keywords();
        let terms = &terms[..size];
        if let Some(top) = &self.top
            && let Some(&out) = terms.iter().find(|&&term| !top.active[term as usize])
        {
            self.heap.pop();
            self.waiting[out as usize].push(entry);
            return 0;
        }
        let (found, work) = self.worth_of(terms, &entry);
        let mut never = found.gain == 0.0;
        let score = if never {
            0.0
        } else if entry.local == 0 {
            self.all.cost.bound(found.gain, found.dearest)
        } else {
            let server = self.server_count(terms, &entry);
            never = self.never_first(&found, server);
            self.all.cost.score(found.gain, server)
        };
        if never || score == 0.0 {
            self.heap.pop();
            return work;
        }
        let now = entry.fallen(score);
        if score < entry.score() && !self.heap.lower(now) {
            return work;
        }
        self.heap.pop();
        work + if entry.local == 0 { self.expand(terms, &entry) } else { self.choose(terms, &now) }
    }

    /// Whether a query for one of the rows alone always comes before a query that the server answers with so many tuples.
    fn never_first(&self, found: &Weighed, server: f64) -> bool {
        f64::from(found.rows) * self.all.cost.score(1.0, server) * (1.0 + 1e-9) < found.alone
    }

    /// Takes note of a query for one row alone that is in the heap, unless top-k may take it out.
    fn note_alone(&mut self, row: usize, score: f64, server: f64) {
        // Below the normal numbers a score has lost its digits.
        if self.top.is_none() && score.is_normal() {
            let alone = &mut self.live[row].alone;
            *alone = alone.max(self.all.cost.score(1.0, server));
        }
    }

    /// `|R_S(q)|` of an entry that is a query.
    fn server_count(&self, terms: &[u32], entry: &Entry) -> f64 {
        if terms.len() > 1 && entry.local > 1 {
            self.pool.get(entry.place as usize).server
        } else {
            self.all.server.count(terms, entry.local as usize).0
        }
    }

    /// What the uncovered rows of a query or of a bound come to, and how many rows were looked at.
    fn worth_of(&mut self, terms: &[u32], entry: &Entry) -> (Weighed, usize) {
        let [keyword] = *terms else {
            let mut found = Weighed::NONE;
            if entry.local == 1 {
                found.add(self.live[entry.place as usize]);
                return (found, 1);
            }
            let Self { live, covered, .. } = self;
            let looked = self.pool.retain(entry.place, |row| {
                let now = live[row as usize];
                found.add(now);
                now.value > 0.0 || !covered[row as usize]
            });
            return (found, looked);
        };
        let gain = self.worth[keyword as usize];
        if entry.local > 0 || gain == 0.0 {
            return (Weighed::keyword(gain, 0.0), 0);
        }
        let rows = self.dearest.get(keyword as usize);
        let passed = &mut self.passed[keyword as usize];
        let before = *passed;
        while rows.get(*passed as usize).is_some_and(|&row| self.covered[row as usize]) {
            *passed += 1;
        }
        let dearest = rows.get(*passed as usize).map_or(0.0, |&row| self.value[row as usize]);
        (Weighed::keyword(gain, dearest), (*passed - before) as usize)
    }

    /// Puts every query with one more term, above these, into the heap.
    fn expand(&mut self, terms: &[u32], entry: &Entry) -> usize {
        let narrow = Arc::clone(&self.all.narrow);
        let Some(&last) = terms.last() else { return 0 };
        let mut of_pair: Vec<u32>;
        let rows = if terms.len() == 1 {
            narrow.postings.get(last as usize)
        } else {
            of_pair = self.pool.get(entry.place as usize).rows.to_vec();
            sort::numbers(&mut of_pair);
            &of_pair
        };
        let deeper = terms.len() + 1 < self.all.max_terms;
        let start = self.pool.end();
        let mut splitter = std::mem::take(&mut self.splitter);
        let mut query = [0; 3];
        query[..terms.len()].copy_from_slice(terms);
        splitter.split(&narrow.rows, rows, last, &mut |keyword, rows| {
            query[terms.len()] = keyword;
            let query = &query[..=terms.len()];
            match *rows {
                [row] if !deeper => self.enter_lone(query, row),
                _ => self.enter_conjunction(query, rows, deeper),
            }
        });
        self.splitter = splitter;
        if !deeper && terms.len() == 1 {
            self.pairs[last as usize] = Some((start, self.pool.end()));
        }
        rows.len() * 8
    }

    /// A conjunction that matches one row alone.
    fn enter_lone(&mut self, query: &[u32], row: u32) {
        let place = row as usize;
        let value = self.live[place].value;
        let cost = self.all.cost;
        let best = self.lone[place].filter(|_| self.top.is_none());
        let beaten = |score: f64| best.is_some_and(|best| best > Entry::new(score, query, 1, row));
        // Most are beaten by any score that they could have, and need no count.
        if self.lone_unit[place] >= cost.score(1.0, 1.0) && (value == 0.0 || beaten(cost.bound(value, value))) {
            return;
        }
        let server = self.all.server.count(query, 1).0;
        self.lone_unit[place] = self.lone_unit[place].max(cost.score(1.0, server));
        let score = cost.score(value, server);
        let entry = Entry::new(score, query, 1, row);
        let mut found = Weighed::NONE;
        found.add(self.live[place]);
        if score > 0.0 && !beaten(score) && !self.never_first(&found, server) {
            self.lone[place] = Some(entry);
            self.note_alone(place, score, server);
            self.enter(entry);
        }
    }

    /// A conjunction that matches several rows, or one that may get further terms.
    fn enter_conjunction(&mut self, query: &[u32], rows: &[u32], deeper: bool) {
        let mut found = Weighed::NONE;
        for &row in rows {
            found.add(self.live[row as usize]);
        }
        let server = self.all.server.count(query, rows.len()).0;
        let place = self.pool.push(server, rows);
        if deeper && found.rows > 0 {
            self.enter(Entry::new(self.all.cost.bound(found.gain, found.dearest), query, 0, place));
        }
        if let [row] = *rows {
            self.enter_lone(query, row);
        } else if found.rows > 0 && !self.never_first(&found, server) {
            self.enter(Entry::new(self.all.cost.score(found.gain, server), query, rows.len(), place));
        }
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
            _ if local == 1 => &[entry.place],
            _ => self.pool.uncovered(entry.place),
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
            score: entry.score(),
        });
        self.requests += requests;
        let index = Arc::clone(&self.all.index);
        let mut work = matched.len();
        for &row in &matched {
            self.covered[row as usize] = true;
            self.groups.push(row);
            let value = std::mem::replace(&mut self.live[row as usize], NOTHING).value;
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
