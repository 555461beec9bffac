//! Probes: the lazy greedy is the plain one, the certificate is a bound, order and pace are the best.

#![allow(clippy::float_cmp, reason = "that values are exact is the claim")]

use std::collections::BTreeSet;
use std::sync::Arc;

use afresh::probe::{
    Collector, Cost, Counts, Currency, Groups, Job, Knobs, Lists, Relation, Report, Server, Staleness, end_of_round,
    frequencies, growth, order_queries, pace,
};
use proptest::prelude::*;

/// A small table with its server.
#[derive(Debug, Clone)]
struct Case {
    rows: Vec<Vec<u8>>,
    weight: Vec<f64>,
    counts: Vec<(u8, f64)>,
    pairs: Vec<(u8, u8, f64)>,
    size: Option<f64>,
}

fn word(keyword: u8) -> String {
    format!("k{keyword:02}")
}

impl Case {
    fn relation(&self) -> Relation {
        let mut collector = Collector::default();
        for row in &self.rows {
            for &keyword in row {
                collector.keyword(0, &word(keyword)).unwrap();
            }
            collector.end_row();
        }
        Relation::new(collector, Some(self.weight.clone()), None, None).unwrap()
    }

    fn server(&self, relation: &Relation) -> Arc<Server> {
        let vocabulary = relation.vocabulary();
        let mut counts = Counts::new(self.size).unwrap();
        for &(keyword, count) in &self.counts {
            counts.keyword(vocabulary, 0, &word(keyword), count).unwrap();
        }
        for &(a, b, count) in &self.pairs {
            counts.pair(vocabulary, (0, &word(a)), (0, &word(b)), count).unwrap();
        }
        relation.server(counts, None, None).unwrap()
    }

    fn run(&self, knobs: &Knobs) -> Report {
        let relation = self.relation();
        let mut job = Job::new(&relation, self.server(&relation), knobs).unwrap();
        // Small steps, so that it is also shown that they do not matter.
        while job.step(7) < 1.0 {}
        job.finish()
    }
}

prop_compose! {
    fn case(most_rows: usize, vocabulary: u8, most_keywords: usize)(
        rows in prop::collection::vec(prop::collection::vec(0..vocabulary, 0..=most_keywords), 1..=most_rows),
        weights in prop::collection::vec(0_u8..5, most_rows),
        counts in prop::collection::vec((0..vocabulary, 0_u8..40), 0..12),
        pairs in prop::collection::vec((0..vocabulary, 0..vocabulary, 0_u8..20), 0..8),
        size in prop::option::of(1_u16..200),
    ) -> Case {
        let weight = weights[..rows.len()].iter().map(|&w| f64::from(w)).collect();
        Case {
            rows,
            weight,
            counts: counts.into_iter().map(|(k, count)| (k, f64::from(count))).collect(),
            pairs: pairs.into_iter().map(|(a, b, count)| (a, b, f64::from(count))).collect(),
            size: size.map(f64::from),
        }
    }
}

prop_compose! {
    fn knobs()(
        method in 1_u8..=2,
        page in 1_u8..6,
        cap in prop::option::of(1_u8..30),
        requests in any::<bool>(),
        max_terms in 1_usize..=3,
        top_k in prop::option::of(1_usize..8),
        queries in prop::option::of(0_usize..6),
        request_quota in prop::option::of(0_u8..30),
        coverage in prop::option::of(0.0..1.0),
    ) -> Knobs {
        Knobs {
            staleness: Staleness::Unit,
            method,
            page_size: f64::from(page),
            result_cap: cap.map(f64::from),
            cost: if requests { Currency::Requests } else { Currency::Tuples },
            max_terms,
            top_k,
            queries,
            requests: request_quota.map(f64::from),
            coverage,
        }
    }
}

fn cost(knobs: &Knobs) -> Cost {
    Cost {
        first_page: knobs.method == 2,
        page: knobs.page_size,
        cap: knobs.result_cap.unwrap_or(f64::INFINITY),
        currency: knobs.cost,
    }
}

/// Every set of up to `most` of these keywords.
fn subsets(keywords: &[u32], most: usize) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![vec![]];
    for &keyword in keywords {
        let longer: Vec<_> = all
            .iter()
            .filter(|set| set.len() < most)
            .map(|set| set.iter().copied().chain([keyword]).collect())
            .collect();
        all.extend(longer);
    }
    all.retain(|set| !set.is_empty());
    all
}

/// Algorithm 2 as it is written: each round ranks all keywords, scores all subsets, and takes the best.
fn plain(case: &Case, knobs: &Knobs) -> Vec<(Vec<u32>, Vec<u32>)> {
    let relation = case.relation();
    let (server, cost) = (case.server(&relation), cost(knobs));
    let rows: Vec<BTreeSet<u32>> = relation.index().rows.iter().map(|row| row.iter().copied().collect()).collect();
    let mut uncovered: BTreeSet<usize> = (0..rows.len()).collect();
    let (mut chosen, mut sent) = (vec![], 0.0);
    loop {
        let covered = rows.len() - uncovered.len();
        let enough = covered as f64 >= knobs.coverage.unwrap_or(1.0) * rows.len() as f64;
        if enough || knobs.queries.is_some_and(|most| chosen.len() >= most) {
            return chosen;
        }
        let keywords = u32::try_from(relation.vocabulary().len()).unwrap();
        let frequency = |keyword: u32| {
            uncovered.iter().filter(|&&row| case.weight[row] > 0.0 && rows[row].contains(&keyword)).count()
        };
        let mut ranked: Vec<u32> = (0..keywords).filter(|&keyword| frequency(keyword) > 0).collect();
        ranked.sort_by_key(|&keyword| (usize::MAX - frequency(keyword), keyword));
        ranked.truncate(knobs.top_k.unwrap_or(usize::MAX));
        ranked.sort_unstable();
        let best = subsets(&ranked, knobs.max_terms)
            .into_iter()
            .map(|terms| {
                let matched: Vec<usize> =
                    (0..rows.len()).filter(|&row| terms.iter().all(|term| rows[row].contains(term))).collect();
                let gain: f64 = matched.iter().filter(|row| uncovered.contains(row)).map(|&row| case.weight[row]).sum();
                let server = server.count(&terms, matched.len()).0;
                (cost.score(gain, server), terms, matched, server)
            })
            .filter(|(score, ..)| *score > 0.0)
            .min_by(|a, b| b.0.total_cmp(&a.0).then(a.1.len().cmp(&b.1.len())).then_with(|| a.1.cmp(&b.1)));
        let Some((_, terms, matched, server)) = best else { return chosen };
        sent += cost.requests(server);
        if knobs.requests.is_some_and(|quota| sent > quota) {
            return chosen;
        }
        let new: Vec<usize> = matched.into_iter().filter(|row| uncovered.remove(row)).collect();
        chosen.push((terms, new.into_iter().map(|row| u32::try_from(row).unwrap()).collect()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_lazy_greedy_is_the_plain_greedy(case in case(12, 9, 6), knobs in knobs()) {
        let report = case.run(&knobs);
        let lazy: Vec<(Vec<u32>, Vec<u32>)> =
            report.queries.iter().map(|query| query.terms.clone()).zip(report.groups.iter().map(<[u32]>::to_vec)).collect();
        prop_assert_eq!(lazy, plain(&case, &knobs));
    }

    #[test]
    fn a_report_adds_up(case in case(12, 9, 6), knobs in knobs()) {
        let report = case.run(&knobs);
        let refreshed: usize = report.groups.entries();
        prop_assert_eq!(refreshed + report.uncovered.len(), report.rows);
        prop_assert_eq!(report.requests, report.queries.iter().map(|query| query.requests).sum::<f64>());
        prop_assert!(report.expected_coverage <= report.coverage + 1e-12);
        prop_assert!(knobs.requests.is_none_or(|quota| report.requests <= quota));
        prop_assert!(knobs.queries.is_none_or(|most| report.queries.len() <= most));
        for (query, group) in report.queries.iter().zip(report.groups.iter()) {
            prop_assert_eq!(query.new, group.len());
            prop_assert!(query.new >= 1 && query.local >= query.new && query.server >= query.local as f64);
            prop_assert_eq!(query.gain, group.iter().map(|&row| case.weight[row as usize]).sum::<f64>());
        }
        for &row in &report.unreachable {
            prop_assert!(case.rows[row as usize].is_empty() && report.uncovered.contains(&row));
        }
        // Without a limit every row that has a keyword and is worth something is covered.
        if knobs.queries.or(knobs.top_k).is_none() && knobs.requests.is_none() && knobs.coverage.is_none() {
            for &row in &report.uncovered {
                prop_assert!(case.rows[row as usize].is_empty() || case.weight[row as usize] == 0.0);
            }
        }
    }

    #[test]
    fn the_order_of_the_rows_does_not_matter(case in case(12, 9, 6), knobs in knobs(), turn in 0_usize..12) {
        let mut turned = case.clone();
        let by = turn % case.rows.len();
        turned.rows.rotate_left(by);
        turned.weight.rotate_left(by);
        let (a, b) = (case.run(&knobs), turned.run(&knobs));
        prop_assert_eq!(a.cost, b.cost);
        prop_assert_eq!(a.coverage, b.coverage);
        let terms = |report: &Report| report.queries.iter().map(|query| query.terms.clone()).collect::<Vec<_>>();
        prop_assert_eq!(terms(&a), terms(&b));
    }

    #[test]
    fn values_of_any_size_are_covered_in_the_order_of_their_scores(
        rates in prop::collection::vec(-9.0..9.0, 1..20_usize), elapsed in 0.001..1000.0,
    ) {
        let mut collector = Collector::default();
        for row in 0..rates.len() {
            collector.keyword(0, &format!("k{row}")).unwrap();
            collector.end_row();
        }
        let rate: Vec<f64> = rates.iter().map(|&x| f64::powf(10.0, x)).collect();
        let relation = Relation::new(collector, None, Some(rate.clone()), Some(vec![elapsed; rates.len()])).unwrap();
        let server = relation.server(Counts::default(), None, None).unwrap();
        let report = Job::new(&relation, server, &Knobs::default()).unwrap().finish();
        prop_assert_eq!(report.coverage, 1.0);
        prop_assert!(report.queries.windows(2).all(|pair| pair[0].score >= pair[1].score));
        prop_assert!((report.ratio - 1.0).abs() < 1e-9);
    }

    #[test]
    fn ascending_a_is_the_best_of_all_orders(change in prop::collection::vec(0.0..9.0, 1..6_usize), interval in 0.01..9.0) {
        let groups: Lists = (0..change.len()).map(|row| [u32::try_from(row).unwrap()]).collect();
        let groups = Groups::new(&groups, None, &change).unwrap();
        let best = order_queries(&groups, interval).unwrap();
        let mut x: Vec<usize> = (1..=change.len()).collect();
        let mut least = f64::INFINITY;
        permutations(&mut x, 0, &mut |x| least = least.min(end_of_round(&best.a, x)));
        prop_assert!((best.value - least).abs() <= 1e-12 * least.max(1e-300), "{} against {least}", best.value);
    }

    #[test]
    fn the_closed_pace_is_what_doubling_and_bisection_find(
        change in prop::collection::vec(0.01..9.0, 2..8_usize), alpha in 0.001..10.0,
    ) {
        let lists: Lists = (0..change.len()).map(|row| [u32::try_from(row).unwrap()]).collect();
        let groups = Groups::new(&lists, None, &change).unwrap();
        let (k, rows) = (change.len() as f64, change.len() as f64);
        let within = |interval: f64| order_queries(&groups, interval).unwrap().value / (k * interval * rows) <= alpha;
        let (mut low, mut high) = (1.0, 1.0);
        while within(high) { high *= 2.0; }
        while !within(low) { low /= 2.0; }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if within(middle) { low = middle } else { high = middle }
        }
        let closed = pace(&groups, alpha).unwrap();
        prop_assert!((closed / low - 1.0).abs() < 1e-9, "{closed} against {low}");
        prop_assert!((growth(&groups).unwrap() * closed / alpha - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_other_frequencies_beat_the_cube_roots(
        change in prop::collection::vec(0.01..9.0, 1..6_usize), factor in 0.5..2.0, budget in 0.1..10.0,
    ) {
        let lists: Lists = (0..change.len()).map(|row| [u32::try_from(row).unwrap()]).collect();
        let groups = Groups::new(&lists, None, &change).unwrap();
        let requests: Vec<f64> = (1..=change.len()).map(|k| k as f64).collect();
        let best = frequencies(&groups, &requests, budget).unwrap();
        let spent: f64 = best.frequency.iter().zip(&requests).map(|(f, k)| f * k).sum();
        prop_assert!((spent / budget - 1.0).abs() < 1e-12);
        prop_assert!(best.average <= best.alike * (1.0 + 1e-12));
        // Any other split of the same budget: one query sent more or less often, the rest scaled to fit.
        let mut other = best.frequency.clone();
        other[0] *= factor;
        let scale = budget / other.iter().zip(&requests).map(|(f, k)| f * k).sum::<f64>();
        let average: f64 = change.iter().zip(&other).map(|(c, f)| c / (6.0 * f * f * scale * scale)).sum::<f64>() / change.len() as f64;
        prop_assert!(best.average <= average * (1.0 + 1e-12));
    }
}

/// Every query with the rows that it matches, its chance to see them, and its cost: nothing of the greedy is used.
fn every_query(case: &Case, knobs: &Knobs) -> Vec<(Vec<usize>, f64, f64)> {
    let relation = case.relation();
    let (server, cost) = (case.server(&relation), cost(knobs));
    let all: Vec<u32> = (0..).take(relation.vocabulary().len()).collect();
    let mut queries = vec![];
    for terms in subsets(&all, knobs.max_terms) {
        let has = |row: &[u32]| terms.iter().all(|term| row.contains(term));
        let matched: Vec<usize> =
            relation.index().rows.iter().enumerate().filter(|(_, row)| has(row)).map(|(row, _)| row).collect();
        if !matched.is_empty() {
            let count = server.count(&terms, matched.len()).0;
            queries.push((matched, cost.seen(count), cost.of(count)));
        }
    }
    queries
}

/// The least cost of an expected gain, by trying every set of queries. Where several queries match a row, result pages may be
/// independent, or such that it is seen as often as can be.
fn cheapest(case: &Case, knobs: &Knobs, gain: f64, independent: bool) -> f64 {
    let queries = every_query(case, knobs);
    let mut best = f64::INFINITY;
    for set in 0_u32..1 << queries.len() {
        let chosen = || queries.iter().enumerate().filter(move |(k, _)| set >> k & 1 == 1).map(|(_, query)| query);
        let price: f64 = chosen().map(|query| query.2).sum();
        if price >= best {
            continue;
        }
        let (mut seen, mut missed) = (vec![0.0; case.rows.len()], vec![1.0; case.rows.len()]);
        for (rows, chance, _) in chosen() {
            for &row in rows {
                seen[row] += chance;
                missed[row] *= 1.0 - chance;
            }
        }
        let of = |row: usize| if independent { 1.0 - missed[row] } else { f64::min(1.0, seen[row]) };
        let gained: f64 = (0..case.rows.len()).map(|row| case.weight[row] * of(row)).sum();
        if gained >= gain * (1.0 - 1e-12) {
            best = price;
        }
    }
    best
}

/// What the queries of a report are expected to gain, each row counted with the first query that matches it.
fn expected_gain(report: &Report, knobs: &Knobs) -> f64 {
    report.queries.iter().map(|query| query.gain * cost(knobs).seen(query.server)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_queries_that_gain_as_much_cost_less_than_the_certificate(case in case(6, 4, 3), knobs in knobs()) {
        let report = case.run(&knobs);
        let gain = expected_gain(&report, &knobs);
        for independent in [false, true] {
            let optimum = cheapest(&case, &knobs, gain, independent);
            prop_assert!(report.lower_bound <= optimum * (1.0 + 1e-12), "{} above {optimum}", report.lower_bound);
            prop_assert!(optimum <= report.cost * (1.0 + 1e-12));
            prop_assert!(report.ratio >= 1.0 && report.cost <= report.ratio * optimum * (1.0 + 1e-9));
        }
    }
}

/// A table from a generator of its own, so that the shares below are always those of the same tables.
fn scattered(seed: u64) -> Case {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let rows: Vec<Vec<u8>> =
        (0..6).map(|_| (0..=below(3)).map(|_| u8::try_from(below(4)).unwrap()).collect()).collect();
    let weight = rows.iter().map(|_| 1.0 + below(4) as f64).collect();
    let counts = (0..4).map(|keyword| (keyword, 1.0 + below(20) as f64)).collect();
    Case { rows, weight, counts, pairs: vec![], size: Some(60.0) }
}

#[test]
fn certificates_are_close_to_the_true_optimum() {
    let usual = Knobs { staleness: Staleness::Unit, page_size: 4.0, ..Knobs::default() };
    let kinds = [
        ("tuples", usual.clone(), 1.1),
        ("requests", Knobs { cost: Currency::Requests, ..usual.clone() }, 1.1),
        ("first page", Knobs { method: 2, ..usual.clone() }, 1.1),
        ("top 2", Knobs { top_k: Some(2), ..usual.clone() }, 1.1),
        ("half", Knobs { coverage: Some(0.5), ..usual.clone() }, 1.1),
        ("cap", Knobs { result_cap: Some(5.0), ..usual.clone() }, 1.3),
    ];
    for (name, knobs, most) in kinds {
        let mut shares: Vec<f64> = (0..101)
            .map(|seed| {
                let case = scattered(seed);
                let report = case.run(&knobs);
                cheapest(&case, &knobs, expected_gain(&report, &knobs), false) / report.lower_bound
            })
            .collect();
        shares.sort_by(f64::total_cmp);
        assert!(shares[0] >= 1.0 - 1e-12);
        assert!(shares[50] <= most, "{name}: the optimum is {} times the bound in the middle", shares[50]);
    }
}

fn permutations(x: &mut Vec<usize>, from: usize, visit: &mut impl FnMut(&[usize])) {
    if from == x.len() {
        visit(x);
    }
    for k in from..x.len() {
        x.swap(from, k);
        permutations(x, from + 1, visit);
        x.swap(from, k);
    }
}
