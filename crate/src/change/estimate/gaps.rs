//! Weibull gaps by maximum likelihood, the last gap cut off by the end of the watching.
//!
//! With d complete gaps, all gaps x (the cut one too) and S(t) = exp(−λ t^γ), the best γ is the one root of
//!
//! ```text
//! Σ x^γ ln x / Σ x^γ − 1/γ − (1/d) Σ_complete ln x = 0         and then λ = d / Σ x^γ
//! ```

/// Fewer complete gaps than this say nothing of a shape.
pub const LEAST_GAPS: usize = 3;

/// Shapes are looked for between these; nothing in practice lies beyond.
const SHAPES: (f64, f64) = (0.05, 50.0);

/// The gaps of one item: those between changes, and the one that the end of the watching cut off.
#[derive(Debug, Clone, Copy)]
pub struct Gaps<'a> {
    /// The changes, in order.
    pub changes: &'a [f64],
    /// When a gap began without a change, as at an item's birth.
    pub birth: Option<f64>,
    /// The end of the watching.
    pub end: f64,
}

impl Gaps<'_> {
    /// The complete gaps.
    pub fn complete(&self) -> impl Iterator<Item = f64> + '_ {
        let first = self.birth.zip(self.changes.first()).map(|(birth, &change)| change - birth);
        first.into_iter().chain(self.changes.windows(2).map(|pair| pair[1] - pair[0])).filter(|gap| *gap > 0.0)
    }

    /// The gap that was cut off.
    fn cut(&self) -> f64 {
        self.changes.last().copied().or(self.birth).map_or(0.0, |last| (self.end - last).max(0.0))
    }

    /// The shape γ; NaN with fewer than three gaps, the largest looked for where all gaps are equal.
    #[must_use]
    pub fn shape(&self) -> f64 {
        let complete = self.complete().count();
        if complete < LEAST_GAPS {
            return f64::NAN;
        }
        // In units of the longest, so that no power overflows.
        let cut = self.cut();
        let unit = self.complete().fold(cut, f64::max);
        let logs: Vec<f64> = self.complete().map(|gap| libm::log(gap / unit)).collect();
        let mean = logs.iter().sum::<f64>() / complete as f64;
        let cut = libm::log(cut / unit);
        let score = |shape: f64| {
            let (mut power_sum, mut log_sum) = (0.0, 0.0);
            for log in logs.iter().copied().chain(cut.is_finite().then_some(cut)) {
                let power = libm::exp(shape * log);
                power_sum += power;
                log_sum += power * log;
            }
            log_sum / power_sum - 1.0 / shape - mean
        };
        // Rising: bisection in ln γ, 2⁻⁴⁰ of seven.
        let (mut low, mut high) = SHAPES;
        if score(high) < 0.0 {
            return high;
        }
        for _ in 0..40 {
            let middle = (low * high).sqrt();
            if score(middle) < 0.0 { low = middle } else { high = middle }
        }
        (low * high).sqrt()
    }

    /// (s/m)² of the complete gaps: 1 for exponential ones, above for bursts, below for regular ones; NaN with fewer than two.
    #[must_use]
    pub fn dispersion(&self) -> f64 {
        let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
        for gap in self.complete() {
            count += 1.0;
            let before = gap - mean;
            mean += before / count;
            squares += before * (gap - mean);
        }
        if count < 2.0 { f64::NAN } else { squares / (count - 1.0) / (mean * mean) }
    }
}

/// Var(ln γ̂) · d for complete gaps: 6/π².
const SPREAD: f64 = 0.607_927_101_854_027;

/// Shapes drawn towards the population's, the more the fewer gaps an item has: ln γ̂ is known to ±√(0.61/d), and what varies
/// beyond that is real (the random-effects estimate of meta-analysis, 1986). Returns the common shape too; both are 1 where there is nothing to go by.
#[must_use]
pub fn shrunken(shape: &[f64], gaps: &[f64]) -> (Vec<f64>, f64) {
    let known = || shape.iter().zip(gaps).filter(|(shape, _)| !shape.is_nan());
    // A shape at the edge of the search is no sharper than one well inside it.
    let log = |shape: f64| libm::log(shape.clamp(0.1, 10.0));
    let (mut weight, mut squares, mut sum, mut items) = (0.0, 0.0, 0.0, 0.0);
    for (&shape, &gaps) in known() {
        let own = gaps / SPREAD;
        weight += own;
        squares += own * own;
        sum += own * log(shape);
        items += 1.0;
    }
    if items == 0.0 {
        return (vec![1.0; shape.len()], 1.0);
    }
    let mean = sum / weight;
    let excess: f64 = known().map(|(&shape, &gaps)| gaps / SPREAD * (log(shape) - mean) * (log(shape) - mean)).sum();
    let between = if items > 1.0 { ((excess - items + 1.0) / (weight - squares / weight)).max(0.0) } else { 0.0 };
    let each = |gaps: f64| 1.0 / (between + SPREAD / gaps);
    let (total, weighted) =
        known().fold((0.0, 0.0), |(t, w), (&shape, &gaps)| (t + each(gaps), w + each(gaps) * log(shape)));
    let centre = weighted / total;
    let draw = |(&shape, &gaps): (&f64, &f64)| {
        let trust = between / (between + SPREAD / gaps);
        libm::exp(if shape.is_nan() { centre } else { trust * log(shape) + (1.0 - trust) * centre })
    };
    (shape.iter().zip(gaps).map(draw).collect(), libm::exp(centre))
}
