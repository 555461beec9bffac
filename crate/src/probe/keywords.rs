//! Cells to keywords: what a query may say to find a row (Yang et al. §3, the set `K_L`).
//!
//! A keyword is a text within an attribute: "python" as a topic and "python" in a description are two keywords. Keywords are
//! numbered in the order of their text (then of their attribute), so that comparing numbers compares queries as words.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use serde::{Deserialize, Serialize};

use super::index::Lists;
use crate::numeric::sort;
use crate::problem::{Kind, Problem, Result};

/// How the cells of an attribute become keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Cut {
    /// The cell is one keyword.
    #[default]
    Whole,
    /// The cell is a list, split on `;`, or on `,` where there is no `;`.
    List,
    /// The cell is text: its words in lower case, without the words that say nothing.
    Words,
}

/// Words that say nothing, in English, French, German and Spanish; sorted. Words of one ASCII letter or digit go too.
const STOP_WORDS: [&str; 109] = [
    "about", "all", "also", "an", "and", "any", "are", "as", "at", "au", "aus", "aux", "avec", "be", "been", "but",
    "by", "can", "como", "con", "dans", "das", "de", "del", "dem", "den", "der", "des", "die", "do", "du", "ein",
    "eine", "el", "en", "es", "est", "et", "for", "from", "für", "had", "has", "have", "her", "his", "how", "if", "im",
    "in", "into", "is", "ist", "it", "its", "la", "las", "le", "les", "los", "mit", "more", "nicht", "no", "not", "of",
    "on", "or", "ou", "our", "par", "para", "pas", "por", "pour", "que", "qui", "se", "sich", "so", "such", "sur",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "un", "und", "une", "up",
    "us", "use", "von", "was", "we", "were", "which", "will", "with", "you", "your", "zu",
];

/// Calls `take` with every keyword of a cell, in the order of the cell; a keyword may come more than once.
pub fn cut(cell: &str, how: Cut, mut take: impl FnMut(&str)) {
    match how {
        Cut::Whole => Some(cell.trim()).filter(|text| !text.is_empty()).into_iter().for_each(take),
        Cut::List => {
            let mark = if cell.contains(';') { ';' } else { ',' };
            cell.split(mark).map(str::trim).filter(|text| !text.is_empty()).for_each(take);
        }
        Cut::Words => {
            let mut word = String::new();
            for part in cell.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()) {
                word.clear();
                part.chars().for_each(|c| word.extend(c.to_lowercase()));
                let says_nothing =
                    (word.len() == 1 && word.is_ascii()) || STOP_WORDS.binary_search(&word.as_str()).is_ok();
                if !says_nothing {
                    take(&word);
                }
            }
        }
    }
}

/// The most keywords that all rows may have together, so that their lists fit into a tab's memory.
pub const MOST_OCCURRENCES: usize = 1 << 26;

/// Every keyword once, as text and attribute.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    text: String,
    ends: Vec<u32>,
    attribute: Vec<u16>,
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
}

impl Vocabulary {
    /// How many keywords there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of a keyword; empty for one that does not exist.
    #[must_use]
    pub fn text(&self, keyword: u32) -> &str {
        text_of(&self.text, &self.ends, keyword)
    }

    /// Its attribute.
    #[must_use]
    pub fn attribute(&self, keyword: u32) -> u16 {
        self.attribute.get(keyword as usize).copied().unwrap_or(0)
    }

    /// The number of a keyword, if some row has it.
    #[must_use]
    pub fn find(&self, attribute: u16, text: &str) -> Option<u32> {
        let same = |&known: &u32| self.attribute(known) == attribute && self.text(known) == text;
        self.table.find(self.hasher.hash_one((attribute, text)), same).copied()
    }

    fn intern(&mut self, attribute: u16, text: &str) -> Result<u32> {
        let Self { text: all, ends, attribute: attributes, hasher, table } = self;
        let hash = hasher.hash_one((attribute, text));
        let same = |&known: &u32| attributes[known as usize] == attribute && text_of(all, ends, known) == text;
        if let Some(&known) = table.find(hash, same) {
            return Ok(known);
        }
        let (Ok(keyword), Ok(end)) = (u32::try_from(ends.len()), u32::try_from(all.len() + text.len())) else {
            return Err(too_many());
        };
        all.push_str(text);
        ends.push(end);
        attributes.push(attribute);
        table.insert_unique(hash, keyword, |&known| {
            hasher.hash_one((attributes[known as usize], text_of(all, ends, known)))
        });
        Ok(keyword)
    }
}

fn text_of<'a>(text: &'a str, ends: &[u32], keyword: u32) -> &'a str {
    let keyword = keyword as usize;
    let end = ends.get(keyword).map_or(0, |end| *end as usize);
    let start = keyword.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |end| *end as usize);
    text.get(start..end).unwrap_or_default()
}

fn too_many() -> Problem {
    Problem::new(
        Kind::Size,
        format!("the rows have more than {} million keywords", MOST_OCCURRENCES / 1_000_000),
        "Leave out an attribute with long texts, or split the table.",
    )
}

/// Collects the keywords of rows, one row after another.
#[derive(Debug, Default)]
pub struct Collector {
    vocabulary: Vocabulary,
    rows: Lists,
}

impl Collector {
    /// Adds a keyword to the row under way.
    pub fn keyword(&mut self, attribute: u16, text: &str) -> Result<()> {
        if self.rows.entries() >= MOST_OCCURRENCES {
            return Err(too_many());
        }
        let keyword = self.vocabulary.intern(attribute, text)?;
        self.rows.push(keyword);
        Ok(())
    }

    /// Adds the keywords of a cell to the row under way.
    pub fn cell(&mut self, attribute: u16, text: &str, how: Cut) -> Result<()> {
        let mut result = Ok(());
        cut(text, how, |keyword| {
            if result.is_ok() {
                result = self.keyword(attribute, keyword);
            }
        });
        result
    }

    /// Ends the row under way and starts the next.
    pub fn end_row(&mut self) {
        self.rows.end_list();
    }

    /// Leaves out the rows that are not to be kept; all rows must have ended.
    pub fn retain(&mut self, keep: &[bool]) {
        let kept = |(row, _): &(usize, &[u32])| keep.get(*row).copied().unwrap_or(true);
        self.rows = self.rows.iter().enumerate().filter(kept).map(|(_, row)| row.to_vec()).collect();
    }

    /// The vocabulary in its order, and each row's keywords: ascending, each once.
    #[must_use]
    pub fn finish(self) -> (Vocabulary, Lists) {
        let Self { vocabulary, rows } = self;
        let mut order: Vec<u32> = (0..).take(vocabulary.len()).collect();
        order.sort_unstable_by_key(|&keyword| (vocabulary.text(keyword), vocabulary.attribute(keyword)));
        let mut place = vec![0; order.len()];
        let mut sorted = Vocabulary { hasher: vocabulary.hasher.clone(), ..Vocabulary::default() };
        sorted.text.reserve_exact(vocabulary.text.len());
        for (new, &old) in (0_u32..).zip(&order) {
            place[old as usize] = new;
            let (text, attribute) = (vocabulary.text(old), vocabulary.attribute(old));
            sorted.text.push_str(text);
            sorted.ends.push(u32::try_from(sorted.text.len()).unwrap_or(u32::MAX));
            sorted.attribute.push(attribute);
        }
        let Vocabulary { text, ends, attribute, hasher, table } = &mut sorted;
        let hash = |&keyword: &u32| hasher.hash_one((attribute[keyword as usize], text_of(text, ends, keyword)));
        table.reserve(order.len(), hash);
        for keyword in (0..).take(order.len()) {
            table.insert_unique(hash(&keyword), keyword, hash);
        }
        let mut lists = Lists::with_capacity(rows.len(), rows.entries());
        let mut row: Vec<u32> = Vec::new();
        for list in rows.iter() {
            row.clear();
            row.extend(list.iter().map(|&keyword| place[keyword as usize]));
            sort::numbers(&mut row);
            row.dedup();
            for &keyword in &row {
                lists.push(keyword);
            }
            lists.end_list();
        }
        (sorted, lists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keywords(cell: &str, how: Cut) -> Vec<String> {
        let mut all = Vec::new();
        cut(cell, how, |keyword| all.push(keyword.to_string()));
        all
    }

    #[test]
    fn cells_become_keywords_as_their_attribute_says() {
        assert_eq!(keywords("  Jane Doe ", Cut::Whole), ["Jane Doe"]);
        assert_eq!(keywords("Doe, Jane; Roe, Max;", Cut::List), ["Doe, Jane", "Roe, Max"]);
        assert_eq!(keywords("web, crawling,,", Cut::List), ["web", "crawling"]);
        assert_eq!(keywords("The ÉTUDE of Straße—and ΣΟΦΟΣ, x 7 42", Cut::Words), ["étude", "straße", "σοφοσ", "42"]);
        assert_eq!(keywords("検索 हिन्दी", Cut::Words).first().map(String::as_str), Some("検索"));
        for how in [Cut::Whole, Cut::List, Cut::Words] {
            assert!(keywords(" \u{a0}\t", how).is_empty());
        }
        assert!(keywords("; ,;—", Cut::Words).is_empty());
    }

    #[test]
    fn stop_words_are_sorted_so_that_they_can_be_found() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn keywords_are_numbered_in_the_order_of_their_text() {
        let mut collector = Collector::default();
        for (attribute, text) in [(0, "zebra"), (1, "ant"), (0, "ant"), (0, "zebra")] {
            collector.keyword(attribute, text).unwrap();
        }
        collector.end_row();
        collector.end_row();
        collector.cell(0, "a b ant", Cut::Words).unwrap();
        collector.end_row();
        let (vocabulary, rows) = collector.finish();
        let names: Vec<_> = (0..3).map(|k| (vocabulary.text(k), vocabulary.attribute(k))).collect();
        assert_eq!(names, [("ant", 0), ("ant", 1), ("zebra", 0)]);
        assert_eq!(rows.iter().collect::<Vec<_>>(), [&[0, 1, 2][..], &[], &[0]]);
        assert_eq!(
            [vocabulary.find(1, "ant"), vocabulary.find(1, "zebra"), vocabulary.find(0, "")],
            [Some(1), None, None]
        );
    }
}
