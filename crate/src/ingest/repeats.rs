//! Finds names that stand in several rows, among millions, in steps.
//!
//! A hash table of a million names misses the cache at every step and took longer than all other mapping together. Hashes
//! are instead dealt into buckets, and each bucket, small enough for the cache, is sorted: equal hashes then stand side by
//! side, and names are compared only there.

use super::mapped::{Duplicate, Duplicates, Ids};
use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;

const BUCKET_BITS: u32 = 10;
/// Names looked at in one step.
const STEP: usize = 1 << 15;
/// How many repeated names are listed.
const LISTED: usize = 20;

#[derive(Debug)]
pub(super) struct Repeats {
    hasher: DefaultHashBuilder,
    /// 32 bits of the hash above the item's number.
    buckets: Vec<Vec<u64>>,
    next: usize,
    total: usize,
    /// The first items that repeat a name, with the item that has it first; in order.
    first: Vec<(u32, u32)>,
}

impl Repeats {
    /// Room for `items` names.
    pub(super) fn new(items: usize) -> Self {
        let each = (items >> BUCKET_BITS) * 9 / 8;
        let buckets = (0..1 << BUCKET_BITS).map(|_| Vec::with_capacity(each)).collect();
        Self { hasher: DefaultHashBuilder::default(), buckets, next: 0, total: 0, first: Vec::new() }
    }

    pub(super) fn add(&mut self, item: u32, name: &str) {
        let hash = self.hasher.hash_one(name);
        // The topmost bits choose the bucket, the next 32 stay.
        let bucket = (hash >> (64 - BUCKET_BITS)) as usize & ((1 << BUCKET_BITS) - 1);
        self.buckets[bucket].push((hash << BUCKET_BITS) & (u64::MAX << 32) | u64::from(item));
    }

    /// Compares some more; true when all are compared.
    pub(super) fn step(&mut self, ids: &Ids) -> bool {
        let mut looked = 0;
        while looked < STEP && self.next < self.buckets.len() {
            let mut bucket = std::mem::take(&mut self.buckets[self.next]);
            bucket.sort_unstable();
            for run in bucket.chunk_by(|a, b| a >> 32 == b >> 32).filter(|run| run.len() > 1) {
                self.compare(run, ids);
            }
            looked += bucket.len() + 16;
            self.next += 1;
        }
        self.next == self.buckets.len()
    }

    /// Items of one hash, in order: nearly always of one name.
    fn compare(&mut self, run: &[u64], ids: &Ids) {
        let item = |entry: &u64| u32::try_from(entry & u64::from(u32::MAX)).unwrap_or(u32::MAX);
        let name = |item: u32| ids.written(item as usize);
        let mut known: Vec<u32> = Vec::new();
        for item in run.iter().map(item) {
            match known.iter().find(|first| name(**first) == name(item)) {
                None => known.push(item),
                Some(first) => {
                    self.total += 1;
                    let place = self.first.partition_point(|(other, _)| *other < item);
                    if place < LISTED {
                        self.first.insert(place, (item, *first));
                        self.first.truncate(LISTED);
                    }
                }
            }
        }
    }

    pub(super) fn fraction(&self) -> f64 {
        self.next as f64 / self.buckets.len() as f64
    }

    pub(super) fn finish(self, ids: &Ids) -> Duplicates {
        let row = |item: u32| ids.rows.get(item as usize).copied().unwrap_or(0);
        let list = |(item, first): (u32, u32)| Duplicate {
            id: ids.written(item as usize).chars().take(40).collect(),
            first_row: row(first),
            row: row(item),
        };
        Duplicates { total: self.total, listed: self.first.into_iter().map(list).collect() }
    }
}
