//! Pair counts under known margins, and calibration, against values computed elsewhere.

#![allow(clippy::float_cmp, reason = "that values are exact is the claim")]

use afresh::probe::{Collector, Counts, Relation, Source, calibrate, most_likely_pair};

/// The root of `a_s/a − b_s/(f₁−a) − c_s/(f₂−a) + d_s/(D−f₁−f₂+a)` by bisection in 50-digit decimals (Python's `decimal`).
#[test]
fn the_most_likely_pair_is_the_root_of_the_score_equation() {
    for (table, f1, f2, size, expected) in [
        ([5.0, 15.0, 20.0, 960.0], 200.0, 250.0, 10_000.0, 50.0),
        ([0.0, 15.0, 20.0, 965.0], 200.0, 250.0, 10_000.0, 0.0),
        ([1.0, 999.0, 30.0, 98_970.0], 12_000.0, 400.0, 1e6, 16.302858126373383484),
        ([40.0, 0.0, 10.0, 950.0], 400.0, 500.0, 10_000.0, 400.0),
        ([3.0, 2.0, 0.0, 5.0], 500.0, 300.0, 1_000.0, 300.0),
        ([10.0, 10.0, 10.0, 1.0], 520.0, 510.0, 1_000.0, 184.77927052310424154),
        ([7.0, 3.0, 1.0, 100_000.0], 70_000.0, 50_000.0, 1e9, 43_301.892680575148104),
        ([0.0, 0.0, 3.0, 100.0], 50.0, 80.0, 1_000.0, 50.0),
    ] {
        let found = most_likely_pair(table, f1, f2, size);
        assert!((found - expected).abs() <= 1e-13 * expected, "{table:?}: {found} against {expected}");
    }
}

#[test]
fn margins_that_contradict_each_other_have_an_answer_too() {
    for (table, f1, f2, size) in [
        ([0.0; 4], 10.0, 10.0, 100.0),
        ([1.0, 2.0, 3.0, 4.0], 0.0, 10.0, 100.0),
        ([1.0, 2.0, 3.0, 4.0], 90.0, 80.0, 100.0),
        ([1.0, 2.0, 3.0, 4.0], 100.0, 100.0, 100.0),
        ([1e300, 2.0, 3.0, 4.0], 1e15, 1e15, 1e16),
    ] {
        let found = most_likely_pair(table, f1, f2, size);
        assert!((f64::max(0.0, f1 + f2 - size)..=f1.min(f2)).contains(&found), "{table:?}: {found}");
    }
}

fn relation() -> Relation {
    let mut collector = Collector::default();
    for row in [["a", "b", "c"], ["a", "b", "d"], ["a", "d", "e"]] {
        for keyword in row {
            collector.keyword(0, keyword).unwrap();
        }
        collector.end_row();
    }
    Relation::new(collector, None, None, None).unwrap()
}

fn counts(relation: &Relation, size: f64, singles: &[(&str, f64)], pairs: &[(&str, &str, f64)]) -> Counts {
    let mut counts = Counts::new(Some(size)).unwrap();
    for &(keyword, count) in singles {
        counts.keyword(relation.vocabulary(), 0, keyword, count).unwrap();
    }
    for &(a, b, count) in pairs {
        counts.pair(relation.vocabulary(), (0, a), (0, b), count).unwrap();
    }
    counts
}

#[test]
fn the_scale_is_the_median_ratio_with_its_quartiles() {
    let relation = relation();
    let given = counts(&relation, 5e3, &[("a", 460.0), ("b", 100.0), ("c", 90.0), ("d", 0.0)], &[("a", "b", 46.0)]);
    let sample = counts(&relation, 1e3, &[("a", 100.0), ("b", 25.0), ("c", 10.0), ("d", 3.0)], &[("a", "b", 10.0)]);
    let fit = calibrate(&given, &sample).unwrap();
    // Ratios 4, 4.6, 4.6, 9: numpy.quantile of their logarithms at 0.25 and 0.75.
    assert_eq!(fit.counts, 4);
    assert!((fit.scale - 4.6).abs() < 1e-12);
    assert!((fit.low - f64::exp(0.25 * f64::ln(4.0) + 0.75 * f64::ln(4.6))).abs() < 1e-12);
    assert!((fit.high - f64::exp(0.75 * f64::ln(4.6) + 0.25 * f64::ln(9.0))).abs() < 1e-12);
    assert!(calibrate(&Counts::default(), &sample).is_none());
}

#[test]
fn each_count_says_where_it_comes_from() {
    let relation = relation();
    let given = counts(&relation, 10_000.0, &[("a", 200.0), ("b", 250.0)], &[("a", "d", 7.0)]);
    let sample = counts(
        &relation,
        1_000.0,
        &[("a", 20.0), ("b", 25.0), ("d", 2.0), ("c", 0.0)],
        &[("a", "b", 5.0), ("b", "d", 2.0)],
    );
    let server = relation.server(given, Some(sample), Some(4.6)).unwrap();
    let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(|keyword| relation.vocabulary().find(0, keyword).unwrap());
    assert_eq!(server.count(&[a], 3), (200.0, Source::Given));
    assert_eq!(server.count(&[d], 2), (9.2, Source::Sample));
    assert_eq!(server.count(&[c], 1), (1.0, Source::Sample));
    assert_eq!(server.count(&[e], 1), (1.0, Source::Local));
    assert_eq!(server.count(&[a, d], 2), (7.0, Source::Given));
    let (likely, source) = server.count(&[a, b], 2);
    // The table 5, 15, 20, 960 under margins 200 and 250 of 10,000 is that of the first test.
    assert!((likely - 50.0).abs() < 1e-9 && source == Source::Margins);
    assert_eq!(server.count(&[b, d], 1), (9.2, Source::Sample));
    assert_eq!(server.count(&[a, c], 1), (1.0, Source::Independence));
    // Never below the local count.
    assert_eq!(server.count(&[a, d], 8), (8.0, Source::Given));
    // Three keywords: D·S(ab)S(ad)S(bd)/(S(a)S(b)S(d)) = 10⁴·50·7·9.2/(200·250·9.2) = 70, at most the least pair.
    assert_eq!(server.count(&[a, b, d], 1), (7.0, Source::Independence));
}

#[test]
fn three_independent_keywords_are_independent() {
    let relation = relation();
    let given = counts(&relation, 1e6, &[("a", 1e5), ("b", 2e4), ("d", 3e4)], &[]);
    let server = relation.server(given, None, None).unwrap();
    let terms = ["a", "b", "d"].map(|keyword| relation.vocabulary().find(0, keyword).unwrap());
    assert!((server.count(&terms, 1).0 - 1e5 * 2e4 * 3e4 / 1e12).abs() < 1e-9);
    assert_eq!(server.count(&terms[..2], 1), (2_000.0, Source::Independence));
}

#[test]
fn a_sample_corpus_is_counted() {
    let relation = relation();
    let corpus = [vec![0, 1], vec![0], vec![], vec![0, 1, 3]].into_iter().collect();
    let server = relation.server(Counts::default(), Some(Counts::of_corpus(&corpus)), Some(100.0)).unwrap();
    assert_eq!(server.count(&[0], 3), (300.0, Source::Sample));
    assert_eq!(server.count(&[0, 1], 2), (200.0, Source::Sample));
    assert_eq!(server.size(), 400.0);
}
