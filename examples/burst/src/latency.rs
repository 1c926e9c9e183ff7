//! How long statements took.

use std::time::Duration;

/// Latencies, each from when a statement was due: a client that is held up is late with what comes next, and the wait of
/// those statements is counted too.
#[derive(Debug, Default)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    pub(crate) fn new(mut latencies: Vec<Duration>) -> Self {
        latencies.sort_unstable();
        Self(latencies)
    }

    /// The least latency that `percent` of all do not exceed (the nearest rank); none where there are none.
    pub(crate) fn percentile(&self, percent: usize) -> Option<Duration> {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied()
    }
}

/// A latency to three digits or so: `0.24 ms`, `17.3 ms`, `1.84 s`.
pub(crate) fn show(latency: Duration) -> String {
    let millis = latency.as_secs_f64() * 1e3;
    match millis {
        ..10.0 => format!("{millis:.2} ms"),
        ..100.0 => format!("{millis:.1} ms"),
        ..1000.0 => format!("{millis:.0} ms"),
        _ => format!("{:.2} s", millis / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latencies(millis: impl Iterator<Item = u64>) -> Latencies {
        Latencies::new(millis.map(Duration::from_millis).collect())
    }

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let percentiles = |latencies: &Latencies| [50, 99, 100].map(|percent| latencies.percentile(percent).unwrap());
        let millis = |values: [u64; 3]| values.map(Duration::from_millis);
        assert_eq!(percentiles(&latencies((1..=200).rev())), millis([100, 198, 200]));
        assert_eq!(percentiles(&latencies([7, 3, 5].into_iter())), millis([5, 7, 7]));
        assert_eq!(percentiles(&latencies(std::iter::once(4))), millis([4, 4, 4]));
        assert_eq!(Latencies::default().percentile(50), None);
    }

    #[test]
    fn latencies_read_well_from_microseconds_to_seconds() {
        let shown = [240, 17_340, 243_600, 1_840_000].map(|micros| show(Duration::from_micros(micros)));
        assert_eq!(shown, ["0.24 ms", "17.3 ms", "244 ms", "1.84 s"]);
    }
}
