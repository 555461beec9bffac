//! The price search: where a quantity that falls as the price rises crosses zero (spec: "one safeguarded root-find on
//! log μ").
//!
//! What is searched is `h(price)`, the logarithm of demand over budget (or of target over cost), given with its slope.
//! On a logarithmic axis most of these curves are close to straight lines, so that inverse cubic interpolation through
//! the last two points and their slopes lands within rounding after three or four evaluations; a bracket guards it.

/// Where prices lie, laid out so that `h` is smooth in the coordinate `t`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    /// The price from which on nothing is asked for; ∞ where every item always wants a visit.
    top: f64,
}

/// Beyond this many e-folds 1 − e^−v is 1: the axis has reached the top and continues past it.
const FULL: f64 = 38.0;

impl Axis {
    /// With a top, price = top·(1 − e^−v) and t = ln v: near the top demand falls like 1 / −ln(1 − price/top) = 1/v, a
    /// power of v, where in the price itself its slope would be infinite. Without one, t = ln price.
    pub(super) fn new(top: f64) -> Self {
        Self { top }
    }

    /// The price at `t`.
    pub(super) fn price(self, t: f64) -> f64 {
        if self.top.is_infinite() {
            return libm::exp(t);
        }
        let v = libm::exp(t);
        if v < FULL { -libm::expm1(-v) * self.top } else { self.top * libm::exp((v - FULL).min(700.0)) }
    }

    /// Where `price` is.
    pub(super) fn coordinate(self, price: f64) -> f64 {
        if self.top.is_infinite() {
            return libm::log(price);
        }
        let share = price / self.top;
        if share < 1.0 { libm::log(-libm::log1p(-share)) } else { libm::log(FULL) }
    }

    /// d ln price / dt at `t`.
    fn stretch(self, t: f64) -> f64 {
        if self.top.is_infinite() {
            return 1.0;
        }
        let v = libm::exp(t);
        if v < 1e-8 {
            1.0
        } else if v < FULL {
            v / libm::expm1(v)
        } else {
            v
        }
    }
}

/// The answer of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Crossing {
    /// |h| is within the tolerance here; `step` is what Newton would still add to ln price.
    At {
        /// The price.
        price: f64,
        /// The correction to ln price that would remove what is left of h.
        step: f64,
    },
    /// h jumps over zero between two prices that are neighbours, or as good as: h > 0 at `below`, h < 0 at `above`.
    Between {
        /// The lower price, at which too much is asked for.
        below: f64,
        /// The higher price, at which too little is.
        above: f64,
    },
    /// The crossing lies where prices overflow or underflow, or h is not a number on the way there.
    Beyond,
}

#[derive(Debug, Clone, Copy)]
struct Point {
    t: f64,
    price: f64,
    h: f64,
    /// dh/dt.
    slope: f64,
}

/// More evaluations than any bisection of the doubles needs.
const MOST: usize = 400;
/// A slope at which the last digit of a price moves h visibly.
const STEEP: f64 = 50.0;
/// A step in ln price whose square is lost in rounding.
const SHORT: f64 = 1e-8;
/// Coordinates beyond this are prices that overflow or underflow.
const EDGE: f64 = 700.0;
/// At the edge, h within this of zero is zero with a rounding error: all are as full as they may be.
const LEVEL: f64 = 1e-12;

/// Finds where `h` crosses zero, to within `tolerance` of h, or between two neighbours where it jumps.
/// `evaluate(price)` gives h and dh / d ln price; h must not rise with the price.
pub(super) fn search(axis: Axis, start: f64, tolerance: f64, evaluate: impl FnMut(f64) -> (f64, f64)) -> Crossing {
    match crossing(axis, start, tolerance, evaluate) {
        // A price that is not normal has lost its digits.
        Crossing::Between { below, above } if !(below.is_normal() && above.is_normal()) => Crossing::Beyond,
        found => found,
    }
}

fn crossing(axis: Axis, start: f64, tolerance: f64, mut evaluate: impl FnMut(f64) -> (f64, f64)) -> Crossing {
    let mut below: Option<Point> = None;
    let mut above: Option<Point> = None;
    let mut last: Option<Point> = None;
    let mut t = start.clamp(-EDGE, EDGE);
    let mut reach = 1.0;
    let mut width = f64::INFINITY;
    let mut slow = 0;
    for _ in 0..MOST {
        let price = axis.price(t);
        let (h, per_log_price) = evaluate(price);
        if h.is_nan() {
            return Crossing::Beyond;
        }
        let point = Point { t, price, h, slope: per_log_price * axis.stretch(t) };
        // Where h is nearly level it may be small far from the crossing: Newton's step has to be small too.
        let step = if per_log_price < 0.0 { -h / per_log_price } else { 0.0 };
        // Where it is steep, a step smaller than the price's last digit cannot be taken: close in from both sides instead.
        let enough = if per_log_price < -STEEP { f64::EPSILON } else { tolerance };
        if h.abs() <= enough && step.abs() <= tolerance.max(SHORT) {
            return if price.is_normal() { Crossing::At { price, step } } else { Crossing::Beyond };
        }
        *(if h > 0.0 { &mut below } else { &mut above }) = Some(point);
        let guess = interpolate(point, last);
        last = Some(point);
        if let (Some(a), Some(b)) = (below, above) {
            slow = if b.t - a.t > 0.5 * width { slow + 1 } else { 0 };
            width = b.t - a.t;
            match inside(axis, a, b, if slow < 3 { guess } else { f64::NAN }) {
                Some(next) => t = next,
                None => return Crossing::Between { below: a.price, above: b.price },
            }
        } else {
            // One side is known only: follow the guess, but go no further at once than the reach, which grows.
            let away = if h > 0.0 { 1.0 } else { -1.0 };
            let wish = (guess - t) * away;
            let step = if wish.is_finite() && wish > 0.0 { wish.min(reach) } else { reach };
            reach *= 4.0;
            let next = (t + away * step.max(4.0 * f64::EPSILON * t.abs().max(1.0))).clamp(-EDGE, EDGE);
            if (next - t).abs() <= 0.0 {
                return if h.abs() <= LEVEL { Crossing::At { price, step: 0.0 } } else { Crossing::Beyond };
            }
            t = next;
        }
    }
    match (below, above) {
        (Some(a), Some(b)) => Crossing::Between { below: a.price, above: b.price },
        _ => Crossing::Beyond,
    }
}

/// A coordinate whose price lies strictly between those of `a` and `b`: the guess if it does, else their middle. Coordinates
/// apart may be prices alike, so the ends move together until there is one, or none.
fn inside(axis: Axis, a: Point, b: Point, guess: f64) -> Option<f64> {
    let (mut low, mut high, mut next) = (a.t, b.t, guess);
    loop {
        if !(low..high).contains(&next) || next <= low {
            next = low + 0.5 * (high - low);
            if next <= low || next >= high {
                return None;
            }
        }
        let price = axis.price(next);
        if price <= a.price {
            low = next;
        } else if price >= b.price {
            high = next;
        } else {
            return Some(next);
        }
        next = f64::NAN;
    }
}

/// Where h = 0 is to be expected: inverse cubic Hermite interpolation through two points, or Newton's step from one; NaN
/// when neither makes sense.
fn interpolate(p: Point, last: Option<Point>) -> f64 {
    let newton = p.t - p.h / p.slope;
    let Some(q) = last else { return newton };
    let usable = |point: Point| point.h.is_finite() && point.slope < 0.0 && point.slope.is_finite();
    if !usable(p) || !usable(q) || p.h.abs() >= q.h.abs() {
        return newton;
    }
    // t as a cubic in s = (h − h_p)/(h_q − h_p), wanted at h = 0.
    let gap = q.h - p.h;
    let s = -p.h / gap;
    let (left, right) = (gap / p.slope, gap / q.slope);
    let rise = q.t - p.t;
    let cubic = p.t + s * left + s * s * (3.0 * rise - 2.0 * left - right) + s * s * s * (left + right - 2.0 * rise);
    // A cubic that leaves Newton's neighbourhood bends too much to be trusted.
    if (cubic - newton).abs() <= 0.5 * (newton - p.t).abs() { cubic } else { newton }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(crossing: Crossing) -> f64 {
        match crossing {
            Crossing::At { price, step } => price * libm::exp(step),
            Crossing::Between { below, above } => 0.5 * (below + above),
            Crossing::Beyond => f64::NAN,
        }
    }

    #[test]
    fn a_power_law_takes_two_evaluations_from_anywhere() {
        for exponent in [0.2, 1.0 / 3.0, 0.5, 1.0] {
            let mut evaluations = 0;
            let found = search(Axis::new(f64::INFINITY), 0.0, 1e-12, |price| {
                evaluations += 1;
                (1.0 - exponent * libm::log(price), -exponent)
            });
            assert!((price(found) / libm::exp(1.0 / exponent) - 1.0).abs() < 1e-12, "{found:?}");
            assert!(evaluations <= 4, "{evaluations}");
        }
    }

    #[test]
    fn a_jump_is_closed_in_on_from_both_sides() {
        let found =
            search(Axis::new(f64::INFINITY), 3.0, 1e-12, |price| if price < 2.5 { (1.0, 0.0) } else { (-1.0, 0.0) });
        let Crossing::Between { below, above } = found else { panic!("{found:?}") };
        assert!(below < 2.5 && above >= 2.5 && above - below < 1e-14, "{below} {above}");
    }

    #[test]
    fn what_no_price_can_reach_is_beyond() {
        for (slope, target) in [(-1.0, 800.0), (-1.0, -800.0), (-0.5, 400.0), (-1.0, f64::NAN)] {
            let line = |price: f64| (slope * libm::log(price) + target, slope);
            assert_eq!(search(Axis::new(f64::INFINITY), 0.0, 1e-12, line), Crossing::Beyond, "{target}");
        }
    }

    #[test]
    fn the_axis_maps_back_and_forth() {
        for top in [f64::INFINITY, 3.0] {
            let axis = Axis::new(top);
            for price in [1e-12, 0.3, 2.0, 2.999_999] {
                assert!((axis.price(axis.coordinate(price)) / price - 1.0).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn the_axis_rises_past_its_top() {
        let axis = Axis::new(2.0);
        let prices: Vec<f64> = (0..400).map(|k| axis.price(-6.0 + 0.025 * f64::from(k))).collect();
        assert!(prices.windows(2).all(|pair| pair[1] >= pair[0]));
        assert!(prices.last().is_some_and(|&price| price > 2.0));
    }
}
