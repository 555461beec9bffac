//! Rates from logs against independent values, and against what was put into simulated histories.

use afresh::change::estimate::{
    Events, FirstEvent, Gaps, History, Method, VisitLog, Visits, from_events, from_visits, poisson_p, population,
};

/// `SplitMix64`: enough randomness for histories, and no part of what is tested.
pub struct Dice(pub u64);

impl Dice {
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Moments of a Poisson process of this rate in (0, end).
    pub fn poisson(&mut self, rate: f64, end: f64) -> Vec<f64> {
        let mut times = Vec::new();
        let mut at = 0.0;
        loop {
            at -= (1.0 - self.uniform()).ln() / rate;
            if at >= end {
                return times;
            }
            times.push(at);
        }
    }
}

#[test]
fn irregular_visits_agree_with_the_reference() {
    // reference.json, irregular_visits: solved by SciPy.
    let gaps = [1.0, 2.0, 1.0, 5.0, 3.0, 0.5];
    let changed = [true, false, true, true, false, false];
    let mut visits = Visits::default();
    for (gap, changed) in gaps.into_iter().zip(changed) {
        visits.add(gap, changed, None);
    }
    let found = visits.estimate();
    assert!((found.rate / 0.365_057_002_626_166 - 1.0).abs() < 1e-12, "{}", found.rate);
    assert_eq!(found.method, Method::IrregularVisits);
    assert!(found.low < found.rate && found.rate < found.high);
    // The same as a log: the first visit sets the clock.
    let mut time = vec![0.0];
    for gap in gaps {
        time.push(time[time.len() - 1] + gap);
    }
    let bits: Vec<bool> = [false].into_iter().chain(changed).collect();
    let log = VisitLog { item: &[0; 7], time: &time, changed: &bits, last_modified: None, items: 1 };
    assert_eq!(from_visits(&log).unwrap().rate[0].to_bits(), found.rate.to_bits());
}

#[test]
fn a_weibull_shape_agrees_with_a_search_of_the_whole_likelihood() {
    // Gaps with the last cut off; both parameters by coordinate search in Python, without the profile equation.
    let gaps = [0.5, 3.2, 1.1, 7.4, 0.2, 12.0, 2.5, 0.9];
    let mut changes = Vec::new();
    let mut at = 0.0;
    for gap in gaps {
        at += gap;
        changes.push(at);
    }
    let shape = Gaps { changes: &changes, birth: Some(0.0), end: at + 4.0 }.shape();
    assert!((shape - SHAPE).abs() < 1e-6, "{shape}");
}

const SHAPE: f64 = 0.884_347_475_879_581_6;

/// A rate from an exponential population of this mean.
fn drawn(dice: &mut Dice, mean: f64) -> f64 {
    -mean * (1.0 - dice.uniform()).ln()
}

/// What an estimator made of a simulated history: the true rate, its interval, and which share of the visits found a change.
struct Trial {
    rate: f64,
    interval: (f64, f64),
    share: f64,
}

/// Holds the coverage over many histories of items with different rates to 93 to 97 %; returns the share of histories in which
/// nothing changed, and of those in which every visit found a change.
fn covers(what: &str, mut trial: impl FnMut(&mut Dice) -> Trial) -> [f64; 2] {
    let runs = 4_000;
    let (mut hits, mut none, mut all) = (0.0, 0.0, 0.0);
    for run in 0..runs {
        let Trial { rate, interval: (low, high), share } = trial(&mut Dice(run * 7_919 + 13));
        hits += f64::from(u8::from(low <= rate && rate <= high));
        none += f64::from(u8::from(share <= 0.0));
        all += f64::from(u8::from(share >= 1.0));
    }
    let [hits, none, all] = [hits, none, all].map(|count| count / runs as f64);
    println!("{what}: {hits:.4}, none changed {none:.3}, all changed {all:.3}");
    assert!((0.93..=0.97).contains(&hits), "{what}: {hits}");
    [none, all]
}

#[test]
fn intervals_of_full_histories_cover_the_truth_95_times_in_100() {
    for mean in [2.0, 5.0, 15.0, 60.0] {
        let [none, _] = covers(&format!("full history, {mean} changes on average"), |dice| {
            let rate = drawn(dice, mean);
            let time = dice.poisson(rate, 1.0);
            let (from, to, first) = (Some(0.0), Some(1.0), FirstEvent::Change);
            let item = vec![0; time.len()];
            let events = Events { item: &item, time: &time, items: 1, from, to, merge_within: 0.0, first };
            let rates = from_events(&History::new(&events).unwrap());
            Trial { rate, interval: (rates.low[0], rates.high[0]), share: rates.changes[0] / mean }
        });
        // 1/(1 + mean) of all: a third have nothing at all to go by where changes are fewest.
        assert!((none - 1.0 / (1.0 + mean)).abs() < 0.03, "{none}");
    }
}

#[test]
fn intervals_of_visits_cover_the_truth_95_times_in_100() {
    for visits in [8_usize, 20, 60] {
        for mean in [0.3, 1.0] {
            let even = vec![1.0; visits];
            let uneven: Vec<f64> = (0..visits).map(|k| 0.2 + 1.6 * ((k * 37 % 17) as f64) / 16.0).collect();
            for (name, gaps, stamped, method) in [
                ("regular", &even, false, Method::RegularVisits),
                ("irregular", &uneven, false, Method::IrregularVisits),
                ("with last-modified", &uneven, true, Method::LastModified),
            ] {
                let what = format!("{visits} visits, {name}, {mean} changes between them");
                let [none, all] = covers(&what, |dice| {
                    let rate = drawn(dice, mean);
                    let mut log = Visits::default();
                    for &gap in gaps {
                        let changes = dice.poisson(rate, gap);
                        log.add(gap, !changes.is_empty(), changes.last().filter(|_| stamped).map(|last| gap - last));
                    }
                    let found = log.estimate();
                    let share = log.changes() / visits as f64;
                    if share > 0.0 && share < 1.0 {
                        assert_eq!(found.method, method);
                    }
                    Trial { rate, interval: (found.low, found.high), share }
                });
                // Few visits are often all alike: both ends are part of what is covered.
                if visits == 8 {
                    assert!(if mean < 0.5 { none > 0.2 } else { all > 0.02 && none > 0.1 }, "{what}: {none} {all}");
                }
            }
        }
    }
}

#[test]
fn bias_reduced_estimates_are_nearly_without_bias() {
    let (rate, visits) = (0.7, 20);
    let runs = 20_000;
    let mean: f64 = (0..runs)
        .map(|run| {
            let mut dice = Dice(run);
            let mut log = Visits::default();
            for _ in 0..visits {
                log.add(1.0, !dice.poisson(rate, 1.0).is_empty(), None);
            }
            log.estimate().rate
        })
        .sum::<f64>()
        / runs as f64;
    // X/(nI) would say 0.50.
    assert!((mean / rate - 1.0).abs() < 0.02, "{mean}");
}

#[test]
fn all_changed_and_none_changed_are_said_honestly() {
    let log = |gaps: &[f64], changed: bool| {
        let mut visits = Visits::default();
        for &gap in gaps {
            visits.add(gap, changed, None);
        }
        visits.estimate()
    };
    let all = log(&[1.0, 2.0, 3.0], true);
    assert_eq!(all.method, Method::LowerLimit);
    assert!(all.high.is_infinite() && all.rate > 0.0 && all.rate.is_finite());
    // At the limits what was seen is as likely as no change at all is at the 97.5 % quantile of a Gamma(½), 2.5119.
    let chance: f64 = [1.0, 2.0, 3.0].iter().map(|gap| 1.0 - f64::exp(-all.low * gap)).product();
    assert!((chance - 0.081_110_5).abs() < 1e-6, "{chance}");
    let none = log(&[1.0, 2.0, 3.0], false);
    assert!(none.rate == 0.0 && none.low == 0.0 && (f64::exp(-6.0 * none.high) - 0.081_110_5).abs() < 1e-6);
    assert_eq!(log(&[], true).method, Method::Nothing);
}

#[test]
fn the_p_value_of_a_poisson_process_is_uniform() {
    for mean in [8.0, 20.0, 100.0] {
        let p: Vec<f64> = (0..6_000)
            .map(|run| poisson_p(&Dice(run * 31 + 5).poisson(mean, 1.0), 0.0, 1.0))
            .filter(|p| !p.is_nan())
            .collect();
        for level in [0.01, 0.05, 0.25, 0.5, 0.9] {
            let share = p.iter().filter(|p| **p < level).count() as f64 / p.len() as f64;
            let error = (level * (1.0 - level) / p.len() as f64).sqrt();
            assert!((share - level).abs() < 4.0 * error + 0.001, "mean {mean}: {share} below {level}");
        }
    }
}

#[test]
fn the_population_is_found_again() {
    // Gamma(2, rate 10) as the sum of two exponentials; watched for 20 to 60.
    let mut dice = Dice(99);
    let evidence: Vec<(f64, f64)> = (0..6_000)
        .map(|k| {
            let rate = -(1.0 - dice.uniform()).ln() / 10.0 - (1.0 - dice.uniform()).ln() / 10.0;
            let time = 20.0 + f64::from(k % 5) * 10.0;
            (dice.poisson(rate, time).len() as f64, time)
        })
        .collect();
    let found = population(&evidence);
    assert!((found.alpha - 2.0).abs() < 0.15 && (found.beta - 10.0).abs() < 1.0, "{found:?}");
    // All alike: sharp. Nothing seen: half a change in all the time there was. One item: it speaks for itself.
    let alike = population(&[(50.0, 10.0); 40]);
    assert!(alike.alpha > 1e4 && (alike.alpha / alike.beta - 5.0).abs() < 1e-3, "{alike:?}");
    assert_eq!((population(&[(0.0, 3.0); 4]).alpha, population(&[(0.0, 3.0); 4]).beta), (0.5, 12.0));
    assert_eq!((population(&[(7.0, 3.0)]).alpha, population(&[(7.0, 3.0)]).beta), (0.5, 0.0));
}
