//! What every replay of a history keeps: it equals a slow direct simulation, whatever the policy, the order of the events and the
//! cut into steps.

use afresh::allocate::Policy::{Optimal, Proportional, Uniform};
use afresh::allocate::{Columns, Goal, Items, Question, allocate};
use afresh::change::estimate::{Events, FirstEvent, History, Rates, from_events, shrunken};
use afresh::change::{Change, Model};
use afresh::replay::history::{Outcome, Policy, Replay, Replayed, Request, replay};
use afresh::staleness::recurrence::Recurrence;
use afresh::staleness::{Metric, Order, Staleness};
use proptest::prelude::*;

const FROM: f64 = 0.0;
const SPLIT: f64 = 60.0;
const END: f64 = 100.0;

fn request<'a>(item: &'a [u32], time: &'a [f64], weight: &'a [f64], budget: f64) -> Request<'a> {
    Request {
        item,
        time,
        items: weight.len(),
        train_from: Some(FROM),
        train_to: SPLIT,
        test_to: Some(END),
        policies: &Policy::ALL,
        budget,
        weight: Some(weight),
        merge_within: 0.0,
        first: FirstEvent::Change,
        replan_every: Some(7.0),
        points: 5,
    }
}

/// Changes of a few items, and their weights.
fn histories() -> impl Strategy<Value = (Vec<u32>, Vec<f64>, Vec<f64>)> {
    (2..7_usize).prop_flat_map(|items| {
        let event = (0..u32::try_from(items).unwrap(), 0.01..99.9_f64);
        (prop::collection::vec(event, 5..80), prop::collection::vec(0.2..5.0_f64, items)).prop_map(
            |(events, weight)| {
                let (item, time) = events.into_iter().unzip();
                (item, time, weight)
            },
        )
    })
}

/// The history as the slow simulation sees it: plain lists, times from the split.
struct Slow {
    changes: Vec<Vec<f64>>,
    weight: Vec<f64>,
    rates: Rates,
    budget: f64,
}

const HORIZON: f64 = END - SPLIT;

fn phase(item: usize) -> f64 {
    ((item as f64 + 0.5) * 0.618_033_988_749_894_9).fract()
}

impl Slow {
    fn new(item: &[u32], time: &[f64], weight: &[f64], budget: f64) -> Self {
        let (from, to, first) = (Some(FROM), Some(SPLIT), FirstEvent::Change);
        let events = Events { item, time, items: weight.len(), from, to, merge_within: 0.0, first };
        let rates = from_events(&History::new(&events).unwrap());
        let total: f64 = weight.iter().sum();
        let mut changes = vec![Vec::new(); weight.len()];
        for (&i, &t) in item.iter().zip(time) {
            changes[i as usize].push(t - SPLIT);
        }
        for own in &mut changes {
            own.sort_by(f64::total_cmp);
        }
        Self { changes, weight: weight.iter().map(|w| w / total).collect(), rates, budget }
    }

    fn posterior_means(&self) -> Vec<f64> {
        self.rates.alpha.iter().zip(&self.rates.beta).map(|(a, b)| a / b).collect()
    }

    /// Which of an item's changes a visit at `at` finds, after one at `last`.
    fn found(&self, item: usize, last: f64, at: f64) -> bool {
        self.changes[item].iter().any(|&change| change > last && change <= at)
    }

    fn plan(&self, model: Model, rate: Vec<f64>, metric: Metric, policy: afresh::allocate::Policy) -> Vec<f64> {
        let mut columns = Columns { rate, weight: Some(self.weight.clone()), ..Columns::default() };
        if model == Model::GammaPoisson {
            (columns.alpha, columns.beta) = (Some(self.rates.alpha.clone()), Some(self.rates.beta.clone()));
        }
        let items = Items::new(model, columns).unwrap();
        let staleness = Staleness { metric, order: Order::Fixed };
        let question = Question { staleness, policy, ..Question::new(Goal::Budget(self.budget)) };
        allocate(&items, &question).unwrap().frequency
    }

    /// One price for all, and the interval at which each item's benefit comes to it, both by halving.
    fn weibull_plan(&self) -> Vec<f64> {
        let shapes = shrunken(&self.rates.shape, &self.rates.gaps).0;
        let items: Vec<Recurrence> =
            self.posterior_means().iter().zip(shapes).map(|(&mean, shape)| Recurrence::new(mean, shape)).collect();
        let halved = |mut low: f64, mut high: f64, too_low: &dyn Fn(f64) -> bool| {
            for _ in 0..100 {
                let middle = (low * high).sqrt();
                if too_low(middle) { low = middle } else { high = middle }
            }
            high
        };
        let asked = |price: f64| -> Vec<f64> {
            let frequency = |(item, weight): (&Recurrence, &f64)| {
                let worth = |interval: f64| weight * item.benefit(interval)[0];
                if worth(1e12) <= price { 0.0 } else { 1.0 / halved(1e-9, 1e12, &|interval| worth(interval) < price) }
            };
            items.iter().zip(&self.weight).map(frequency).collect()
        };
        asked(halved(1e-12, 1e12, &|price| asked(price).iter().sum::<f64>() > self.budget))
    }

    /// The visits of each item, made one by one.
    fn visits(&self, outcome: &Outcome) -> Vec<Vec<f64>> {
        let means = || self.posterior_means();
        let seen = || self.rates.rate.clone();
        let future = || {
            self.changes.iter().map(|own| own.iter().filter(|t| **t > 0.0).count() as f64 / HORIZON).collect::<Vec<_>>()
        };
        let frequency = match outcome.policy {
            Policy::Uniform => self.plan(Model::Poisson, means(), Metric::Freshness, Uniform),
            Policy::Proportional => self.plan(Model::Poisson, seen(), Metric::Freshness, Proportional),
            Policy::Optimal => self.plan(Model::Poisson, seen(), Metric::Freshness, Optimal),
            Policy::GammaPoisson => self.plan(Model::GammaPoisson, vec![], Metric::Freshness, Optimal),
            Policy::Weibull => self.weibull_plan(),
            Policy::AgeOptimal => self.plan(Model::Poisson, means(), Metric::Age, Optimal),
            Policy::HarmonicOptimal => self.plan(Model::Poisson, means(), Metric::Harmonic, Optimal),
            Policy::CubeRoot => self.plan(Model::Poisson, means(), Metric::Content, Optimal),
            Policy::Hindsight => self.plan(Model::Poisson, future(), Metric::Freshness, Optimal),
            Policy::Greedy => return self.greedy(),
            Policy::Online => return self.online(),
            Policy::Nutch | Policy::StormCrawler | Policy::Miniflux => {
                return self.rule(outcome.policy, outcome.factor);
            }
        };
        frequency
            .iter()
            .enumerate()
            .map(|(i, f)| {
                (0..1_000_000).map(|k| (phase(i) + f64::from(k)) / f).take_while(|at| *at < HORIZON).collect()
            })
            .collect()
    }

    fn greedy(&self) -> Vec<Vec<f64>> {
        let means = self.posterior_means();
        let mut visits = vec![Vec::new(); means.len()];
        let mut slot = 0.0;
        while slot < (self.budget * HORIZON).floor() {
            let now = (slot + 0.5) / self.budget;
            let worth = |i: usize| {
                let gap = now - visits[i].last().copied().unwrap_or(0.0);
                self.weight[i] * Staleness::default().benefit(&Change::Poisson { rate: means[i] }, 1.0 / gap)
            };
            let best = (0..means.len()).fold(0, |best, i| if worth(i) > worth(best) { i } else { best });
            visits[best].push(now);
            slot += 1.0;
        }
        visits
    }

    fn rule(&self, policy: Policy, factor: f64) -> Vec<Vec<f64>> {
        let day = factor;
        (0..self.weight.len())
            .map(|i| {
                let (first, more, less, rest, least, most) = match policy {
                    Policy::Nutch => (30.0 * day, 1.4, 0.8, 0.0, day / 1440.0, 365.0 * day),
                    Policy::StormCrawler => (day, 1.5, 0.5, 0.5 * day / 24.0, day / 24.0, 14.0 * day),
                    _ => (day, 1.0, 1.0, 0.0, day / 288.0, day),
                };
                let start = FROM - SPLIT;
                let (mut interval, mut last, mut modified) = (first, start, start);
                let mut at = start + phase(i) * first;
                let mut made = Vec::new();
                while at < HORIZON {
                    // Every copy is brought up to date at the split.
                    let since = if at >= 0.0 { last.max(0.0) } else { last };
                    let changed = self.found(i, since, at);
                    if at >= 0.0 {
                        made.push(at);
                    }
                    interval = if changed { less * interval + rest } else { more * interval };
                    modified = if changed { at } else { modified };
                    last = at;
                    at += match policy {
                        Policy::Miniflux => {
                            let entries = self.changes[i].iter().filter(|t| **t > at - 7.0 && **t <= at).count();
                            (7.0 * day / entries as f64).min(most).max(least)
                        }
                        Policy::Nutch => {
                            interval = interval.max(at - modified).min(most).max(least);
                            interval - 0.3 * (at - modified).min(interval)
                        }
                        _ => {
                            interval = interval.min(most).max(least);
                            interval
                        }
                    };
                }
                made
            })
            .collect()
    }

    fn online(&self) -> Vec<Vec<f64>> {
        let items = self.weight.len();
        let (mut alpha, mut beta) = (self.rates.alpha.clone(), self.rates.beta.clone());
        let mut waited: Vec<f64> = (0..items).map(|i| 1.0 - phase(i)).collect();
        let mut visits: Vec<Vec<f64>> = vec![Vec::new(); items];
        let mut from = 0.0;
        while from < HORIZON {
            let to = f64::min(from + 7.0, HORIZON);
            let means: Vec<f64> = alpha.iter().zip(&beta).map(|(a, b)| a / b).collect();
            let frequency = self.plan(Model::Poisson, means, Metric::Freshness, afresh::allocate::Policy::Optimal);
            for i in 0..items {
                let mut at = from + (1.0 - waited[i]).max(0.0) / frequency[i];
                let mut since = from;
                while at < to {
                    let last = visits[i].last().copied().unwrap_or(0.0);
                    let (a, b, gap) = (alpha[i], beta[i], at - last);
                    if self.found(i, last, at) {
                        // Mean and variance of Gamma(a, b) times the chance of a change, from the two Gammas it is made of.
                        let none = (b / (b + gap)).powf(a);
                        let mean = (a / b - none * a / (b + gap)) / (1.0 - none);
                        let square = a * (a + 1.0) * (1.0 / (b * b) - none / ((b + gap) * (b + gap))) / (1.0 - none);
                        let variance = square - mean * mean;
                        (alpha[i], beta[i]) = (mean * mean / variance, mean / variance);
                    } else {
                        beta[i] += gap;
                    }
                    visits[i].push(at);
                    (since, waited[i]) = (at, 0.0);
                    at += 1.0 / frequency[i];
                }
                waited[i] += (to - since) * frequency[i];
            }
            from = to;
        }
        visits
    }

    /// Freshness and age, by going from one breakpoint to the next.
    fn judged(&self, visits: &[Vec<f64>]) -> (f64, f64) {
        let (mut freshness, mut age) = (0.0, 0.0);
        for (i, own) in visits.iter().enumerate() {
            let changes = || self.changes[i].iter().copied().filter(|t| *t > 0.0);
            let mut points: Vec<f64> = own.iter().copied().chain(changes()).chain([0.0, HORIZON]).collect();
            points.sort_by(f64::total_cmp);
            for pair in points.windows(2) {
                let middle = 0.5 * (pair[0] + pair[1]);
                let last = own.iter().copied().filter(|v| *v <= middle).fold(0.0, f64::max);
                match changes().filter(|change| *change > last && *change <= middle).reduce(f64::min) {
                    None => freshness += self.weight[i] * (pair[1] - pair[0]),
                    Some(first) => age += self.weight[i] * (pair[1] - pair[0]) * (middle - first),
                }
            }
        }
        (freshness / HORIZON, age / HORIZON)
    }
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * (1.0 + b.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_replay_equals_a_slow_direct_simulation_under_every_policy(
        (item, time, weight) in histories(), budget in 0.3..6.0_f64,
    ) {
        let found = replay(&request(&item, &time, &weight, budget)).unwrap();
        let slow = Slow::new(&item, &time, &weight, budget);
        for outcome in &found.outcomes {
            let visits = slow.visits(outcome);
            let (freshness, age) = slow.judged(&visits);
            let name = outcome.policy.name();
            let made: usize = visits.iter().map(Vec::len).sum();
            prop_assert_eq!(made, outcome.visits, "{}", name);
            prop_assert!(near(outcome.freshness, freshness, 1e-7), "{}: {} {}", name, outcome.freshness, freshness);
            prop_assert!(near(outcome.age, age, 1e-7), "{}: {} {}", name, outcome.age, age);
        }
    }

    #[test]
    fn neither_the_order_of_events_nor_the_cut_into_steps_matters(
        (item, time, weight) in histories(), budget in 0.3..6.0_f64, step in 1..60_usize,
    ) {
        let at_once = replay(&request(&item, &time, &weight, budget)).unwrap();
        let (back_item, back_time): (Vec<u32>, Vec<f64>) = item.iter().zip(&time).rev().map(|(i, t)| (*i, *t)).unzip();
        let mut job = Replay::new(&request(&back_item, &back_time, &weight, budget)).unwrap();
        let mut done = 0.0;
        while done < 1.0 {
            let now = job.step(step).unwrap();
            prop_assert!(now >= done && now <= 1.0);
            done = now;
        }
        // NaN promises are equal too.
        prop_assert_eq!(format!("{:?}", job.finish().unwrap()), format!("{at_once:?}"));
    }

    #[test]
    fn hindsight_promises_more_than_any_other_plan_under_its_own_rates(
        (item, time, weight) in histories(), budget in 0.3..6.0_f64,
    ) {
        let slow = Slow::new(&item, &time, &weight, budget);
        let rates: Vec<f64> =
            slow.changes.iter().map(|own| own.iter().filter(|t| **t > 0.0).count() as f64 / HORIZON).collect();
        let long_run = |frequency: &[f64]| -> f64 {
            (0..rates.len())
                .map(|i| {
                    let change = Change::Poisson { rate: rates[i] };
                    slow.weight[i] * (1.0 - Staleness::default().average(&change, frequency[i]))
                })
                .sum()
        };
        let best = long_run(&slow.plan(Model::Poisson, rates.clone(), Metric::Freshness, Optimal));
        for other in [
            slow.plan(Model::Poisson, slow.posterior_means(), Metric::Freshness, Uniform),
            slow.plan(Model::Poisson, slow.rates.rate.clone(), Metric::Freshness, Proportional),
            slow.plan(Model::Poisson, slow.rates.rate.clone(), Metric::Freshness, Optimal),
            slow.plan(Model::GammaPoisson, vec![], Metric::Freshness, Optimal),
            slow.plan(Model::Poisson, slow.posterior_means(), Metric::Age, Optimal),
        ] {
            prop_assert!(best >= long_run(&other) - 1e-9);
        }
    }

    #[test]
    fn time_in_other_units_scales_rates_and_nothing_else((item, time, weight) in histories(), unit in 0.01..100.0_f64) {
        let rates = |scale: f64| {
            let time: Vec<f64> = time.iter().map(|t| t * scale).collect();
            let (from, to, first) = (Some(0.0), Some(END * scale), FirstEvent::Change);
            let events = Events { item: &item, time: &time, items: weight.len(), from, to, merge_within: 0.0, first };
            from_events(&History::new(&events).unwrap())
        };
        let (once, scaled) = (rates(1.0), rates(unit));
        for i in 0..weight.len() {
            for (a, b) in [
                (once.rate[i], scaled.rate[i] * unit),
                (once.low[i], scaled.low[i] * unit),
                (once.high[i], scaled.high[i] * unit),
                (once.shape[i], scaled.shape[i]),
                (once.poisson_p[i], scaled.poisson_p[i]),
                (once.alpha[i] / once.beta[i], scaled.alpha[i] / scaled.beta[i] * unit),
            ] {
                prop_assert!(near(a, b, 1e-3), "item {}: {} {}", i, a, b);
            }
        }
    }

    #[test]
    fn merging_twice_is_merging_once((item, time, weight) in histories(), span in 0.0..10.0_f64) {
        let merge = |item: &[u32], time: &[f64]| {
            let (from, to, first) = (Some(0.0), Some(END), FirstEvent::Change);
            let events = Events { item, time, items: weight.len(), from, to, merge_within: span, first };
            History::new(&events).unwrap()
        };
        let once = merge(&item, &time);
        let (again_item, again_time): (Vec<u32>, Vec<f64>) = (0..weight.len())
            .flat_map(|i| once.changes(i).iter().map(move |t| (u32::try_from(i).unwrap(), *t)))
            .unzip();
        let again = merge(&again_item, &again_time);
        prop_assert_eq!(again.merged, 0);
        for i in 0..weight.len() {
            prop_assert_eq!(again.changes(i), once.changes(i));
            prop_assert!(once.changes(i).windows(2).all(|pair| pair[1] - pair[0] >= span));
        }
    }
}

#[test]
fn a_history_as_the_model_has_it_keeps_the_promise() {
    // 400 Poisson items: what was promised is had, and hindsight is the ceiling up to chance.
    let mut state = 7_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut item, mut time) = (Vec::new(), Vec::new());
    for i in 0..400_u32 {
        let rate = 0.02 + 1.5 * uniform().powi(4);
        let mut at = 0.0;
        loop {
            at -= (1.0 - uniform()).ln() / rate;
            if at >= 300.0 {
                break;
            }
            item.push(i);
            time.push(at);
        }
    }
    let weight = vec![1.0; 400];
    let split = Request { train_to: 200.0, test_to: Some(300.0), ..request(&item, &time, &weight, 80.0) };
    let Replayed { outcomes, verdict, .. } = replay(&split).unwrap();
    let of = |policy| outcomes.iter().find(|outcome| outcome.policy == policy).unwrap();
    for outcome in &outcomes {
        let excess = outcome.predicted_freshness - outcome.freshness;
        // Plain n/τ is believed to the letter: what happened not to change is promised to be fresh for ever.
        let most = if matches!(outcome.policy, Policy::Proportional | Policy::Optimal) { 0.05 } else { 0.012 };
        if !excess.is_nan() {
            assert!((-0.012..most).contains(&excess), "{}: {excess} too much", outcome.policy.name());
        }
        assert!((outcome.visits as f64 / 8_000.0 - 1.0).abs() < 0.005, "{}: {}", outcome.policy.name(), outcome.visits);
        assert!(of(Policy::Hindsight).freshness > outcome.freshness - 0.004, "{}", outcome.policy.name());
    }
    assert!(of(Policy::Optimal).freshness > of(Policy::Uniform).freshness);
    assert!(of(Policy::Uniform).freshness > of(Policy::Proportional).freshness);
    assert!(verdict.sentence.contains("the promise held"), "{}", verdict.sentence);
}

#[test]
fn bursts_keep_the_promise_of_weibull_gaps_and_break_that_of_poisson() {
    // 400 items with Weibull gaps of shape 0.5, by inversion; some 5 to 60 changes each while learning.
    let mut state = 11_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut item, mut time) = (Vec::new(), Vec::new());
    for i in 0..400_u32 {
        let mean_rate = 0.03 * 12.0_f64.powf(uniform());
        let rate = Change::weibull_rate(mean_rate, 0.5);
        let mut at = -1_000.0;
        while at < 300.0 {
            if at > 0.0 {
                item.push(i);
                time.push(at);
            }
            at += (-(1.0 - uniform()).ln() / rate).powi(2);
        }
    }
    let weight = vec![1.0; 400];
    let policies = [Policy::Weibull, Policy::GammaPoisson];
    let split =
        Request { train_to: 200.0, test_to: Some(300.0), policies: &policies, ..request(&item, &time, &weight, 80.0) };
    let outcomes = replay(&split).unwrap().outcomes;
    let [weibull, gamma] = [0, 1].map(|k: usize| outcomes[k].predicted_freshness - outcomes[k].freshness);
    let age = outcomes[0].predicted_age / outcomes[0].age;
    assert!(weibull.abs() < 0.012 && gamma < -0.03, "{weibull} {gamma}");
    assert!((0.8..1.25).contains(&age), "{age}");
}
