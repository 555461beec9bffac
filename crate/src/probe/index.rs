//! The inverted index: the keywords of each row and the rows of each keyword, as flat lists.

use crate::numeric::sort;

/// Many lists of numbers in one array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Default for Lists {
    fn default() -> Self {
        Self { starts: vec![0], entries: Vec::new() }
    }
}

impl Lists {
    /// No lists yet, with room for so many.
    #[must_use]
    pub fn with_capacity(lists: usize, entries: usize) -> Self {
        let mut starts = Vec::with_capacity(lists + 1);
        starts.push(0);
        Self { starts, entries: Vec::with_capacity(entries) }
    }

    /// Adds an entry to the list under way.
    pub fn push(&mut self, entry: u32) {
        self.entries.push(entry);
    }

    /// Ends the list under way.
    pub fn end_list(&mut self) {
        self.starts.push(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
    }

    /// How many lists there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entries all lists have together.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// A list; empty if there is no such list.
    #[inline]
    #[must_use]
    pub fn get(&self, list: usize) -> &[u32] {
        match self.starts.get(list..list + 2) {
            Some(&[start, end]) => &self.entries[start as usize..end as usize],
            _ => &[],
        }
    }

    /// All lists in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|list| self.get(list))
    }

    /// For each number below `size`, the lists that hold it, ascending.
    #[must_use]
    pub fn inverted(&self, size: usize) -> Self {
        self.inverted_in(&mut (0..).take(self.len()), size)
    }

    /// The same, with the lists in this order.
    pub(super) fn inverted_in(&self, order: &mut dyn Iterator<Item = u32>, size: usize) -> Self {
        let mut starts = vec![0_u32; size + 1];
        for &entry in &self.entries {
            starts[entry as usize + 1] += 1;
        }
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; self.entries.len()];
        for list in order {
            for &number in self.get(list as usize) {
                let place = &mut next[number as usize];
                entries[*place as usize] = list;
                *place += 1;
            }
        }
        Self { starts, entries }
    }
}

impl<L: IntoIterator<Item = u32>> FromIterator<L> for Lists {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut all = Self::default();
        for list in lists {
            all.entries.extend(list);
            all.end_list();
        }
        all
    }
}

/// Which keywords a row has, and which rows a keyword has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// The keywords of each row, ascending.
    pub rows: Lists,
    /// The rows of each keyword, ascending.
    pub postings: Lists,
}

impl Index {
    /// The index of rows whose keywords are ascending and below `keywords`.
    #[must_use]
    pub fn new(rows: Lists, keywords: usize) -> Self {
        let postings = rows.inverted(keywords);
        Self { rows, postings }
    }

    /// The same rows with only the `width` keywords each that the most rows have (ties by number).
    #[must_use]
    pub fn narrowed(&self, width: usize) -> Self {
        let mut kept = Lists::with_capacity(self.rows.len(), self.rows.entries());
        let mut row: Vec<u32> = Vec::new();
        for keywords in self.rows.iter() {
            row.clear();
            row.extend_from_slice(keywords);
            if row.len() > width {
                let rank = |&keyword: &u32| (u64::MAX - self.postings.get(keyword as usize).len() as u64, keyword);
                let mut ranked: Vec<(u64, u32)> = row.iter().map(rank).collect();
                sort::ranks(&mut ranked);
                row.clear();
                row.extend(ranked[..width].iter().map(|&(_, keyword)| keyword));
                sort::numbers(&mut row);
            }
            for &keyword in &row {
                kept.push(keyword);
            }
            kept.end_list();
        }
        Self::new(kept, self.postings.len())
    }
}

/// Splits rows by the further keywords that they have: what a conjunction with one more term would match.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    /// For each keyword, how many rows were seen, then where the next goes.
    next: Vec<u32>,
    seen: Vec<u32>,
    rows: Vec<u32>,
    /// How many keywords of each row are not further.
    passed: Vec<u32>,
}

impl Splitter {
    pub(super) fn new(keywords: usize) -> Self {
        Self { next: vec![0; keywords], ..Self::default() }
    }

    /// Calls `visit` with each keyword above `after` that some of `rows` have, and with those rows in their order.
    /// Keywords come in no particular order.
    pub(super) fn split(&mut self, index: &Lists, rows: &[u32], after: u32, visit: &mut dyn FnMut(u32, &[u32])) {
        self.seen.clear();
        self.passed.clear();
        for &row in rows {
            let keywords = index.get(row as usize);
            let passed = keywords.partition_point(|&keyword| keyword <= after);
            self.passed.push(u32::try_from(passed).unwrap_or(u32::MAX));
            for &keyword in &keywords[passed..] {
                let count = &mut self.next[keyword as usize];
                if *count == 0 {
                    self.seen.push(keyword);
                }
                *count += 1;
            }
        }
        let mut total = 0;
        for &keyword in &self.seen {
            let count = &mut self.next[keyword as usize];
            (*count, total) = (total, total + *count);
        }
        self.rows.clear();
        self.rows.resize(total as usize, 0);
        for (&row, &passed) in rows.iter().zip(&self.passed) {
            for &keyword in &index.get(row as usize)[passed as usize..] {
                let place = &mut self.next[keyword as usize];
                self.rows[*place as usize] = row;
                *place += 1;
            }
        }
        let mut start = 0;
        for &keyword in &self.seen {
            let end = std::mem::take(&mut self.next[keyword as usize]) as usize;
            visit(keyword, &self.rows[start..end]);
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Index {
        Index::new([vec![0, 1, 3], vec![1], vec![], vec![0, 1, 2, 3]].into_iter().collect(), 5)
    }

    #[test]
    fn postings_are_the_rows_of_each_keyword() {
        assert_eq!(index().postings.iter().collect::<Vec<_>>(), [&[0, 3][..], &[0, 1, 3], &[3], &[0, 3], &[]]);
        assert!(index().rows.get(99).is_empty());
    }

    #[test]
    fn narrow_rows_keep_their_most_frequent_keywords() {
        assert_eq!(index().narrowed(2).rows.iter().collect::<Vec<_>>(), [&[0, 1][..], &[1], &[], &[0, 1]]);
        assert_eq!(index().narrowed(4), index());
    }

    #[test]
    fn rows_split_by_their_further_keywords() {
        let index = index();
        let mut splitter = Splitter::new(5);
        for _ in 0..2 {
            let mut parts = Vec::new();
            splitter.split(&index.rows, index.postings.get(0), 0, &mut |keyword, rows| {
                parts.push((keyword, rows.to_vec()));
            });
            parts.sort();
            assert_eq!(parts, [(1, vec![0, 3]), (2, vec![3]), (3, vec![0, 3])]);
        }
    }
}
