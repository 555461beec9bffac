//! What every timetable keeps: the lag bound, the capacity, an even load, each item's share.

use afresh::problem::Kind;
use afresh::timetable::{Request, Scheduler, Timetable, timetable};
use proptest::prelude::*;

/// Rounding of times and of sums of frequencies, in visits.
const ROUNDING: f64 = 1e-6;

/// Frequencies from 0.001 to 100, some 0, some exactly alike.
fn frequencies() -> impl Strategy<Value = Vec<f64>> {
    let one = prop_oneof![1 => Just(0.0), 3 => Just(1.0), 2 => (1..8_u8).prop_map(f64::from), 4 => (-3.0..2.0_f64).prop_map(|e| 10_f64.powf(e))];
    prop::collection::vec(one, 1..60)
}

/// A time of last sync: unknown, just now, or up to 200 units before the start.
fn ago() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![1 => Just(None), 1 => Just(Some(0.0)), 3 => (0.0..200.0_f64).prop_map(Some)]
}

#[derive(Debug, Clone)]
struct Case {
    frequency: Vec<f64>,
    last_sync: Option<Vec<f64>>,
    horizon: f64,
    slot: Option<f64>,
    spare: Option<u32>,
    start: f64,
}

impl Case {
    fn capacity(&self) -> Option<u32> {
        let slot = self.slot?;
        let needed = (self.frequency.iter().sum::<f64>() * slot).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and positive")]
        self.spare.map(|spare| spare + needed.max(1.0) as u32)
    }

    fn request(&self) -> Request<'_> {
        Request {
            frequency: &self.frequency,
            horizon: self.horizon,
            slot: self.slot,
            capacity: self.capacity(),
            last_sync: self.last_sync.as_deref(),
            start: self.start,
        }
    }

    /// When the item's first window starts: one interval after its last sync, but not before the start.
    fn joins(&self, item: usize) -> f64 {
        let last_sync = self.last_sync.as_ref().map_or(f64::NAN, |times| times[item]);
        (last_sync + 1.0 / self.frequency[item]).max(self.start)
    }
}

fn cases() -> impl Strategy<Value = Case> {
    frequencies().prop_flat_map(|frequency| {
        let phases = prop::collection::vec(ago(), frequency.len());
        let slot = prop::option::of(0.01..3.0_f64);
        (Just(frequency), prop::option::of(phases), 0.5..40.0_f64, slot, prop::option::of(0..5_u32), -50.0..50.0_f64)
            .prop_map(|(frequency, ago, horizon, slot, spare, start)| Case {
                last_sync: ago.map(|ago| ago.into_iter().map(|a| a.map_or(f64::NAN, |a| start - a)).collect()),
                frequency,
                horizon,
                slot,
                spare,
                start,
            })
    })
}

/// The extremes of each item's lag, computed from the visits alone.
fn lags(case: &Case, plan: &Timetable) -> Vec<(f64, f64)> {
    let mut visits = vec![Vec::new(); case.frequency.len()];
    for (time, item) in plan.time.iter().zip(&plan.item) {
        visits[*item as usize].push(*time);
    }
    let lag = |item: usize, time: f64, made: usize| case.frequency[item] * (time - case.joins(item)) - made as f64;
    (0..visits.len())
        .filter(|item| case.frequency[*item] > 0.0)
        .map(|item| {
            let mut extremes = (f64::INFINITY, f64::NEG_INFINITY);
            for (made, time) in visits[item].iter().enumerate() {
                extremes.0 = extremes.0.min(lag(item, *time, made + 1));
                extremes.1 = extremes.1.max(lag(item, *time, made));
            }
            let end = lag(item, case.start + case.horizon, visits[item].len());
            (extremes.0.min(end), extremes.1.max(end))
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_item_is_ever_a_visit_behind_or_more_than_one_ahead(case in cases()) {
        let plan = timetable(&case.request()).unwrap();
        let mut max = 0.0_f64;
        for (lowest, highest) in lags(&case, &plan) {
            prop_assert!(lowest > -1.0 - ROUNDING && highest < 1.0 + ROUNDING, "lag from {lowest} to {highest}");
            max = max.max(lowest.abs()).max(highest.abs());
        }
        prop_assert!((plan.max_lag - max).abs() < ROUNDING, "reported {} but it is {max}", plan.max_lag);
    }

    #[test]
    fn capacity_is_never_exceeded_and_the_load_is_even(case in cases()) {
        let plan = timetable(&case.request()).unwrap();
        let mut load = vec![0_u32; plan.load.len()];
        for time in &plan.time {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a slot's index")]
            let slot = ((time - case.start) / plan.slot) as usize;
            load[slot] += 1;
        }
        prop_assert_eq!(&load, &plan.load);
        prop_assert!(load.iter().all(|visits| *visits <= plan.capacity));
        if case.last_sync.is_none() {
            let even = case.frequency.iter().sum::<f64>() * plan.slot;
            let whole = &load[..load.len() - 1];
            prop_assert!(whole.iter().all(|visits| (f64::from(*visits) - even).abs() < 1.0), "{even} a slot, got {load:?}");
        }
    }

    #[test]
    fn visits_are_in_order_within_the_horizon_and_only_of_items_with_a_frequency(case in cases()) {
        let plan = timetable(&case.request()).unwrap();
        prop_assert_eq!(plan.time.len(), plan.item.len());
        prop_assert!(plan.time.is_sorted());
        prop_assert!(plan.time.iter().all(|time| *time >= case.start && *time < case.start + case.horizon));
        prop_assert!(plan.item.iter().all(|item| case.frequency[*item as usize] > 0.0));
    }

    #[test]
    fn steps_of_any_size_make_the_same_timetable(case in cases(), step in 1..50_usize) {
        let mut scheduler = Scheduler::new(&case.request()).unwrap();
        let mut done = 0.0;
        while done < 1.0 {
            let now = scheduler.step(step);
            prop_assert!(now > done);
            done = now;
        }
        prop_assert_eq!(scheduler.finish(), timetable(&case.request()).unwrap());
    }

    #[test]
    fn a_capacity_below_the_demand_names_the_one_that_is_needed(frequency in frequencies(), slot in 0.5..3.0_f64) {
        let demand = frequency.iter().sum::<f64>() * slot;
        prop_assume!(demand > 1.001 && (demand - demand.round()).abs() > 1e-6);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and positive")]
        let floor = demand.floor() as u32;
        let request = Request { frequency: &frequency, horizon: 10.0, slot: Some(slot), capacity: Some(floor), last_sync: None, start: 0.0 };
        let problem = timetable(&request).unwrap_err();
        prop_assert_eq!(problem.kind, Kind::Infeasible);
        prop_assert!(problem.hint.contains(&(floor + 1).to_string()), "{}", problem.hint);
        let enough = Request { capacity: Some(floor + 1), ..request };
        prop_assert!(timetable(&enough).is_ok());
    }
}
