//! The examples: what is known of each. The files themselves lie beside this one, with their sources and licences in
//! `LICENCE.md`, and are never compiled in: whoever asks for an example hands in its bytes, which go through the same
//! reader and mapper as a person's own file. So the wasm does not grow with the examples, and a page fetches only the one
//! it shows.

use crate::change::Model;
use serde::Serialize;

/// An example.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Example {
    /// The name it is asked for by.
    pub name: &'static str,
    /// A title for a picker.
    pub title: &'static str,
    /// What it is, in a sentence.
    pub describes: &'static str,
    /// Where it comes from, with the attribution that its licence asks for.
    pub source: &'static str,
    /// What one item is called.
    pub noun: &'static str,
    /// What several are called.
    pub nouns: &'static str,
    /// A sensible budget, visits per day.
    pub budget: f64,
    /// The change model that fits it.
    pub model: Model,
    /// The file to read and map by its own guesses, `name` and an ending; none for the gamma database, which is computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'static str>,
    /// For a history of changes: when to start and stop learning, and when the test ends, in days since 1970. The first event
    /// of an item is its start. None for a list of items with their rates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<[f64; 3]>,
    /// For a table to refresh through keyword search: what is known of the server. Its columns are as guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
}

/// What is known of the server of a table that is refreshed through keyword search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Search {
    /// How many tuples it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    /// The files of its counts, without `.csv.gz`.
    pub counts: &'static [&'static str],
}

const CHO: &str = "J. Cho and H. Garcia-Molina, Synchronizing a database to improve freshness, 1999";

/// Every example, the one to open with first.
pub const EXAMPLES: [Example; 12] = [
    Example {
        name: "packages",
        title: "1,697 Python packages",
        describes: "Releases of Python packages over the three years before 27 October 2026, or since a package's first release, \
                    which counts as one; weighted by how many packages depend on each.",
        source: "The public Python package index",
        noun: "package",
        nouns: "packages",
        budget: 50.0,
        model: Model::Poisson,
        file: Some("packages.csv.gz"),
        split: None,
        search: None,
    },
    Example {
        name: "terms",
        title: "871 legal documents of web services",
        describes: "Changes of terms of service, privacy policies and the like, for as long as each was watched; weighted by size.",
        source: "Open Terms Archive contributors, ODC-By 1.0",
        noun: "document",
        nouns: "documents",
        budget: 124.0,
        model: Model::Poisson,
        file: Some("terms.csv.gz"),
        split: None,
        search: None,
    },
    Example {
        name: "web-1999",
        title: "The web of 1999",
        describes: "100 million pages in five groups, from those that change every day to those that change every year; \
                    the budget visits each page once a month on average.",
        source: CHO,
        noun: "page",
        nouns: "pages",
        budget: 100e6 / 30.0,
        model: Model::Poisson,
        file: Some("web-1999.csv"),
        split: None,
        search: None,
    },
    Example {
        name: "example4",
        title: "Five elements",
        describes: "Five elements that change one to five times a day, and five visits a day: the fastest gets none.",
        source: CHO,
        noun: "element",
        nouns: "elements",
        budget: 5.0,
        model: Model::Poisson,
        file: Some("example4.csv"),
        split: None,
        search: None,
    },
    Example {
        name: "two-elements",
        title: "Two elements",
        describes: "One element changes nine times a day, the other once, and there is one visit a day: whom to visit?",
        source: CHO,
        noun: "element",
        nouns: "elements",
        budget: 1.0,
        model: Model::Poisson,
        file: Some("two-elements.csv"),
        split: None,
        search: None,
    },
    Example {
        name: "gamma",
        title: "A gamma database",
        describes: "Items whose rates follow a Gamma distribution of a given mean and spread.",
        source: CHO,
        noun: "element",
        nouns: "elements",
        budget: 1_000.0,
        model: Model::Poisson,
        file: None,
        split: None,
        search: None,
    },
    Example {
        name: "packages-history",
        title: "Releases of 1,697 Python packages",
        describes: "Every release of four years, to the minute: learned from the first three, replayed over the fourth.",
        source: "The public Python package index",
        noun: "package",
        nouns: "packages",
        budget: 57.0,
        model: Model::GammaPoisson,
        file: Some("packages-history.csv.gz"),
        split: Some([19_292.0, 20_388.0, 20_753.0]),
        search: None,
    },
    Example {
        name: "terms-history",
        title: "Changes of 814 legal documents",
        describes: "Every change of terms of service, privacy policies and the like over four years: learned from the first \
                    three, replayed over the fourth.",
        source: "Open Terms Archive contributors, ODC-By 1.0",
        noun: "document",
        nouns: "documents",
        budget: 27.0,
        model: Model::GammaPoisson,
        file: Some("terms-history.csv.gz"),
        split: Some([19_226.0, 20_322.0, 20_687.0]),
        search: None,
    },
    Example {
        name: "probe/packages",
        title: "Python packages by keyword",
        describes: "Each has keywords, topics and the words of its description; weighted by how many packages depend on it. \
                    The server is the whole index of 15,000, with its counts from a crawl.",
        source: "The public Python package index",
        noun: "package",
        nouns: "packages",
        budget: 50.0,
        model: Model::Poisson,
        file: Some("probe/packages.csv.gz"),
        split: None,
        search: Some(Search { size: Some(15_000.0), counts: &["probe/package-counts", "probe/package-pairs"] }),
    },
    Example {
        name: "probe/terms",
        title: "Legal documents by keyword",
        describes: "Each has a service, a kind and telling words; the server has 1,275 documents, with its counts.",
        source: "Open Terms Archive contributors, ODC-By 1.0",
        noun: "document",
        nouns: "documents",
        budget: 10.0,
        model: Model::Poisson,
        file: Some("probe/terms.csv.gz"),
        split: None,
        search: Some(Search { size: Some(1_275.0), counts: &["probe/terms-counts", "probe/terms-pairs"] }),
    },
    Example {
        name: "probe/four-elements",
        title: "Four elements",
        describes: "Two queries refresh two elements each, which change one to four times a day: which goes out last?",
        source: "Table 3 of the paper on keyword probes",
        noun: "element",
        nouns: "elements",
        budget: 1.0,
        model: Model::Poisson,
        file: Some("probe/four-elements.csv"),
        split: None,
        search: Some(Search { size: None, counts: &[] }),
    },
    Example {
        name: "probe/citations",
        title: "Synthetic citations",
        describes: "1,000 papers in 200 topics of at most 10, a few of them cited far more often than the rest; \
                    each topic is a query.",
        source: "The scenario of §5.2 of the paper on keyword probes",
        noun: "paper",
        nouns: "papers",
        budget: 10.0,
        model: Model::Poisson,
        file: Some("probe/citations.csv.gz"),
        split: None,
        search: Some(Search { size: None, counts: &[] }),
    },
];

/// The example of this name.
#[must_use]
pub fn example(name: &str) -> Option<&'static Example> {
    const ALL: &[Example] = &EXAMPLES;
    ALL.iter().find(|example| example.name == name)
}

/// The bytes of an example's file, from the source tree.
#[cfg(test)]
pub(crate) fn bytes(example: &Example) -> Option<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/ingest/examples");
    example.file.map(|file| std::fs::read(format!("{folder}/{file}")).expect(file))
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "that values are exact is the claim")]
mod tests {
    use super::*;
    use crate::ingest::{LogMapping, LogRole, Mapped, Mapper, Reader, RelationMapping, RelationRole, Role};
    use std::sync::Arc;

    fn mapped(name: &str) -> Mapped {
        let example = example(name).unwrap();
        let mut reader = Reader::new(example.file.unwrap());
        reader.push(&bytes(example).unwrap()).unwrap();
        let table = Arc::new(reader.finish().unwrap());
        let mapped = Mapper::new(Arc::clone(&table), table.understood().mapping()).unwrap().finish();
        mapped.check().unwrap();
        assert_eq!(mapped.duplicates.total, 0);
        mapped
    }

    #[test]
    fn the_small_examples_are_the_papers() {
        assert_eq!(mapped("example4").rate, [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(mapped("two-elements").rate, [9.0, 1.0]);
        let web = mapped("web-1999");
        assert_eq!(web.rate, [1.0, 1.0 / 7.0, 1.0 / 30.0, 1.0 / 120.0, 1.0 / 365.0]);
        assert_eq!(web.count.unwrap(), [23e6, 15e6, 16e6, 16e6, 30e6]);
        assert_eq!(web.ids.get(4), "every year");
    }

    #[test]
    fn the_packages_keep_their_rates_and_dependents() {
        let packages = mapped("packages");
        assert_eq!(packages.len(), 1_697);
        assert_eq!(packages.ids.get(0), "accelerate");
        assert_eq!(packages.weight.as_ref().unwrap()[0], 17.0);
        // The data's own description: 23 % of the packages had no release, at most 6.93 a week.
        assert_eq!(packages.rate.iter().filter(|rate| **rate == 0.0).count(), 390);
        let fastest = packages.rate.iter().copied().fold(0.0, f64::max);
        assert_eq!(fastest, 1_085.0 / 1_096.0);
        assert!(packages.last_sync.is_none() && packages.count.is_none());
    }

    #[test]
    fn the_documents_keep_their_rates() {
        let terms = mapped("terms");
        assert_eq!(terms.len(), 871);
        assert_eq!(terms.ids.get(0), "123Greetings · Privacy Policy");
        assert_eq!(terms.rate[0], 189.0 / 5_070.702);
        assert_eq!(terms.rate.iter().filter(|rate| **rate > 0.0).count(), 756);
        assert_eq!(terms.weight.unwrap()[0], 8.2563);
    }

    #[test]
    fn every_file_is_named_for_its_example_and_guessed_right() {
        for example in EXAMPLES {
            let (Some(name), Some(bytes)) = (example.file, bytes(&example)) else { continue };
            // The page finds the file before the list has arrived.
            assert_eq!(name.split_once('.').unwrap().0, example.name);
            let mut reader = Reader::new(name);
            reader.push(&bytes).unwrap();
            let table = reader.finish().unwrap();
            if example.split.is_some() {
                assert_eq!(LogMapping::guess(&table).roles, [LogRole::Item, LogRole::Time], "{name}");
                continue;
            }
            if example.search.is_some() {
                use RelationRole::{Id, List, Rate, Weight, Whole, Words};
                let known: &[RelationRole] = match name {
                    "probe/packages.csv.gz" => &[Id, List, List, Words, Weight, Rate],
                    "probe/terms.csv.gz" => &[Id, Words, Words, List, Weight, Rate],
                    "probe/citations.csv.gz" => &[Id, Whole, Rate],
                    _ => &[Id, Whole, Weight, Rate],
                };
                assert_eq!(RelationMapping::guess(&table).roles, known, "{name}");
                continue;
            }
            let roles: Vec<Role> = table.understood().columns.iter().map(|column| column.role).collect();
            assert_eq!(roles[0], Role::Id, "{name}");
            assert!(roles.contains(&Role::Rate) || roles.contains(&Role::Interval), "{name}");
        }
        assert!(example("nothing").is_none());
    }
}
