//! One item of a log in words: where its rate comes from, and what its changes look like. Times are days.

use super::diagnosis::{BURST, Diagnosis, GapDistribution, drifted, profiles};
use super::{History, Method, Rates};
use crate::change::Model;
use crate::numeric::said::{counted, figure, length, span};
use crate::numeric::sort;

/// From how many changes on the rhythm of an item's week and day can be seen.
const RHYTHM: usize = 20;

/// Where a rate comes from: what was counted, how sure that is, and what the other items add to it.
#[must_use]
pub fn reasoning(rates: &Rates, item: usize) -> Vec<String> {
    let [rate, low, high, changes] = [&rates.rate, &rates.low, &rates.high, &rates.changes].map(|column| column[item]);
    let (watched, visits) = (length(rates.exposure[item]), counted(rates.visits[item], "visit"));
    let method = rates.method[item];
    let counted = match method {
        Method::Nothing => "It was watched for no time at all: only the others tell something of it.".into(),
        Method::FullHistory if changes == 0.0 => format!("It did not change in {watched} of watching."),
        Method::FullHistory => {
            format!("{} in {watched} of watching make one every {}.", counted(changes, "change"), span(1.0 / rate))
        }
        _ if changes == 0.0 => format!("None of {visits} in {watched} found a change."),
        _ if high.is_infinite() => format!(
            "Every one of {visits} in {watched} found a change: how much more often it changes than it is visited cannot be told."
        ),
        Method::LastModified => format!(
            "{changes} of {visits} in {watched} found a change and when it was made, which leaves {} known to be without one: a \
             change every {}.",
            length(changes / rate),
            span(1.0 / rate)
        ),
        Method::RegularVisits => format!(
            "{changes} of {visits}, one every {}, found a change. Several changes between two visits are found as one, which is \
             allowed for: a change every {}.",
            span(rates.exposure[item] / rates.visits[item]),
            span(1.0 / rate)
        ),
        _ => format!(
            "{changes} of {visits} in {watched} found a change. The rate that makes just this most likely is a change every {}.",
            span(1.0 / rate)
        ),
    };
    let mut said = vec![counted];
    if method != Method::Nothing {
        said.push(match (low > 0.0, high.is_finite()) {
            (true, true) => {
                format!(
                    "With 95 % confidence it is between one every {} and one every {}.",
                    span(1.0 / high),
                    span(1.0 / low)
                )
            }
            (true, false) => format!("With 95 % confidence it is one every {} or more often.", span(1.0 / low)),
            _ => format!("With 95 % confidence it is one every {} or rarer.", span(1.0 / high)),
        });
    }
    said.push(borrowed(rates, item));
    said
}

/// What the population adds.
fn borrowed(rates: &Rates, item: usize) -> String {
    let (alpha, beta, prior) = (rates.alpha[item], rates.beta[item], rates.prior);
    let expected =
        format!("one every {} (a Gamma of shape {} and rate {} days)", span(beta / alpha), figure(alpha), figure(beta));
    if prior.beta <= 0.0 {
        return format!("There are too few others to borrow from: a plan expects {expected}.");
    }
    format!(
        "The rates of all together, one change every {} in the mean, are worth {} of watching: its own history counts {:.0} %, and a \
         plan expects {expected}.",
        span(prior.beta / prior.alpha),
        length(prior.beta),
        100.0 * (1.0 - prior.beta / beta)
    )
}

/// What the changes of one item look like. On a `calendar` times are days since 1970-01-01.
#[must_use]
pub fn of_item(history: &History, rates: &Rates, item: usize, calendar: bool) -> Diagnosis {
    let changes = history.changes(item);
    let (weekday, hour) = profiles(if changes.len() >= RHYTHM { changes } else { &[] }, calendar);
    let tested = !rates.poisson_p[item].is_nan();
    let mut found = Diagnosis {
        tested: usize::from(tested),
        rejected: usize::from(rates.poisson_p[item] < 0.05),
        drifted: usize::from(tested && drifted(rates, item)),
        dispersion: rates.dispersion[item],
        shape: rates.shape[item],
        gaps: gap_distribution(history, item),
        weekday,
        hour,
        suggests: Model::GammaPoisson,
        findings: Vec::new(),
    };
    if tested {
        is_it_poisson(&mut found, rates.poisson_p[item], changes.len());
        drift(&mut found, history.halves(item));
        rhythm(&mut found);
    } else {
        found.findings.push(
            "Fewer than five changes are too few to tell whether they come at random: take the rate as the uncertain thing it is."
                .into(),
        );
    }
    found
}

fn is_it_poisson(found: &mut Diagnosis, p: f64, changes: usize) {
    let Diagnosis { dispersion, shape, .. } = *found;
    let chance = if p < 0.001 { "less than 0.1 %".into() } else { format!("{} %", figure(100.0 * p)) };
    let say = &mut found.findings;
    if p >= 0.05 {
        say.push(format!(
            "As far as {changes} changes can tell they come at random: a Poisson process looks at least as odd with a chance of \
             {chance}, and the spread of its gaps (s/m)² is {} where one of 1 is expected.",
            figure(dispersion)
        ));
        return;
    }
    say.push(format!("Its changes are not Poisson: such a process would look as odd with a chance of {chance} only."));
    let uneven = match shape {
        _ if shape < 0.9 => "more uneven",
        _ if shape > 1.15 => "more even",
        _ => return,
    };
    found.suggests = Model::Weibull;
    say.push(format!(
        "Its gaps are {uneven} than at random, with a spread (s/m)² of {} instead of 1: Weibull gaps of shape {shape:.2} fit better.",
        figure(dispersion)
    ));
    let bursts = found.gaps.short * found.gaps.gaps as f64;
    if bursts >= 3.0 && found.gaps.short > 0.15 {
        say.push(format!(
            "It changes in bursts: {bursts:.0} of {} gaps are shorter than a twentieth of the mean, where chance would make it {:.0}. \
             Merging changes that come close together would leave one for each burst.",
            found.gaps.gaps,
            -libm::expm1(-BURST) * found.gaps.gaps as f64
        ));
    }
}

fn drift(found: &mut Diagnosis, [earlier, later]: [usize; 2]) {
    let counts =
        format!("{} in the first half of the watching, {later} in the second", counted(earlier as f64, "change"));
    found.findings.push(if found.drifted > 0 {
        format!("Its rate did not stay: {counts}. Plan it from recent history, and anew before long.")
    } else {
        format!("Its rate stayed as far as one can tell: {counts}.")
    });
}

/// Weekdays against weekends by the normal approximation, and hours by Rayleigh's test of a circle, each at the 1 % level.
fn rhythm(found: &mut Diagnosis) {
    let all: f64 = found.weekday.iter().sum();
    if all == 0.0 {
        return;
    }
    let working: f64 = found.weekday[..5].iter().sum();
    let usual = all * 5.0 / 7.0;
    if (working - usual).abs() > 2.576 * (usual * 2.0 / 7.0).sqrt() {
        found
            .findings
            .push(format!("{working} of {all} changes came on a weekday, where chance would make it {usual:.0}."));
    }
    let (mut x, mut y, mut timed) = (0.0, 0.0, 0.0);
    for (hour, &count) in found.hour.iter().enumerate() {
        let (sine, cosine) = libm::sincos((hour as f64 + 0.5) * core::f64::consts::TAU / 24.0);
        (x, y, timed) = (x + count * cosine, y + count * sine, timed + count);
    }
    if timed > 0.0 && libm::exp(-(x * x + y * y) / timed) < 0.01 {
        let peak = libm::atan2(y, x).rem_euclid(core::f64::consts::TAU) * 24.0 / core::f64::consts::TAU;
        found.findings.push(format!("Its changes gather around {:02.0}:00 UTC.", libm::floor(peak)));
    }
}

/// The gaps of one item, each with the share that is at least so long.
fn gap_distribution(history: &History, item: usize) -> GapDistribution {
    let mut gap: Vec<f64> = history.gaps(item).complete().collect();
    sort::floats(&mut gap);
    let gaps = gap.len();
    let number = gaps.max(1) as f64;
    let mean = gap.iter().sum::<f64>() / number;
    GapDistribution {
        observed: (0..gaps).map(|shorter| (gaps - shorter) as f64 / number).collect(),
        expected: gap.iter().map(|gap| libm::exp(-gap / mean)).collect(),
        short: gap.iter().filter(|gap| **gap < BURST * mean).count() as f64 / number,
        gap,
        gaps,
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "that counts are exact is the claim")]
mod tests {
    use super::super::{Events, FirstEvent, VisitLog, from_events, from_visits};
    use super::*;

    fn history(time: &[f64], end: f64) -> History {
        let item = vec![0; time.len()];
        let (from, to, first) = (Some(0.0), Some(end), FirstEvent::Change);
        History::new(&Events { item: &item, time, items: 1, from, to, merge_within: 0.0, first }).unwrap()
    }

    fn found(time: &[f64], end: f64, calendar: bool) -> Diagnosis {
        let history = history(time, end);
        of_item(&history, &from_events(&history), 0, calendar)
    }

    #[test]
    fn a_history_is_reasoned_from_its_counts() {
        let history = history(&[3.0, 40.0, 80.0, 81.0], 100.0);
        let said = reasoning(&from_events(&history), 0);
        assert_eq!(said[0], "4 changes in 3.3 months of watching make one every 25 days.");
        // Half of the χ² quantiles with 9 degrees of freedom: 1.350 and 9.511.
        assert_eq!(said[1], "With 95 % confidence it is between one every 11 days and one every 2.4 months.");
        assert!(
            said[2].starts_with("There are too few others to borrow from: a plan expects one every 22 days"),
            "{}",
            said[2]
        );
    }

    #[test]
    fn visits_are_reasoned_by_the_method_that_was_used() {
        let said = |time: &[f64], changed: &[bool], stamps: Option<&[f64]>| {
            let item = vec![0; time.len()];
            let log = VisitLog { item: &item, time, changed, last_modified: stamps, items: 1 };
            reasoning(&from_visits(&log).unwrap(), 0)[..2].join(" ")
        };
        let (even, uneven) = ([0.0, 2.0, 4.0, 6.0], [0.0, 1.0, 4.0, 6.0]);
        let some = [false, true, false, true];
        assert!(said(&even, &some, None).starts_with("2 of 3 visits, one every 2 days, found a change. Several"));
        assert!(said(&uneven, &some, None).contains("makes just this most likely"));
        assert!(said(&uneven, &[false; 4], None).starts_with(
            "None of 3 visits in 6 days found a change. With 95 % confidence it is one every 2.4 days or rarer."
        ));
        assert!(said(&uneven, &[true; 4], None).starts_with("Every one of 3 visits in 6 days found a change"));
        let stamped = said(&uneven, &some, Some(&[f64::NAN, 0.5, f64::NAN, 5.0]));
        assert!(
            stamped.starts_with("2 of 3 visits in 6 days found a change and when it was made, which leaves 4.5 days"),
            "{stamped}"
        );
        assert!(said(&[1.0], &[true], None).starts_with("It was watched for no time at all"));
    }

    #[test]
    fn bursts_drift_and_rhythm_are_found_where_they_are() {
        // Ten bursts of three on Mondays at ten, all in the second half.
        let bursts: Vec<f64> =
            (0..30).map(|k| 214.0 + 14.0 * f64::from(k / 3) + 10.2 / 24.0 + 0.001 * f64::from(k % 3)).collect();
        let one = found(&bursts, 360.0, true);
        let text = one.findings.join("\n");
        for part in [
            "not Poisson",
            "more uneven",
            "20 of 29 gaps are shorter",
            "did not stay: 0 changes in the first",
            "30 of 30 changes came on a weekday, where chance would make it 21",
            "around 10:00 UTC",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!((one.weekday[0], one.hour[10], one.suggests), (30.0, 30.0, Model::Weibull));
        let elsewhere = found(&bursts, 360.0, false);
        assert!(elsewhere.weekday.iter().chain(&elsewhere.hour).all(|count| *count == 0.0));
        assert!(!elsewhere.findings.iter().any(|text| text.contains("UTC") || text.contains("weekday")));
        assert!(found(&[1.0, 2.0], 9.0, true).findings[0].starts_with("Fewer than five"));
    }

    #[test]
    fn what_comes_at_random_is_said_to() {
        // Gaps at the quantiles of the exponential, shuffled by a step of 7.
        let mut at = 0.0;
        let time: Vec<f64> = (0..40_u32)
            .map(|k| {
                at -= 3.0 * (1.0 - (f64::from(k * 7 % 40) + 0.5) / 40.0).ln();
                at
            })
            .collect();
        let one = found(&time, at + 2.0, true);
        assert!(one.findings[0].starts_with("As far as 40 changes can tell they come at random"), "{:?}", one.findings);
        assert!(one.findings[1].starts_with("Its rate stayed"), "{:?}", one.findings);
        assert_eq!((one.rejected, one.gaps.gaps, one.gaps.observed[0]), (0, 39, 1.0));
        // The shares of an exponential lie along its line.
        for (observed, expected) in one.gaps.observed.iter().zip(&one.gaps.expected).take(35) {
            assert!((observed - expected).abs() < 0.06, "{observed} {expected}");
        }
    }

    #[test]
    fn dates_alone_tell_nothing_of_hours() {
        let time: Vec<f64> = (0..30).map(|k| 2.0 * f64::from(k)).collect();
        let one = found(&time, 60.0, true);
        assert!(one.hour.iter().all(|count| *count == 0.0) && one.weekday.iter().sum::<f64>() == 30.0);
    }
}
