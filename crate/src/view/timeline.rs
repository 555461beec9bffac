//! A history on a time line: how many events each stretch of it holds.

/// The events in each of `bins` equal stretches from `from` to `to`; what lies outside is not counted.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "only times from `from` on are counted")]
pub fn timeline(time: &[f64], from: f64, to: f64, bins: usize) -> Vec<f64> {
    let mut counts = vec![0.0; bins.min(super::PIXELS)];
    let stretch = (to - from) / counts.len() as f64;
    for &at in time.iter().filter(|&&at| from <= at && at <= to) {
        // The end belongs to the last stretch.
        let bin = ((at - from) / stretch) as usize;
        let last = counts.len().saturating_sub(1);
        if let Some(count) = counts.get_mut(bin.min(last)) {
            *count += 1.0;
        }
    }
    counts
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "counts are whole numbers")]
mod tests {
    use super::*;

    #[test]
    fn every_event_within_is_counted_once() {
        assert_eq!(timeline(&[-1.0, 0.0, 1.0, 1.5, 3.9, 4.0, 4.1], 0.0, 4.0, 4), [1.0, 2.0, 0.0, 2.0]);
        assert_eq!(timeline(&[1.0], 0.0, 4.0, 0), [0.0; 0]);
        assert_eq!(timeline(&[f64::NAN, 2.0], 2.0, 2.0, 3).iter().sum::<f64>(), 1.0);
    }
}
