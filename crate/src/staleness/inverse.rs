//! From a price to r = λI, fast: the inverses of the benefits as tables of polynomials.
//!
//! For Poisson changes the benefit is one universal increasing function y(r) per metric and order, so its inverse is
//! tabulated once, from the closed forms, and a demand then costs no exponential and no iteration. Near y = 0 the
//! inverse is a power series in y^(1/p); where a gain saturates at 1 it is tabulated in 1 − y instead.

use crate::numeric::cube_root::cbrt;
use crate::numeric::octaves::{Chebyshev, Octaves, Point, Polynomial};
use crate::numeric::root::log_root;

/// Within 2^SATURATED of 1 the caller's asymptotic form is used.
const SATURATED: i32 = -40;

/// r as a function of y.
#[derive(Debug)]
pub(crate) struct Inverse {
    /// y ~ r^power at zero: 2 or 3.
    power: i32,
    /// Where the table begins and the series around zero ends.
    start: f64,
    /// r/s over t = s/s₀ − ½, with s = y^(1/power), s₀ its value at the start.
    origin: Polynomial,
    middle: Octaves,
    /// In 1 − y; empty for benefits that grow without bound.
    saturating: Octaves,
}

impl Inverse {
    /// Inverts the increasing `y`, which starts like a multiple of r^`power`, up to 2^`high`. A table is made once, so `y` is
    /// called through a pointer: the module need not carry this code once for every function.
    pub(crate) fn unbounded(power: i32, high: i32, y: &dyn Fn(f64) -> f64) -> Self {
        // A cube root costs several table look-ups, a square root about one: tabulate further down to avoid the former.
        let low = if power == 2 { -24 } else { -39 };
        let start = libm::scalbn(1.0, low);
        let first = root_of(power, start);
        let origin = Chebyshev::new().interpolate(|t| {
            let s = first * (t + 0.5);
            let target = if power == 2 { s * s } else { s * s * s };
            log_root(y, target, s) / s
        });
        let middle = Octaves::tabulate(low, high, &mut follow(y, first));
        Self { power, start, origin, middle, saturating: Octaves::tabulate(0, 0, &mut |_| 0.0) }
    }

    /// Inverts a `gain` that rises from 0, like a multiple of r², to 1; `shortfall` is 1 − gain.
    pub(crate) fn saturating(gain: &dyn Fn(f64) -> f64, shortfall: &dyn Fn(f64) -> f64) -> Self {
        let rise = |r: f64| 1.0 / shortfall(r);
        let mut invert = follow(&rise, 40.0);
        // Callers switch at y = ½, where q may round to ½ or a bit above it: the table must not end there.
        let saturating = Octaves::tabulate(SATURATED, 0, &mut |q| invert(1.0 / q));
        Self { saturating, ..Self::unbounded(2, -1, gain) }
    }

    /// r and dr/d ln y for y up to the end of the table.
    #[inline]
    pub(crate) fn at(&self, y: f64) -> Option<Point> {
        match self.middle.at(y) {
            Some(point) => Some(point),
            None => self.near_zero(y),
        }
    }

    /// r and dr/d ln q for q = 1 − y from 2^[`SATURATED`] to ½ and a little beyond.
    #[inline]
    pub(crate) fn at_shortfall(&self, q: f64) -> Option<Point> {
        self.saturating.at(q)
    }

    #[cold]
    fn near_zero(&self, y: f64) -> Option<Point> {
        if !(y >= 0.0 && y < self.start) {
            return None;
        }
        let s = root_of(self.power, y);
        let scale = 1.0 / root_of(self.power, self.start);
        let (ratio, derivative) = self.origin.at(s * scale - 0.5);
        Some(Point { value: s * ratio, slope: s * (ratio + s * scale * derivative) / f64::from(self.power) })
    }
}

/// y^(1/power).
fn root_of(power: i32, y: f64) -> f64 {
    if power == 2 { y.sqrt() } else { cbrt(y) }
}

/// Inverts the increasing function `h` at targets that lie close to each other, each root starting from the last.
fn follow(h: &dyn Fn(f64) -> f64, guess: f64) -> impl FnMut(f64) -> f64 {
    let mut last: Option<(f64, f64, f64)> = None;
    move |target| {
        let (mut x, mut y, mut elasticity) = last.unwrap_or_else(|| {
            let x = log_root(h, target, guess);
            (x, h(x), 0.5)
        });
        for _ in 0..20 {
            let step = elasticity * (target / y - 1.0);
            let next = x * (1.0 + step);
            if step.abs() <= 1e-12 {
                // The secant's error is smaller still, by the error of the elasticity: some per cent at worst.
                (x, y) = (next, target);
                break;
            }
            let reached = h(next);
            elasticity = step / (reached / y - 1.0);
            (x, y) = (next, reached);
        }
        last = Some((x, y, elasticity));
        x
    }
}
