//! Random numbers: a stream for each run and item, and the draws that the change models need.
//!
//! The generator is `rand_pcg`'s. The draws are made here, by inversion and by rejection over `libm`, and not taken from
//! `rand_distr`: that crate's logarithms and powers come from the platform or from `libm` depending on what the rest of the
//! build switches on, and a seed must give the same bits natively and in a browser.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

use crate::change::Change;

/// The random numbers of one item in one run.
pub(crate) struct Stream(Pcg32);

impl Stream {
    /// What the streams of one run start from.
    pub fn key(seed: u64, run: u64) -> u64 {
        Pcg32::new(Pcg32::seed_from_u64(seed).next_u64(), run).next_u64()
    }

    /// The stream of an item in the run with that key.
    pub fn new(key: u64, item: u64) -> Self {
        Self(Pcg32::seed_from_u64(key.wrapping_add(item)))
    }

    /// Uniform on [0, 1).
    pub fn uniform(&mut self) -> f64 {
        const ULP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 * ULP
    }

    /// Exponential with mean 1, by inversion.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.uniform())
    }

    /// Standard normal, by Marsaglia's polar method.
    fn normal(&mut self) -> f64 {
        loop {
            let x = 2.0 * self.uniform() - 1.0;
            let y = 2.0 * self.uniform() - 1.0;
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                return x * (-2.0 * libm::log(s) / s).sqrt();
            }
        }
    }

    /// Gamma of that shape > 0 and rate 1 (G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", 2000).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            return self.gamma(shape + 1.0) * libm::pow(1.0 - self.uniform(), 1.0 / shape);
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = 1.0 + c * x;
            let v = v * v * v;
            if v > 0.0 && libm::log(1.0 - self.uniform()) < 0.5 * x * x + d - d * v + d * libm::log(v) {
                return d * v;
            }
        }
    }
}

/// The time from a sync to the first change after it, for one item in one run.
pub(super) enum FirstChange {
    /// There is none.
    Never,
    /// Exponential at that rate.
    Exponential(f64),
    /// (exponential / rate)^power.
    Weibull { rate: f64, power: f64 },
}

impl FirstChange {
    /// How the item changes in this run; an uncertain rate is drawn here, once.
    pub fn new(change: &Change, stream: &mut Stream) -> Self {
        match *change {
            _ if change.never() => Self::Never,
            Change::Poisson { rate } => Self::Exponential(rate),
            Change::Weibull { rate, shape } => Self::Weibull { rate, power: 1.0 / shape },
            Change::GammaPoisson { alpha, beta } => Self::Exponential(stream.gamma(alpha) / beta),
        }
    }

    /// The next such time.
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        match *self {
            Self::Never | Self::Exponential(0.0) => f64::INFINITY,
            Self::Exponential(rate) => stream.exponential() / rate,
            Self::Weibull { rate, power } => libm::pow(stream.exponential() / rate, power),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;

    /// Mean and variance of many draws.
    fn moments(mut draw: impl FnMut(&mut Stream) -> f64) -> (f64, f64) {
        let mut stream = Stream::new(Stream::key(7, 0), 0);
        let draws: Vec<f64> = (0..200_000).map(|_| draw(&mut stream)).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        (mean, draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / draws.len() as f64)
    }

    #[test]
    fn draws_have_the_moments_of_their_distributions() {
        let close = |(mean, variance): (f64, f64), expected: (f64, f64)| {
            let error = (expected.1 / 200_000.0).sqrt();
            assert!((mean - expected.0).abs() < 4.0 * error, "mean {mean}, not {}", expected.0);
            assert!((variance / expected.1 - 1.0).abs() < 0.05, "variance {variance}, not {}", expected.1);
        };
        close(moments(Stream::uniform), (0.5, 1.0 / 12.0));
        close(moments(Stream::exponential), (1.0, 1.0));
        close(moments(Stream::normal), (0.0, 1.0));
        for shape in [0.3, 1.0, 2.5, 400.0] {
            close(moments(|stream| stream.gamma(shape)), (shape, shape));
        }
    }

    #[test]
    fn streams_of_neighbouring_runs_and_items_are_unlike() {
        let first = |seed, run, item| Stream::new(Stream::key(seed, run), item).uniform();
        let draws = [first(1, 0, 0), first(1, 0, 1), first(1, 1, 0), first(1, 1, 1), first(2, 0, 0), first(2, 1, 1)];
        for (i, a) in draws.iter().enumerate() {
            assert!(draws[..i].iter().all(|b| (a - b).abs() > 1e-6), "{draws:?}");
        }
    }
}
