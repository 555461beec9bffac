//! A function of a positive number as a table of polynomials, sixteen to an octave: a value and its slope in a few
//! nanoseconds, to the last bits, with no transcendental function at all.
//!
//! The cell is the float's exponent and top four mantissa bits, the place inside the cell its other bits, so finding
//! both is exact and free. A function whose only singularity is at zero or infinity looks equally smooth in every cell.

/// Cells to an octave, as a power of two.
const SPLIT: u32 = 4;
/// Bits of a float below those that choose the cell.
const BELOW: u32 = 52 - SPLIT;
/// Coefficients of each polynomial.
const COEFFICIENTS: usize = 8;

/// A polynomial in t from −½ to ½: one line of cache.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub struct Polynomial([f64; COEFFICIENTS]);

/// A value, and how it moves per relative change of the argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// f(x).
    pub value: f64,
    /// x·f′(x).
    pub slope: f64,
}

/// The table.
#[derive(Debug, Clone)]
pub struct Octaves {
    first: u64,
    cells: Box<[Polynomial]>,
}

impl Octaves {
    /// Tabulates `f` from 2^`low` up to 2^`high`; `f` is called with increasing arguments.
    #[must_use]
    pub fn tabulate(low: i32, high: i32, f: &mut dyn FnMut(f64) -> f64) -> Self {
        let first = power_of_two(low).to_bits() >> BELOW;
        let last = power_of_two(high).to_bits() >> BELOW;
        let points = Chebyshev::new();
        let cells = (first..last).map(|key| {
            let (start, end) = (f64::from_bits(key << BELOW), f64::from_bits((key + 1) << BELOW));
            points.interpolate(|t| f(start + (end - start) * (t + 0.5)))
        });
        Self { first, cells: cells.collect() }
    }

    /// f(x) and x·f′(x), or nothing outside the table.
    #[inline]
    #[must_use]
    pub fn at(&self, x: f64) -> Option<Point> {
        let bits = x.to_bits();
        // A 32-bit usize would wrap far keys back into the table; the saturated ones are out of it for sure.
        let index = u32::try_from((bits >> BELOW).wrapping_sub(self.first)).unwrap_or(u32::MAX);
        let cell = self.cells.get(index as usize)?;
        let mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | ONE);
        let (value, derivative) = cell.at(place::<SPLIT>(x));
        Some(Point { value, slope: derivative * mantissa * f64::from(1 << SPLIT) })
    }
}

/// The place of a positive number in its cell, from −½ to ½, when each octave has 2^`SPLIT` cells.
#[inline]
#[must_use]
pub fn place<const SPLIT: u32>(x: f64) -> f64 {
    f64::from_bits(((x.to_bits() << SPLIT) & ((1 << 52) - 1)) | ONE) - 1.5
}

/// The bits of 1.0.
const ONE: u64 = 0x3FF0_0000_0000_0000;

/// 2^n for |n| ≤ 1022.
fn power_of_two(n: i32) -> f64 {
    libm::scalbn(1.0, n)
}

impl Polynomial {
    /// p(t) and p′(t). In pairs instead of by Horner's rule: a loop over many items waits for one long chain of additions, not
    /// for their number.
    #[inline]
    #[must_use]
    pub fn at(&self, t: f64) -> (f64, f64) {
        let [c0, c1, c2, c3, c4, c5, c6, c7] = self.0;
        let (t2, t4) = (t * t, t * t * (t * t));
        let rest = (c1 + c2 * t) + (c3 + c4 * t) * t2 + ((c5 + c6 * t) + c7 * t2) * t4;
        let derivative =
            (c1 + 2.0 * c2 * t) + (3.0 * c3 + 4.0 * c4 * t) * t2 + ((5.0 * c5 + 6.0 * c6 * t) + 7.0 * c7 * t2) * t4;
        (c0 + t * rest, derivative)
    }
}

/// Interpolation at the Chebyshev points of [−½, ½].
#[derive(Debug)]
pub struct Chebyshev {
    points: [f64; COEFFICIENTS],
    /// Coefficient k gets `matrix[k][i]` of the value at point i.
    matrix: [[f64; COEFFICIENTS]; COEFFICIENTS],
}

impl Chebyshev {
    /// The points, and the matrix from values there to coefficients.
    #[must_use]
    pub fn new() -> Self {
        const N: usize = COEFFICIENTS;
        let angle = |i: usize| core::f64::consts::PI * (N as f64 - i as f64 - 0.5) / N as f64;
        let mut matrix = [[0.0; N]; N];
        // Coefficients of T₀(2t), T₁(2t), … in powers of t, by the three-term recurrence.
        let (mut before, mut current) = ([0.0; N], [0.0; N]);
        current[0] = 1.0;
        for k in 0..N {
            let weight = if k == 0 { 1.0 } else { 2.0 } / N as f64;
            for (row, c) in matrix.iter_mut().zip(current) {
                for (i, cell) in row.iter_mut().enumerate() {
                    *cell += c * weight * libm::cos(k as f64 * angle(i));
                }
            }
            let mut next = [0.0; N];
            for j in 0..N {
                let shifted = if j == 0 { 0.0 } else { current[j - 1] };
                next[j] = if k == 0 { 2.0 * shifted } else { 4.0 * shifted - before[j] };
            }
            (before, current) = (current, next);
        }
        Self { points: core::array::from_fn(|i| 0.5 * libm::cos(angle(i))), matrix }
    }

    /// The polynomial through `f` at the points, which are visited in increasing order.
    pub fn interpolate(&self, f: impl FnMut(f64) -> f64) -> Polynomial {
        let values = self.points.map(f);
        // Only differences from one value pass through the sums, so that rounding there is of second order.
        let base = values[COEFFICIENTS / 2];
        let mut polynomial = self.matrix.map(|row| row.iter().zip(values).map(|(m, v)| m * (v - base)).sum::<f64>());
        polynomial[0] += base;
        Polynomial(polynomial)
    }
}

impl Default for Chebyshev {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_and_its_slope_come_back_over_forty_octaves() {
        let table = Octaves::tabulate(-20, 20, &mut libm::log1p);
        for k in 0..2000 {
            let x = libm::exp2(-20.0 + 0.019_99 * f64::from(k));
            let point = table.at(x).expect("inside the table");
            assert!((point.value / libm::log1p(x) - 1.0).abs() < 1e-15, "{x}: {}", point.value);
            assert!((point.slope / (x / (1.0 + x)) - 1.0).abs() < 1e-11, "{x}: {}", point.slope);
        }
    }

    #[test]
    fn outside_the_table_there_is_nothing() {
        let table = Octaves::tabulate(-2, 2, &mut |x| x);
        for x in [0.0, 0.249_999, 4.0, 1e300, f64::INFINITY, f64::NAN, -1.0] {
            assert!(table.at(x).is_none(), "{x}");
        }
        assert!(table.at(0.25).is_some());
    }
}
