//! Stretches of time in which items are stale, added up to curves and means, whoever finds them: a simulation or a replay.
//!
//! A stretch costs O(1) whatever the number of points: one [c, b) adds its weight w and w·c at its first point of the grid and
//! takes them off after its last, and one pass over the points turns the running sums into stale weight and age, Σw·t − Σw·c.

/// Weight w and moment w·c of the stale stretches that begin (or, negative, end) at a point of the grid.
#[derive(Debug, Clone, Copy, Default)]
struct Stale {
    weight: f64,
    moment: f64,
}

/// The stale stretches of a window [0, horizon], of items whose weights add up to 1.
#[derive(Debug)]
pub(super) struct Stretches {
    horizon: f64,
    /// Between two points of the grid.
    spacing: f64,
    /// Of each point, and one for what lasts beyond the window.
    stale: Vec<Stale>,
    /// ∫ weighted stale share dt and ∫ weighted age dt, over the window.
    stale_time: f64,
    age_time: f64,
}

impl Stretches {
    pub fn new(horizon: f64, points: usize) -> Self {
        let spacing = horizon / (points - 1) as f64;
        Self { horizon, spacing, stale: vec![Stale::default(); points + 1], stale_time: 0.0, age_time: 0.0 }
    }

    pub fn horizon(&self) -> f64 {
        self.horizon
    }

    pub fn time(&self, point: usize) -> f64 {
        point as f64 * self.spacing
    }

    /// Takes in a stretch, that touches the window, in which an item is stale from its change to its next sync. Returns its
    /// length and ∫ age dt within the window.
    pub fn add(&mut self, weight: f64, changed: f64, synced: f64) -> (f64, f64) {
        let (from, to) = (changed.max(0.0), synced.min(self.horizon));
        let (length, age) = (to - from, (to - from) * (0.5 * (to + from) - changed));
        self.stale_time += weight * length;
        self.age_time += weight * age;
        let (first, end) = (self.point_from(from), self.point_from(synced));
        if first < end {
            let moment = weight * changed;
            self.stale[first].weight += weight;
            self.stale[first].moment += moment;
            self.stale[end].weight -= weight;
            self.stale[end].moment -= moment;
        }
        (length, age)
    }

    /// Freshness and age at each point.
    pub fn curves(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let (mut weight, mut moment) = (0.0, 0.0);
        self.stale[..self.stale.len() - 1].iter().enumerate().map(move |(point, stale)| {
            weight += stale.weight;
            moment += stale.moment;
            // The running sums return to 0 only up to rounding.
            (f64::clamp(1.0 - weight, 0.0, 1.0), f64::max(weight * self.time(point) - moment, 0.0))
        })
    }

    /// Freshness and age over the whole window.
    pub fn means(&self) -> (f64, f64) {
        (f64::clamp(1.0 - self.stale_time / self.horizon, 0.0, 1.0), self.age_time / self.horizon)
    }

    /// The first point of the grid at or after a time, or one past the last.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and saturates")]
    fn point_from(&self, time: f64) -> usize {
        ((time / self.spacing).ceil() as usize).min(self.stale.len() - 1)
    }
}
