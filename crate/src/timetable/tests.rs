//! Small timetables whose right answer can be seen, and requests that have none.

use super::{MOST_VISITS, Request, timetable};
use crate::problem::{Kind, Problem};

const REQUEST: Request =
    Request { frequency: &[1.0], horizon: 10.0, slot: None, capacity: None, last_sync: None, start: 0.0 };

fn problem(request: Request) -> Problem {
    timetable(&request).expect_err("the request has no answer")
}

/// The gaps between the visits to one item.
fn gaps(request: &Request, item: u32) -> Vec<f64> {
    let plan = timetable(request).unwrap();
    let times: Vec<f64> = (0..plan.time.len()).filter(|i| plan.item[*i] == item).map(|i| plan.time[i]).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn items_alike_are_visited_in_turn_with_equal_gaps() {
    let request = Request { frequency: &[0.5; 4], horizon: 20.0, ..REQUEST };
    let plan = timetable(&request).unwrap();
    assert_eq!(plan.item[..8], [0, 1, 2, 3, 0, 1, 2, 3]);
    assert_eq!(plan.load, [2; 10].repeat(2));
    assert!((0..4).flat_map(|item| gaps(&request, item)).all(|gap| (gap - 2.0).abs() < 1e-9));
}

#[test]
fn gaps_are_nearly_even_for_mixed_frequencies() {
    let frequency: Vec<f64> = (0..200).map(|i| 0.1 * 1.02_f64.powi(i)).collect();
    let request = Request { frequency: &frequency, horizon: 50.0, ..REQUEST };
    let deviations: Vec<f64> = (0..200)
        .flat_map(|item| gaps(&request, item).into_iter().map(move |gap| (item, gap)))
        .map(|(item, gap)| gap * frequency[item as usize] - 1.0)
        .collect();
    let rms = (deviations.iter().map(|d| d * d).sum::<f64>() / deviations.len() as f64).sqrt();
    assert!(rms < 0.1, "gaps deviate by {rms} of an interval");
}

#[test]
fn the_most_overdue_item_is_first_and_one_synced_just_now_waits_an_interval() {
    let last_sync = [100.0, 97.0, 98.5, 96.0];
    let request = Request { frequency: &[1.0; 4], last_sync: Some(&last_sync), start: 100.0, horizon: 3.0, ..REQUEST };
    let plan = timetable(&request).unwrap();
    assert_eq!(plan.item[..3], [3, 1, 2]);
    let first = plan.item.iter().position(|item| *item == 0).unwrap();
    assert!(plan.time[first] >= 101.0 && plan.time[first] < 102.0, "{}", plan.time[first]);
}

#[test]
fn among_overdue_items_lateness_counts_in_intervals_as_far_as_deadlines_allow() {
    // Item 0 is half an interval overdue, item 1 two, the others not at all: there is room for item 1 to go first.
    let mut frequency = [0.1; 100];
    frequency[0] = 1.0;
    let mut last_sync = [0.0; 100];
    last_sync[..2].copy_from_slice(&[-1.5, -30.0]);
    let request = Request { frequency: &frequency, last_sync: Some(&last_sync), ..REQUEST };
    assert_eq!(timetable(&request).unwrap().item[..2], [1, 0]);
    // With those two alone the pace is so slow that item 0 would miss its deadline.
    let request = Request { frequency: &frequency[..2], last_sync: Some(&last_sync[..2]), ..REQUEST };
    assert_eq!(timetable(&request).unwrap().item[0], 0);
}

#[test]
fn a_very_overdue_item_is_visited_even_when_its_interval_exceeds_the_horizon() {
    let mut frequency = [0.02; 100];
    frequency[99] = 0.01;
    let mut last_sync = [-50.0; 100];
    last_sync[99] = -400.0;
    let request = Request { frequency: &frequency, last_sync: Some(&last_sync), ..REQUEST };
    assert_eq!(timetable(&request).unwrap().item[0], 99);
}

#[test]
fn an_unknown_last_sync_is_due_at_the_start() {
    let request = Request { frequency: &[1.0, 1.0], last_sync: Some(&[0.0, f64::NAN]), ..REQUEST };
    let plan = timetable(&request).unwrap();
    assert_eq!(plan.item[0], 1);
    assert!(plan.time[0] < 0.5);
}

#[test]
fn zero_frequencies_make_an_empty_timetable() {
    let plan = timetable(&Request { frequency: &[0.0, 0.0], ..REQUEST }).unwrap();
    assert!(plan.time.is_empty() && plan.item.is_empty());
    assert_eq!((plan.load, plan.max_lag), (vec![0; 10], 0.0));
}

#[test]
fn a_binding_capacity_is_met_exactly() {
    // Ten times a tenth adds up to a hair less than one: no extra visit may slip in or out.
    let request = Request { frequency: &[0.1; 30], slot: Some(1.0), capacity: Some(3), horizon: 1000.0, ..REQUEST };
    let plan = timetable(&request).unwrap();
    assert!(plan.load.iter().all(|visits| *visits == 3));
    assert!(plan.max_lag < 1.0);
}

#[test]
fn impossible_numbers_are_named_with_their_place() {
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        let problem = problem(Request { frequency: &[1.0, bad], ..REQUEST });
        assert_eq!((problem.kind, problem.row, problem.column.as_deref()), (Kind::Value, Some(1), Some("frequency")));
    }
    for bad in [f64::NAN, -1.0, 0.0, f64::INFINITY] {
        let horizon = problem(Request { horizon: bad, ..REQUEST });
        assert_eq!((horizon.kind, horizon.column.as_deref()), (Kind::Value, Some("horizon")));
        let slot = problem(Request { slot: Some(bad), ..REQUEST });
        assert_eq!((slot.kind, slot.column.as_deref()), (Kind::Value, Some("slot")));
    }
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        assert_eq!(problem(Request { start: bad, ..REQUEST }).column.as_deref(), Some("start"));
    }
    assert_eq!(problem(Request { capacity: Some(0), ..REQUEST }).column.as_deref(), Some("capacity"));
    assert_eq!(problem(Request { frequency: &[], ..REQUEST }).kind, Kind::Value);
}

#[test]
fn a_last_sync_after_the_start_or_missing_is_named_with_its_place() {
    let request = Request { frequency: &[1.0, 1.0], ..REQUEST };
    let late = problem(Request { last_sync: Some(&[0.0, 1.7e9]), ..request });
    assert_eq!((late.kind, late.row, late.column.as_deref()), (Kind::Value, Some(1), Some("lastSync")));
    assert_eq!(problem(Request { last_sync: Some(&[0.0]), ..request }).kind, Kind::Length);
}

#[test]
fn a_timetable_too_large_says_how_large_and_what_fits() {
    let problem = problem(Request { frequency: &[1e6], ..REQUEST });
    assert_eq!(problem.kind, Kind::Size);
    assert!(problem.message.contains("10000000") && problem.hint.contains("to 5 or less"), "{problem:?}");
    assert_eq!(timetable(&Request { frequency: &[1e6], horizon: 5.0, ..REQUEST }).unwrap().time.len(), MOST_VISITS);
}

#[test]
fn extremes_side_by_side_do_no_harm() {
    let frequency = [1e-300, 5e-324, 1e5, 1e-9];
    let request = Request { frequency: &frequency, last_sync: Some(&[-1e308, f64::NAN, -1e-9, 0.0]), ..REQUEST };
    let plan = timetable(&request).unwrap();
    assert!(plan.max_lag <= 1.0, "{}", plan.max_lag);
    assert!(plan.time.len() > 999_990);
}
