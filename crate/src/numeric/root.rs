//! Roots of increasing functions of a positive variable, over any number of decades.

/// The x > 0 at which the increasing positive function `f` reaches `target`, to the last bit or two that `f` resolves.
///
/// Works on ln f against ln x, where every function of this crate is nearly straight: secant steps kept inside a
/// bracket that starts at `guess` and grows by squaring its ratio. Gives up at 1e±300: `f` may never reach the target.
#[must_use]
pub fn log_root(f: impl Fn(f64) -> f64, target: f64, guess: f64) -> f64 {
    let miss = |x: f64| libm::log(f(x) / target);
    let mut x = guess.clamp(1e-300, 1e300);
    let mut y = miss(x);
    if y == 0.0 {
        return x;
    }
    // Walk from the guess towards the root until the sign changes.
    let (mut last_x, mut last_y);
    let mut ratio = 2.0;
    loop {
        if y.is_nan() {
            return f64::NAN;
        }
        (last_x, last_y) = (x, y);
        x = if y < 0.0 { x * ratio } else { x / ratio };
        if !(1e-305..=1e305).contains(&x) {
            return x.clamp(0.0, f64::INFINITY);
        }
        y = miss(x);
        if y == 0.0 {
            return x;
        }
        if (y < 0.0) != (last_y < 0.0) {
            break;
        }
        ratio *= ratio;
    }
    let (mut low, mut high) = if y < 0.0 { (x, last_x) } else { (last_x, x) };
    for _ in 0..200 {
        let step = y * libm::log(x / last_x) / (y - last_y);
        let mut next = x * libm::exp(-step);
        if !(next > low && next < high) {
            next = low * (high / low).sqrt();
        }
        if next.to_bits() == x.to_bits() || !(next > low && next < high) {
            return next;
        }
        (last_x, last_y) = (x, y);
        x = next;
        y = miss(x);
        if y == 0.0 || y.is_nan() || (x - last_x).abs() <= 1e-16 * x {
            return x;
        }
        if y < 0.0 { low = x } else { high = x }
    }
    x
}

/// [`log_root`] for functions that know their slope: `f` returns the value and x·f′(x). Also returns the elasticity
/// x·f′/f at the root; NaN where `f` is. Newton's method on ln f against ln x inside a bracket that closes as it goes.
#[must_use]
pub fn log_newton(f: impl Fn(f64) -> [f64; 2], target: f64, guess: f64) -> (f64, f64) {
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut x = guess.clamp(1e-300, 1e300);
    let mut elasticity = 1.0;
    for _ in 0..200 {
        let [value, slope] = f(x);
        if value.is_nan() {
            return (f64::NAN, f64::NAN);
        }
        if value > 0.0 && value.is_finite() {
            elasticity = slope / value;
        }
        if value < target {
            low = x;
        } else {
            high = x;
        }
        // A relative miss is its own logarithm near the root, and keeps more digits there.
        let miss = if (0.5..2.0).contains(&(value / target)) {
            libm::log1p((value - target) / target)
        } else {
            libm::log(value / target)
        };
        // Where the function is flat or has underflowed a step says nothing: go far, the bracket will bring it back.
        let step = (miss / elasticity).clamp(-30.0, 30.0);
        // Newton doubles the digits: after a step this small the next would be below the last bit.
        if step.abs() < 1e-9 {
            return (x * (1.0 - step), elasticity);
        }
        let mut next = if step.is_nan() { x * 2.0 } else { x * libm::exp(-step) };
        if !(next > low && next < high) {
            next = if low == 0.0 {
                high / 1e3
            } else if high.is_infinite() {
                low * 1e3
            } else {
                low * (high / low).sqrt()
            };
        }
        // No float lies between the ends of the bracket, or the root is out of reach.
        if next.to_bits() == x.to_bits() || !(1e-305..1e305).contains(&next) {
            return (next, elasticity);
        }
        x = next;
    }
    (x, elasticity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_inverted_over_six_hundred_decades() {
        for target in [1e-290, 1e-30, 0.5, 2.0, 7e11, 1e290] {
            let x = log_root(|x| x * x * 3.0, target, 1.0);
            assert!((x / (target / 3.0_f64).sqrt() - 1.0).abs() < 1e-15, "{target}: {x}");
        }
    }

    #[test]
    fn newton_agrees_where_a_function_bends() {
        let bend = |x: f64| [x * x / (1.0 + x), x * x * (2.0 + x) / ((1.0 + x) * (1.0 + x))];
        for target in [1e-100, 1e-9, 0.3, 1e5, 1e100] {
            let (x, elasticity) = log_newton(bend, target, 1.0);
            assert!((bend(x)[0] / target - 1.0).abs() < 1e-15, "{target}: {x}");
            assert!((elasticity - (2.0 + x) / (1.0 + x)).abs() < 1e-8, "{target}: {elasticity}");
        }
    }

    #[test]
    fn a_target_out_of_reach_ends_at_an_extreme_instead_of_looping() {
        assert!(log_root(|x| x / (1.0 + x), 2.0, 1.0) > 1e290);
        assert!(log_root(|x| 1.0 + x, 0.5, 1.0) < 1e-290);
    }

    #[test]
    fn what_is_not_a_number_ends_the_search_at_once() {
        let calls = core::cell::Cell::new(0);
        let count = || calls.set(calls.get() + 1);
        let nowhere = |_: f64| {
            count();
            f64::NAN
        };
        assert!(log_root(nowhere, 1.0, 1.0).is_nan());
        assert!(log_newton(|x| [nowhere(x); 2], 1.0, 1.0).0.is_nan());
        assert!(calls.get() <= 2, "{}", calls.get());
    }
}
