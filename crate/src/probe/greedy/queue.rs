//! The heap of entries, of which only the best are kept in order.
//!
//! A score only falls, so the best one is found in an ever lower range. Entries of a lower range wait in a bin, without an order
//! and without being touched: a heap of all of them would not fit into a processor's cache.

use std::collections::BinaryHeap;

use super::entry::Entry;

/// Ranges of scores: four to an octave.
const BINS: usize = 1 << 13;

#[derive(Debug)]
pub(super) struct Queue {
    /// All entries of the bin `floor` and above.
    heap: BinaryHeap<Entry>,
    floor: usize,
    /// The entries of each bin below it.
    bins: Vec<Vec<Entry>>,
}

impl Queue {
    pub(super) fn new() -> Self {
        Self { heap: BinaryHeap::new(), floor: BINS - 1, bins: vec![Vec::new(); BINS] }
    }

    pub(super) fn push(&mut self, entry: Entry) {
        let bin = entry.octave_quarter();
        if bin < self.floor { self.bins[bin].push(entry) } else { self.heap.push(entry) }
    }

    /// The first entry.
    pub(super) fn peek(&mut self) -> Option<Entry> {
        while self.heap.is_empty() && self.floor > 0 {
            self.floor -= 1;
            self.heap = BinaryHeap::from(std::mem::take(&mut self.bins[self.floor]));
        }
        self.heap.peek().copied()
    }

    /// Takes away the first entry, which [`Self::peek`] has found.
    pub(super) fn pop(&mut self) {
        self.heap.pop();
    }

    /// Gives the first entry a lower score; says whether it is still the first.
    pub(super) fn lower(&mut self, entry: Entry) -> bool {
        if entry.octave_quarter() < self.floor {
            self.heap.pop();
            self.push(entry);
        } else if let Some(mut first) = self.heap.peek_mut() {
            // Most fall a little and stay near the top.
            *first = entry;
        }
        self.peek() == Some(entry)
    }
}
