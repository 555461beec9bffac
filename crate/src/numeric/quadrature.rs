//! Integrals over (0, b] of functions that live on any scale: Gauss–Legendre on panels in ln x, summed downwards until
//! nothing is left. For positive integrands the result is good to the last digits, relatively.

use std::sync::LazyLock;

const POINTS: usize = 16;

/// Nodes on [−1, 1] and their weights.
static GAUSS: LazyLock<[(f64, f64); POINTS]> = LazyLock::new(|| {
    core::array::from_fn(|i| {
        let n = POINTS as f64;
        let mut x = libm::cos(core::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5));
        let mut derivative = 1.0;
        for _ in 0..8 {
            let (mut before, mut current) = (1.0, x);
            for k in 2..=POINTS {
                let k = k as f64;
                (before, current) = (current, ((2.0 * k - 1.0) * x * current - (k - 1.0) * before) / k);
            }
            derivative = n * (x * current - before) / (x * x - 1.0);
            x -= current / derivative;
        }
        (x, 2.0 / ((1.0 - x * x) * derivative * derivative))
    })
});

/// Bounds the work whatever the integrand: [`POINTS`] evaluations each.
const MOST_PANELS: u32 = 400;

/// Adds to `sum` ∫ f(x) dx from `a` ≥ 0 to `b`, of two positive functions at once, on panels of at most `width` in ln x.
///
/// Goes down from `b` and stops early where nothing is left to add: below `knee`, under which `f` may only fall.
pub fn downwards(sum: &mut [f64; 2], [a, b]: [f64; 2], width: f64, knee: f64, f: impl Fn(f64) -> [f64; 2]) {
    // 700 is as far as e^s reaches.
    let (bottom, mut top) = (libm::log(a).max(-700.0), libm::log(b));
    let knee = libm::log(knee.min(b));
    if bottom >= top {
        return;
    }
    let width = if a > 0.0 { (top - bottom) / libm::ceil((top - bottom) / width) } else { width };
    for _ in 0..MOST_PANELS {
        let part = panel(top - width, width, &f);
        add(sum, &part);
        top -= width;
        let nothing_left = sum[0] > 0.0 && part[0] <= 1e-17 * sum[0] && part[1] <= 1e-17 * sum[1];
        if top <= bottom + 1e-9 * width || (top < knee && nothing_left) {
            break;
        }
    }
}

fn panel(low: f64, width: f64, f: &impl Fn(f64) -> [f64; 2]) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for (node, weight) in GAUSS.iter() {
        let x = libm::exp(low + 0.5 * width * (1.0 + node));
        let [first, second] = f(x);
        add(&mut sum, &[0.5 * width * weight * x * first, 0.5 * width * weight * x * second]);
    }
    sum
}

fn add(sum: &mut [f64; 2], part: &[f64; 2]) {
    sum[0] += part[0];
    sum[1] += part[1];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integral(ends: [f64; 2], width: f64, knee: f64, f: impl Fn(f64) -> [f64; 2]) -> [f64; 2] {
        let mut sum = [0.0; 2];
        downwards(&mut sum, ends, width, knee, f);
        sum
    }

    #[test]
    fn work_is_bounded_whatever_is_asked() {
        let calls = core::cell::Cell::new(0);
        let count = |value: f64| {
            calls.set(calls.get() + 1);
            [value; 2]
        };
        let _ = integral([0.0, 1.0], 1e-9, 1e-300, |_| count(0.0));
        let _ = integral([1e-9, 1.0], 1e-9, 1e-300, |_| count(f64::NAN));
        assert!(calls.get() < 20_000, "{}", calls.get());
        assert!(integral([1.0, 1.0], 1.0, 1.0, |_| [1.0; 2])[0].abs() < 1e-300);
    }

    #[test]
    fn powers_are_exact() {
        for b in [1e-3, 1.0, 64.0] {
            let [root, square] = integral([0.0, b], 2.0, b, |x| [(x / b).sqrt(), x / b * (x / b)]);
            assert!((root / (b / 1.5) - 1.0).abs() < 1e-14, "{b}: {root}");
            assert!((square / (b / 3.0) - 1.0).abs() < 1e-14, "{b}: {square}");
        }
    }

    #[test]
    fn a_spike_far_below_the_end_is_not_missed() {
        let scale = 1e-12;
        let [integral, _] = integral([0.0, 1.0], 2.0, scale, |x| [libm::exp(-x / scale), 0.0]);
        assert!((integral / scale - 1.0).abs() < 1e-14, "{integral}");
    }

    #[test]
    fn a_stretch_between_two_points_is_what_its_antiderivative_says() {
        let [integral, reciprocal] = integral([1.0, 2.0], 0.4, 0.0, |x| [libm::exp(-x), 1.0 / x]);
        assert!((integral - (libm::exp(-1.0) - libm::exp(-2.0))).abs() < 1e-15);
        assert!((reciprocal - core::f64::consts::LN_2).abs() < 1e-15);
    }
}
