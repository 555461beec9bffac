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

/// ∫ f(x) dx from a to b, both positive, of two functions at once, on panels of at most `width` in ln x.
pub fn between(a: f64, b: f64, width: f64, f: impl Fn(f64) -> [f64; 2]) -> [f64; 2] {
    let span = libm::log(b / a);
    let panels = libm::ceil(span / width).max(1.0);
    let width = span / panels;
    let mut sum = [0.0; 2];
    let mut k = 0.0;
    while k < panels {
        add(&mut sum, &panel(libm::log(a) + k * width, width, &f));
        k += 1.0;
    }
    sum
}

/// ∫ f(x) dx from 0 to b > 0 of two positive functions at once that fall off like powers of x below `scale` > 0.
pub fn from_zero(b: f64, scale: f64, width: f64, f: impl Fn(f64) -> [f64; 2]) -> [f64; 2] {
    let knee = libm::log(scale.min(b));
    let mut top = libm::log(b);
    let mut sum = [0.0; 2];
    // 700 is as far as e^s reaches.
    while top > -700.0 {
        let part = panel(top - width, width, &f);
        add(&mut sum, &part);
        top -= width;
        if top < knee && part[0] <= 1e-17 * sum[0] && part[1] <= 1e-17 * sum[1] {
            break;
        }
    }
    sum
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

    #[test]
    fn powers_are_exact() {
        for b in [1e-3, 1.0, 64.0] {
            let [root, square] = from_zero(b, b, 2.0, |x| [(x / b).sqrt(), x / b * (x / b)]);
            assert!((root / (b / 1.5) - 1.0).abs() < 1e-14, "{b}: {root}");
            assert!((square / (b / 3.0) - 1.0).abs() < 1e-14, "{b}: {square}");
        }
    }

    #[test]
    fn a_spike_far_below_the_end_is_not_missed() {
        let scale = 1e-12;
        let [integral, _] = from_zero(1.0, scale, 2.0, |x| [libm::exp(-x / scale), 0.0]);
        assert!((integral / scale - 1.0).abs() < 1e-14, "{integral}");
    }

    #[test]
    fn a_stretch_between_two_points_is_what_its_antiderivative_says() {
        let [integral, reciprocal] = between(1.0, 2.0, 0.4, |x| [libm::exp(-x), 1.0 / x]);
        assert!((integral - (libm::exp(-1.0) - libm::exp(-2.0))).abs() < 1e-15);
        assert!((reciprocal - core::f64::consts::LN_2).abs() < 1e-15);
    }
}
