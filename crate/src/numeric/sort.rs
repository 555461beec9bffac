//! Sorting by numbers. One sort for many users: each kind of element or comparison would be kilobytes of code of its own.

use std::cmp::Ordering;

/// Sorts whole numbers.
#[inline(never)]
pub(crate) fn numbers(values: &mut [u32]) {
    values.sort_unstable();
}

/// Sorts numbers by [`f64::total_cmp`].
#[inline(never)]
pub(crate) fn floats(values: &mut [f64]) {
    values.sort_unstable_by(f64::total_cmp);
}

/// The places of the numbers in sorted order, smallest or greatest first; numbers that tie keep their order.
pub(crate) fn order(keys: impl Iterator<Item = f64>, greatest_first: bool) -> Vec<u32> {
    let flip = if greatest_first { u64::MAX } else { 0 };
    let mut ranked: Vec<(u64, u32)> = keys.map(|key| rank(key) ^ flip).zip(0..).collect();
    ranks(&mut ranked);
    ranked.into_iter().map(|(_, place)| place).collect()
}

/// Sorts places by what is compared there; places that tie keep their order.
#[inline(never)]
pub(crate) fn places(places: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    places.sort_by(|&a, &b| compare(a, b));
}

/// Sorts by rank, then by number.
#[inline(never)]
pub(crate) fn ranks(ranked: &mut [(u64, u32)]) {
    ranked.sort_unstable();
}

/// A whole number for each number, in the same order as [`f64::total_cmp`].
pub(crate) fn rank(value: f64) -> u64 {
    let bits = value.to_bits();
    if value.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_total_and_stable() {
        let keys = [2.0, f64::NAN, -0.0, 0.0, -1e300, f64::INFINITY, 2.0, -f64::NAN, f64::NEG_INFINITY, 5e-324, 2.0];
        for greatest_first in [false, true] {
            let mut expected: Vec<u32> = (0..11).collect();
            expected.sort_by(|&a, &b| {
                let (a, b) = if greatest_first { (b, a) } else { (a, b) };
                keys[a as usize].total_cmp(&keys[b as usize])
            });
            assert_eq!(order(keys.into_iter(), greatest_first), expected);
        }
    }
}
