//! Divided differences of the exponential, without cancellation however close the nodes.
//!
//! exp[x₀, …, xₖ] is the mean of e^x over the simplex of the nodes, over k!: always positive. Differences of powers of
//! (1 + t/β), which is what Gamma–Poisson costs are made of, are all of this form.

use super::series::factorial;
use super::sort;

/// exp[x₀, …, xₖ] for up to four nodes in any order.
#[must_use]
pub fn exp_difference<const N: usize>(mut nodes: [f64; N]) -> f64 {
    sort::floats(&mut nodes);
    sorted(&nodes)
}

/// Reciprocals of 0!, 1!, …
const RECIPROCAL: [f64; 24] = {
    let mut c = [0.0; 24];
    let mut k = 0;
    while k < c.len() {
        c[k] = 1.0 / factorial(k);
        k += 1;
    }
    c
};

fn sorted(nodes: &[f64]) -> f64 {
    let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
    let spread = last - first;
    match nodes.len() {
        1 => libm::exp(first),
        2 if spread == 0.0 => libm::exp(first),
        2 => libm::exp(last) * (-libm::expm1(-spread) / spread),
        _ if spread < 1.0 => taylor(nodes, 0.5 * (first + last)),
        n => (sorted(&nodes[1..]) - sorted(&nodes[..n - 1])) / spread,
    }
}

/// e^c Σⱼ hⱼ(x − c)/(j + k)! with hⱼ the complete homogeneous symmetric polynomials.
fn taylor(nodes: &[f64], centre: f64) -> f64 {
    let order = nodes.len() - 1;
    // homogeneous[i] = hⱼ of the first i + 1 nodes.
    let mut homogeneous = [1.0; 4];
    let mut sum = RECIPROCAL[order];
    for reciprocal in &RECIPROCAL[order + 1..] {
        let mut before = 0.0;
        for (h, x) in homogeneous.iter_mut().zip(nodes) {
            before += (x - centre) * *h;
            *h = before;
        }
        sum += homogeneous[order] * reciprocal;
        if homogeneous.iter().take(order + 1).all(|h| h.abs() * reciprocal < 1e-18) {
            break;
        }
    }
    libm::exp(centre) * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_mpmath_for_nodes_near_and_far() {
        // The plain recurrence in 80 digits.
        for (nodes, expected) in [
            ([0.0, 1e-9, 3e-9, -2e-9], 0.166_666_666_75),
            ([0.0, 0.5, -0.4, 0.1], 0.177_016_455_464_779),
            ([0.0, -0.7, -1.4, 0.3], 0.110_843_441_595_115_65),
            ([0.0, -30.0, -30.5, -31.0], 3.525_471_531_715_795_6e-5),
            ([-5.0, -5.0001, 2.0, 1.0], 0.075_498_408_145_194_4),
            ([-1000.0, -500.0, -1.0, 0.0], 1.262_028_679_638_672e-6),
        ] {
            let actual = exp_difference(nodes);
            assert!((actual / expected - 1.0).abs() < 1e-14, "{nodes:?}: {actual} against {expected}");
        }
    }

    #[test]
    fn equal_nodes_give_a_derivative_over_a_factorial() {
        assert!((exp_difference([0.3; 4]) / (libm::exp(0.3) / 6.0) - 1.0).abs() < 1e-15);
        assert!((exp_difference([0.3; 2]) / libm::exp(0.3) - 1.0).abs() < 1e-15);
    }
}
