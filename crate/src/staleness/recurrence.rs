//! Weibull gaps between *changes*, met by visits that know nothing of them.
//!
//! [`Change::Weibull`](crate::change::Change::Weibull) starts anew at every sync, as a content summary does, which is as good as
//! new once it is made. A page that others change starts anew at its changes, whenever visits come: what counts after a
//! visit is the rest of the gap that is under way. With gaps of survival S(t) = exp(−λt^γ) and mean m, a = 1/γ and z = λt^γ, that
//! rest is longer than t with chance R(t) = (1/m) ∫ₜ^∞ S = Q(a, z), the recurrence time of a renewal process in equilibrium (D. R.
//! Cox, *Renewal Theory*, 1962, §5.2). R is a survival function like any other, so the core of the spec holds as it stands:
//!
//! ```text
//! c(T) = 1 − R(T) = P(a, z)              b(T) = ∫₀ᵀ u·c′(u) du = (1/m) ∫₀ᵀ u·S(u) du = k₂·P(2a, z),   k₂ = Γ(2a)/Γ(a) · λ^(−a)
//! C(T) = T·c − b                         ∫∫ c = T²c/2 − T·b + k₃·P(3a, z)/2,                          k₃ = Γ(3a)/Γ(a) · λ^(−2a)
//! ```
//!
//! None of these differences loses more than a digit: for short T they are 1/2 and 1/6 of their terms. Bursts (γ < 1) make both
//! the rest of a gap and k₂ longer than Poisson changes of the same mean would: of a burst only the first change makes a copy stale.

use crate::numeric::gamma::lower_regularized;
use crate::numeric::root::log_newton;

use super::Demand;

/// Beyond this z nothing is left of Q(a, z) for any a that is used here.
const SURELY: f64 = 1e3;

/// An item whose changes are a renewal process with Weibull gaps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recurrence {
    /// 1/m, changes per unit of time.
    mean_rate: f64,
    shape: f64,
    /// λ^(−1/γ).
    scale: f64,
    /// k₂ and k₃.
    moments: [f64; 2],
}

impl Recurrence {
    /// So many changes per unit of time, more than 0, with gaps of this shape, from 0.1 to 10.
    #[must_use]
    pub fn new(mean_rate: f64, shape: f64) -> Self {
        let a = 1.0 / shape;
        let scale = 1.0 / (mean_rate * libm::tgamma(1.0 + a));
        let [first, second, third] = [1.0, 2.0, 3.0].map(|power| libm::tgamma(power * a));
        Self { mean_rate, shape, scale, moments: [second / first * scale, third / first * scale * scale] }
    }

    /// P(j/γ, λt^γ) for j = 1, 2, 3.
    fn chances<const N: usize>(&self, t: f64) -> [f64; N] {
        let z = libm::pow(t / self.scale, self.shape);
        let mut power = 0.0;
        [(); N].map(|()| {
            power += 1.0 / self.shape;
            if z > SURELY { 1.0 } else { lower_regularized(power, z) }
        })
    }

    /// What is expected of a gap without visits: the stale time in it, C(T), and ∫ age.
    #[must_use]
    pub fn costs(&self, gap: f64) -> [f64; 2] {
        if gap <= 0.0 {
            return [0.0; 2];
        }
        let [missed, second, third] = self.chances(gap);
        let benefit = self.moments[0] * second;
        let stale = gap * missed - benefit;
        [stale, gap * (stale - 0.5 * gap * missed) + 0.5 * self.moments[1] * third]
    }

    /// b(T), what one more unit of frequency brings at interval T, and its derivative by ln T.
    #[must_use]
    pub fn benefit(&self, interval: f64) -> [f64; 2] {
        let [_, second] = self.chances(interval);
        let survival = libm::exp(-libm::pow(interval / self.scale, self.shape));
        [self.moments[0] * second, interval * interval * survival * self.mean_rate]
    }

    /// The frequency with b = `price` (> 0), looked for from a guess of the interval; 0 when even the first visit is worth less.
    #[must_use]
    pub fn demand(&self, price: f64, guess: f64) -> Demand {
        if price >= self.moments[0] {
            return Demand { frequency: 0.0, slope: 0.0 };
        }
        let (interval, elasticity) = log_newton(|interval| self.benefit(interval), price, guess);
        Demand { frequency: 1.0 / interval, slope: -1.0 / (interval * elasticity) }
    }
}
