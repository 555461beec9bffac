//! What a history says of the Poisson assumption (Cho §6.2), in numbers and in words.

use super::item::of_item;
use super::{History, Rates};
use crate::change::Model;
use crate::numeric::said::figure;
use crate::numeric::sort;

/// From how many changes on an item's test counts in a share of items.
const TESTED: f64 = 10.0;
/// The bins of a gap distribution, and how far they reach in mean gaps.
const BINS: usize = 32;
const REACH: f64 = 8.0;
/// Gaps shorter than this share of the mean are a burst; of exponential gaps 4.9 % are.
pub(super) const BURST: f64 = 0.05;

/// The distribution of gaps, against the exponential (Cho's Fig. 11; its vertical axis is logarithmic).
#[derive(Debug, Clone, PartialEq)]
pub struct GapDistribution {
    /// Of a set: the middle of each bin, in mean gaps of the item. Of one item, which has too few for bins: each gap, in units of
    /// time, the shortest first.
    pub gap: Vec<f64>,
    /// Share of the gaps in each bin; of one item the share that is at least so long.
    pub observed: Vec<f64>,
    /// The same share for a Poisson process.
    pub expected: Vec<f64>,
    /// How many gaps there are, those beyond the last bin included.
    pub gaps: usize,
    /// The share of gaps shorter than a twentieth of the mean; 4.9 % for a Poisson process.
    pub short: f64,
}

/// What was found for a set, or for one item as a set of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// Items with enough changes to be tested.
    pub tested: usize,
    /// How many of them are not Poisson at the 5 % level; chance alone makes one in twenty.
    pub rejected: usize,
    /// How many of them changed their rate more than twofold between halves, beyond chance at the 1 % level.
    pub drifted: usize,
    /// Median dispersion of their gaps.
    pub dispersion: f64,
    /// Median Weibull shape of their gaps.
    pub shape: f64,
    /// Gaps in multiples of their item's mean.
    pub gaps: GapDistribution,
    /// Changes on each day of the week, Monday first; all 0 where that cannot be told.
    pub weekday: [f64; 7],
    /// Changes in each hour of the day, UTC; all 0 where that cannot be told, as from dates alone.
    pub hour: [f64; 24],
    /// The model that fits the changes.
    pub suggests: Model,
    /// What was found, in sentences.
    pub findings: Vec<String>,
}

/// The diagnosis of a set whose rates have been estimated from this history. On a `calendar` times are days since 1970-01-01.
#[must_use]
pub fn of_set(history: &History, rates: &Rates, calendar: bool) -> Diagnosis {
    let tested: Vec<usize> = (0..rates.len()).filter(|&i| rates.changes[i] >= TESTED).collect();
    let count = |is: &dyn Fn(usize) -> bool| tested.iter().filter(|&&i| is(i)).count();
    let (weekday, hour) = profiles(history.times(), calendar);
    let mut found = Diagnosis {
        tested: tested.len(),
        rejected: count(&|i| rates.poisson_p[i] < 0.05),
        drifted: count(&|i| drifted(rates, i)),
        dispersion: median(tested.iter().map(|&i| rates.dispersion[i])),
        shape: median(tested.iter().map(|&i| rates.shape[i])),
        gaps: gap_distribution(history, &tested),
        weekday,
        hour,
        suggests: Model::GammaPoisson,
        findings: Vec::new(),
    };
    if history.len() == 1 {
        // A set of one is spoken of as that one.
        let Diagnosis { suggests, findings, .. } = of_item(history, rates, 0, calendar);
        return Diagnosis { suggests, findings, ..found };
    }
    found.put_in_words();
    found
}

/// Whether an item's rate changed more than twofold between the halves of its watching, beyond chance at the 1 % level.
pub(super) fn drifted(rates: &Rates, item: usize) -> bool {
    rates.drift_p[item] < 0.01 && !(0.5..=2.0).contains(&rates.drift[item])
}

impl Diagnosis {
    /// Fills in the findings and the model that they suggest.
    fn put_in_words(&mut self) {
        let Self { tested, rejected, drifted, shape, dispersion, .. } = *self;
        let mut say = |text: String| self.findings.push(text);
        if tested == 0 {
            say("No item has ten changes or more, too few to tell whether they come at random: the Gamma–Poisson model treats \
                 the rates as the uncertain things they are."
                .into());
            return;
        }
        let share = |part: usize| 100.0 * part as f64 / tested as f64;
        if tested == 1 {
            let how = if rejected == 0 { "come at random" } else { "are not Poisson" };
            say(format!("Only one item has ten changes or more, enough to be tested: they {how}."));
        } else if share(rejected) <= 10.0 {
            say(format!(
                "Changes come at random: a Poisson process is rejected for {rejected} of {tested} tested items."
            ));
        } else {
            say(format!(
                "Changes are not Poisson: the test rejects it for {rejected} of {tested} items, where chance would make it {:.0}.",
                0.05 * tested as f64
            ));
        }
        if share(rejected) > 10.0 {
            if shape < 0.9 {
                self.suggests = Model::Weibull;
                say(format!(
                    "Gaps are more uneven than at random, many short and a few long ones, with a median spread (s/m)² of {} \
                     instead of 1: Weibull gaps of shape {shape:.2} fit better.",
                    figure(dispersion)
                ));
            } else if shape > 1.15 {
                self.suggests = Model::Weibull;
                say(format!(
                    "Gaps are more even than at random, with a median spread (s/m)² of {} instead of 1: Weibull gaps of shape \
                     {shape:.2} fit better.",
                    figure(dispersion)
                ));
            }
        }
        let short = 100.0 * self.gaps.short;
        if self.gaps.gaps > 20 && self.gaps.short > 0.15 {
            say(format!(
                "Changes come in bursts: {short:.0} % of the gaps are shorter than a twentieth of the mean, instead of 5 %. Merging \
                 changes that come close together would leave one for each burst."
            ));
        }
        if tested > 1 && share(drifted) >= 10.0 {
            say(format!(
                "Rates do not stay: {drifted} of {tested} items more than doubled or halved theirs between the first half and the \
                 second. Re-plan often, from recent history."
            ));
        }
        let (working, weekend) =
            (self.weekday[..5].iter().sum::<f64>() / 5.0, self.weekday[5..].iter().sum::<f64>() / 2.0);
        if working + weekend > 40.0 && working > 1.5 * weekend {
            say(format!(
                "Weekdays are {} as busy as weekends.",
                if weekend > 0.0 { format!("{:.1} times", working / weekend) } else { "far more than twice".into() }
            ));
        }
    }
}

/// The gaps of some items, in bins and in means of their item, so that items of all rates lie on one curve.
fn gap_distribution(history: &History, items: &[usize]) -> GapDistribution {
    let mut counts = [0.0; BINS];
    let (mut gaps, mut short) = (0, 0.0);
    for &item in items {
        let own = history.gaps(item);
        let number = own.complete().count();
        let mean = own.complete().sum::<f64>() / number.max(1) as f64;
        gaps += number;
        for gap in own.complete() {
            let x = gap / mean;
            short += f64::from(u8::from(x < BURST));
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and saturates")]
            if let Some(bin) = counts.get_mut((x * (BINS as f64 / REACH)) as usize) {
                *bin += 1.0;
            }
        }
    }
    let width = REACH / BINS as f64;
    let total = gaps.max(1) as f64;
    GapDistribution {
        gap: (0..BINS).map(|bin| (bin as f64 + 0.5) * width).collect(),
        observed: counts.iter().map(|count| count / total).collect(),
        expected: (0..BINS).map(|bin| -libm::exp(-width * bin as f64) * libm::expm1(-width)).collect(),
        gaps,
        short: short / total,
    }
}

/// Changes by day of the week, Monday first, and by hour; 1970-01-01 was a Thursday. Where all are at midnight they are dates
/// alone, which tell nothing of hours.
pub(super) fn profiles(times: &[f64], calendar: bool) -> ([f64; 7], [f64; 24]) {
    let (mut weekday, mut hour) = ([0.0; 7], [0.0; 24]);
    if !calendar {
        return (weekday, hour);
    }
    for &time in times {
        let day = libm::floor(time);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a remainder, from 0 up")]
        {
            weekday[(day as i64 + 3).rem_euclid(7) as usize] += 1.0;
            hour[(((time - day) * 24.0) as usize).min(23)] += 1.0;
        }
    }
    if times.iter().all(|time| time.fract() == 0.0) {
        hour.fill(0.0);
    }
    (weekday, hour)
}

/// The median of what is not NaN.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
    sort::floats(&mut values);
    let (low, high) = (values.get(values.len().saturating_sub(1) / 2), values.get(values.len() / 2));
    low.zip(high).map_or(f64::NAN, |(low, high)| 0.5 * (low + high))
}
