//! Real histories, replayed: 1,697 Python packages and 814 legal documents (examples of the Replay lab).

use std::sync::Arc;

use afresh::change::estimate::{Events, FirstEvent, History, diagnosis, from_events};
use afresh::ingest::{Log, LogMapper, LogMapping, Reader};
use afresh::replay::history::{Policy, Replayed, Request, replay};

fn log(bytes: &[u8]) -> Log {
    let mut reader = Reader::new("history.csv.gz");
    reader.push(bytes).unwrap();
    let table = Arc::new(reader.finish().unwrap());
    let mapping = LogMapping::guess(&table);
    let log = LogMapper::new(table, mapping).unwrap().finish();
    log.bad.check().unwrap();
    assert!(log.calendar);
    log
}

fn replayed(log: &Log, [from, split, to]: [f64; 3], policies: &[Policy]) -> Replayed {
    replay(&Request {
        item: &log.item,
        time: &log.time,
        items: log.names.len(),
        train_from: Some(from),
        train_to: split,
        test_to: Some(to),
        policies,
        budget: log.names.len() as f64 / 30.0,
        weight: None,
        merge_within: 0.0,
        first: FirstEvent::Start,
        replan_every: None,
        points: 10,
    })
    .unwrap()
}

/// Days since 1970: 27 October 2022, 2025 and 2026.
const PACKAGES: [f64; 3] = [19_292.0, 20_388.0, 20_753.0];
/// Days since 1970: 22 August 2022, 2025 and 2026.
const TERMS: [f64; 3] = [19_226.0, 20_322.0, 20_687.0];

#[test]
fn uniform_beats_proportional_on_real_histories_as_hindsight_says() {
    for (bytes, window) in [
        (&include_bytes!("../../crate/src/ingest/examples/packages-history.csv.gz")[..], PACKAGES),
        (&include_bytes!("../../crate/src/ingest/examples/terms-history.csv.gz")[..], TERMS),
    ] {
        let log = log(bytes);
        let found =
            replayed(&log, window, &[Policy::Uniform, Policy::Proportional, Policy::GammaPoisson, Policy::Hindsight]);
        let [uniform, proportional, best, hindsight] = &found.outcomes[..] else { panic!("four policies") };
        assert!(uniform.freshness > proportional.freshness && uniform.age < proportional.age);
        assert!(best.freshness > uniform.freshness && hindsight.freshness > best.freshness);
        // The rates of the test itself say the same of uniform against proportional: fixed order, r = λ/f.
        let rates: Vec<f64> = counts(&log, &found, window);
        let frequency = log.names.len() as f64 / 30.0;
        let total: f64 = rates.iter().sum();
        let fresh = |r: f64| if r > 0.0 { -f64::exp_m1(-r) / r } else { 1.0 };
        let all = rates.len() as f64;
        let alike = rates.iter().map(|rate| fresh(rate * all / frequency)).sum::<f64>() / all;
        let by_rate =
            rates.iter().map(|rate| if *rate > 0.0 { fresh(total / frequency) } else { 1.0 }).sum::<f64>() / all;
        assert!(alike > by_rate, "{alike} {by_rate}");
    }
}

/// Changes per day of each replayed item in the test.
fn counts(log: &Log, found: &Replayed, [_, split, to]: [f64; 3]) -> Vec<f64> {
    let mut counts = vec![0.0; log.names.len()];
    for (&item, &time) in log.item.iter().zip(&log.time) {
        counts[item as usize] += f64::from(u8::from(time > split && time <= to));
    }
    found.item.iter().map(|&item| counts[item as usize] / (to - split)).collect()
}

#[test]
fn packages_are_burstier_than_poisson() {
    let log = log(include_bytes!("../../crate/src/ingest/examples/packages-history.csv.gz"));
    assert_eq!(log.names.len(), 1_697);
    let history = History::new(&Events {
        item: &log.item,
        time: &log.time,
        items: log.names.len(),
        from: Some(20_753.0 - 1_096.0),
        to: Some(20_753.0),
        merge_within: 0.0,
        first: FirstEvent::Start,
    })
    .unwrap();
    let rates = from_events(&history);
    let found = diagnosis::of_set(&history, &rates, true);
    // The data's own description: shape typically 0.8, two thirds of the busy ones not exponential, weekdays twice as busy.
    assert!((0.7..0.9).contains(&found.shape), "{}", found.shape);
    assert!(found.rejected * 2 > found.tested, "{} of {}", found.rejected, found.tested);
    assert!(found.findings.iter().any(|text| text.contains("not Poisson")), "{:?}", found.findings);
    assert!(found.findings.iter().any(|text| text.starts_with("Weekdays")), "{:?}", found.findings);
    let most = rates.rate.iter().copied().fold(0.0, f64::max);
    assert!((0.9..1.0).contains(&most), "{most}");
}
