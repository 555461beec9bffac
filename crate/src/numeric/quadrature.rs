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
