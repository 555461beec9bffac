//! Decimal numbers, to the nearest float. The standard library does the same with 12 kB of tables and code in a module that
//! is downloaded; this takes whole numbers only.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "lower halves of wide numbers are meant, and counts of bits and digits are small"
)]

/// What decides to which float a longer decimal is rounded: no half way between two floats has more digits than 768.
const DIGITS: usize = 800;

/// Powers of ten that are floats.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Reads a number such as −12, .5, 3. or 1.5e−3, written with an ASCII minus; whatever is too large is infinite.
pub(crate) fn nearest(text: &str) -> Option<f64> {
    let (negative, unsigned) = match text.as_bytes() {
        [sign @ (b'-' | b'+'), rest @ ..] => (*sign == b'-', rest),
        rest => (false, rest),
    };
    // The digits without the point are `head`, as far as it holds them, times ten to the power.
    let (mut head, mut power, mut significant) = (0_u64, 0_i32, 0_usize);
    let (mut at, mut point, mut any) = (0, false, false);
    while let Some(&byte) = unsigned.get(at) {
        match byte {
            b'0'..=b'9' => {
                any = true;
                significant += usize::from(significant > 0 || byte != b'0');
                if significant <= 19 {
                    head = head * 10 + u64::from(byte - b'0');
                    power -= i32::from(point);
                } else {
                    power = power.saturating_add(i32::from(!point));
                }
            }
            b'.' if !point => point = true,
            _ => break,
        }
        at += 1;
    }
    if !any {
        return None;
    }
    let (mantissa, rest) = unsigned.split_at(at);
    let power = power.saturating_add(exponent(rest)?);
    let value = if significant > 19 {
        long(mantissa, power.saturating_sub(i32::try_from(significant - 19).unwrap_or(i32::MAX)), significant)
    } else {
        short(head, power)
    };
    Some(if negative { -value } else { value })
}

/// What stands after the digits: nothing, or an exponent.
fn exponent(text: &[u8]) -> Option<i32> {
    let digits = match text {
        [] => return Some(0),
        [b'e' | b'E', b'-' | b'+', digits @ ..] | [b'e' | b'E', digits @ ..] => digits,
        _ => return None,
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_i32;
    for byte in digits {
        value = value.saturating_mul(10).saturating_add(i32::from(byte.checked_sub(b'0').filter(|digit| *digit < 10)?));
    }
    Some(if text[1] == b'-' { -value } else { value })
}

/// A number of at most 19 digits times a power of ten.
fn short(head: u64, power: i32) -> f64 {
    let size = power.unsigned_abs() as usize;
    // Both are floats, so that one operation rounds once.
    if head <= 1 << 53
        && let Some(ten) = TENS.get(size)
    {
        return if power < 0 { head as f64 / ten } else { head as f64 * ten };
    }
    if head == 0 {
        return 0.0;
    }
    if size > 27 {
        return large(vec![head as u32, (head >> 32) as u32], power);
    }
    // Ten is five times two, and 5^27 is below 2^63.
    let five = 5_u128.pow(power.unsigned_abs());
    let (product, twos, inexact) = if power < 0 {
        let shift = u128::from(head).leading_zeros();
        let shifted = u128::from(head) << shift;
        (shifted / five, power - shift as i32, shifted % five != 0)
    } else {
        (u128::from(head) * five, power, false)
    };
    let zeros = product.leading_zeros();
    let product = product << zeros;
    let inexact = inexact || product as u64 != 0;
    rounded((product >> 64) as u64, inexact, twos + 127 - zeros as i32)
}

/// The digits of a mantissa, of which so many are significant, times a power of ten.
fn long(mantissa: &[u8], power: i32, significant: usize) -> f64 {
    let digits = mantissa.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0'));
    let mut digits = digits.skip_while(|digit| *digit == 0);
    let mut number = Vec::new();
    for digit in digits.by_ref().take(DIGITS) {
        multiply(&mut number, 10, digit);
    }
    let Some(left) = significant.checked_sub(DIGITS + 1) else { return large(number, power) };
    // A last digit stands for all that are left out.
    multiply(&mut number, 10, u32::from(digits.any(|digit| digit != 0)));
    large(number, power.saturating_add(i32::try_from(left).unwrap_or(i32::MAX)))
}

/// A whole number, its lowest 32 bits first, times a power of ten.
fn large(mut number: Vec<u32>, power: i32) -> f64 {
    let mut twos = 0;
    let mut inexact = false;
    // Beyond these the number is infinite or zero, whatever it is.
    let mut left = power.clamp(-1300, 400);
    while left > 0 {
        let step = left.min(9);
        multiply(&mut number, 10_u32.pow(step.unsigned_abs()), 0);
        left -= step;
    }
    if left < 0 {
        // Room for what the divisions take, 0.104 times 32 bits for each ten, and for the bits that decide.
        let room = 4 + left.unsigned_abs() as usize * 7 / 64;
        number.splice(0..0, std::iter::repeat_n(0, room));
        twos = -32 * room as i32;
    }
    while left < 0 {
        let step = (-left).min(9);
        inexact |= divide(&mut number, 10_u32.pow(step.unsigned_abs()));
        left += step;
    }
    let top = |place: usize| number.len().checked_sub(place).map_or(0, |at| u128::from(number[at]));
    let bits = top(1) << 96 | top(2) << 64 | top(3) << 32 | top(4);
    let zeros = bits.leading_zeros();
    let bits = bits << zeros;
    inexact |= bits as u64 != 0 || number[..number.len().saturating_sub(4)].iter().any(|part| *part != 0);
    rounded((bits >> 64) as u64, inexact, twos + 32 * number.len() as i32 - 1 - zeros as i32)
}

/// Multiplies by a factor and adds.
fn multiply(number: &mut Vec<u32>, factor: u32, add: u32) {
    let mut carry = u64::from(add);
    for part in number.iter_mut() {
        carry += u64::from(*part) * u64::from(factor);
        *part = carry as u32;
        carry >>= 32;
    }
    if carry > 0 {
        number.push(carry as u32);
    }
}

/// Divides, and says whether anything is left over.
fn divide(number: &mut Vec<u32>, divisor: u32) -> bool {
    let mut left = 0;
    for part in number.iter_mut().rev() {
        left = left << 32 | u64::from(*part);
        *part = (left / u64::from(divisor)) as u32;
        left %= u64::from(divisor);
    }
    while number.last() == Some(&0) {
        number.pop();
    }
    left != 0
}

/// The float nearest to a number of `bits`, the first of which is set and stands for 2^`exponent`; inexact if it is a
/// little more than they say.
fn rounded(bits: u64, inexact: bool, exponent: i32) -> f64 {
    // Below the normal numbers the last places are lost.
    let biased = (exponent + 1022).max(0);
    let lost = (biased - exponent - 1022).min(63);
    let inexact = inexact || bits.trailing_zeros() < lost as u32;
    let bits = bits >> lost;
    let (whole, part) = (bits >> 11, (bits & 0x7ff) << 1 | u64::from(inexact));
    let up = part > 0x800 || (part == 0x800 && whole & 1 == 1);
    if biased > 2045 { f64::INFINITY } else { f64::from_bits(((biased as u64) << 52) + whole + u64::from(up)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library reads the same.
    fn same(text: &str) {
        let expected: Option<f64> = text.parse().ok();
        assert_eq!(nearest(text).map(f64::to_bits), expected.map(f64::to_bits), "{text}");
    }

    #[test]
    fn reads_what_the_standard_library_reads() {
        let long = ["1", &"0".repeat(900), "1"].concat();
        for text in
            ["", "-", "+", ".", "e5", "1e", "1e+", "1-2", "--1", "1.2.3", "1e5.0", "1x", " 1", "1e-", "+-1", "1e++2"]
        {
            same(text);
        }
        for text in [
            "0",
            "-0",
            "0.",
            ".5",
            "+2",
            "1e5",
            "1E-05",
            "00012.50",
            "0e999999999999",
            "1e999999999999",
            "1e-999999999999",
            "9007199254740993",
            "9007199254740992.99999",
            "9007199254740993.00000000000000000000001",
            "18446744073709551615",
            "18446744073709551616",
            "1e22",
            "1e23",
            "8.5e27",
            "123456789012345678e-27",
            "0.1",
            "0.30000000000000004",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "5e-324",
            "4.9406564584124654e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1e-400",
            "0.000000000000000000000000000000000000000000123456789",
            &long,
            &format!("{long}e-900"),
            &format!("0.{long}"),
            &format!("{long}e-1300"),
            &format!("{}e-1224", "9".repeat(901)),
        ] {
            same(text);
        }
    }

    #[test]
    fn half_ways_go_to_the_even_float_and_a_little_more_goes_up() {
        // 2^−1075, half of the least float, in full.
        let digits = {
            let mut number = vec![1];
            for _ in 0..1075 {
                multiply(&mut number, 5, 0);
            }
            let mut digits = Vec::new();
            while !number.is_empty() {
                let mut rest = 0;
                for part in number.iter_mut().rev() {
                    rest = rest << 32 | u64::from(*part);
                    *part = (rest / 10) as u32;
                    rest %= 10;
                }
                digits.push(char::from(b'0' + rest as u8));
                while number.last() == Some(&0) {
                    number.pop();
                }
            }
            digits.iter().rev().collect::<String>()
        };
        same(&format!("{digits}e-1075"));
        same(&format!("{digits}{}1e-1176", "0".repeat(100)));
        assert_eq!(nearest(&format!("{digits}e-1075")), Some(0.0));
        assert_eq!(nearest(&format!("{digits}{}1e-1176", "0".repeat(100))), Some(5e-324));
    }

    #[test]
    fn agrees_on_many_numbers_of_every_length_and_size() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        for _ in 0..200_000 {
            let value = f64::from_bits(random() << 33 ^ random());
            if value.is_finite() {
                assert_eq!(nearest(&format!("{value:e}")).map(f64::to_bits), Some(value.to_bits()));
            }
            let places = random() % 25;
            let mut text: String = (0..=places).map(|_| char::from(b'0' + (random() % 10) as u8)).collect();
            text.insert(random() as usize % text.len(), '.');
            same(&text);
            same(&format!("{text}e{}", random() as i64 % 700 - 350));
        }
    }
}
