//! Which statements are sent most often, and which take the most time.

use super::Engine;
use crate::fingerprint::Fingerprint;
use crate::limit::nanos;
use crate::stripe::Striped;
use sqlthrottle_cells::lock::Lock;
use std::collections::HashMap;
use std::time::Duration;

/// Fingerprints whose time each stripe keeps.
const KEPT: usize = 1024;

/// The statements of late that are sent most often, and those that take the most time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Top {
    /// By checks, the most first: as many as the shapes of late were checked since they are remembered. One that was forgotten
    /// in between begins anew, so a statement that is seldom sent may be missing.
    pub by_count: Vec<TopStatement>,
    /// By the time they took, the most first: a sketch. What [`Engine::record_duration`] is told of the heaviest 1,024 on each
    /// core is kept; of the others the time may go to one that came after.
    pub by_time: Vec<TopStatement>,
}

/// A statement of such a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TopStatement {
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// Its normalised text, where it is remembered; bytes that are no UTF-8 are replaced.
    pub normalized: Option<String>,
    /// How often it was checked, or reported.
    pub count: u64,
    /// The time it took, all together; zero in the list by count.
    pub time: Duration,
}

impl Engine {
    /// Takes note of how long a statement took to run.
    pub fn record_duration(&self, fingerprint: &Fingerprint, duration: Duration) {
        self.0.durations.record(fingerprint, nanos(duration));
    }

    /// The statements at the top of each list, at most so many. It looks at everything that is remembered, while each core's checks
    /// take a longer way: for people and dashboards, not for each statement.
    pub fn top(&self, most: usize) -> Top {
        let mut shapes: HashMap<Fingerprint, (String, u64)> = HashMap::new();
        self.0.hot.for_each_shape(|shape, checks| {
            let text = || String::from_utf8_lossy(&shape.text).into_owned();
            shapes.entry(shape.fingerprint).or_insert_with(|| (text(), 0)).1 += checks;
        });
        let by_time = self.0.durations.sums().into_iter().map(|(fingerprint, Sum { count, nanos })| TopStatement {
            fingerprint,
            normalized: shapes.get(&fingerprint).map(|(text, _)| text.clone()),
            count,
            time: Duration::from_nanos(nanos),
        });
        let by_time =
            first(by_time.collect(), most, |statement| u64::try_from(statement.time.as_nanos()).unwrap_or(u64::MAX));
        let by_count = shapes.into_iter().map(|(fingerprint, (text, count))| TopStatement {
            fingerprint,
            normalized: Some(text),
            count,
            time: Duration::ZERO,
        });
        Top { by_count: first(by_count.collect(), most, |statement| statement.count), by_time }
    }
}

/// The first of a list, in falling order.
fn first(mut list: Vec<TopStatement>, most: usize, value: impl Fn(&TopStatement) -> u64) -> Vec<TopStatement> {
    list.sort_by(|a, b| value(b).cmp(&value(a)).then_with(|| a.fingerprint.as_bytes().cmp(b.fingerprint.as_bytes())));
    list.truncate(most);
    list
}

/// How long statements took, by fingerprint: the *space saving* algorithm of Metwally, Agrawal and El Abbadi, "Efficient
/// Computation of Frequent and Top-k Elements in Data Streams" (ICDT 2005), weighted by time. Whoever finds no place takes over
/// the smallest, with its sum, so that no sum is too small and a heavy statement is never missing.
#[derive(Debug)]
pub(super) struct Durations(Striped<Lock<HashMap<Fingerprint, Sum>>>);

/// What is known of one fingerprint.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: u64,
    nanos: u64,
}

impl Durations {
    pub(super) fn new() -> Self {
        Self(Striped::new(Lock::default))
    }

    fn record(&self, fingerprint: &Fingerprint, nanos: u64) {
        let mut sums = self.0.mine().lock();
        if sums.len() >= KEPT && !sums.contains_key(fingerprint) {
            let least = sums.iter().min_by_key(|(_, sum)| sum.nanos).map(|(fingerprint, _)| *fingerprint);
            if let Some(sum) = least.and_then(|least| sums.remove(&least)) {
                sums.insert(*fingerprint, sum);
            }
        }
        let sum = sums.entry(*fingerprint).or_default();
        sum.count += 1;
        sum.nanos = sum.nanos.saturating_add(nanos);
    }

    fn sums(&self) -> HashMap<Fingerprint, Sum> {
        let mut all: HashMap<Fingerprint, Sum> = HashMap::new();
        for sums in self.0.iter() {
            for (fingerprint, sum) in sums.read().iter() {
                let known = all.entry(*fingerprint).or_default();
                known.count += sum.count;
                known.nanos = known.nanos.saturating_add(sum.nanos);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::HashKind;

    #[test]
    fn a_heavy_statement_is_never_missing() {
        let durations = Durations::new();
        let heavy = HashKind::Sha256.digest(b"heavy");
        for n in 0..10 * KEPT as u64 {
            durations.record(&HashKind::Sha256.digest(&n.to_le_bytes()), 1);
            if n % 10 == 0 {
                durations.record(&heavy, 100);
            }
        }
        let sums = durations.sums();
        assert_eq!(sums.len(), KEPT);
        let heavy = sums[&heavy];
        assert!(heavy.count >= KEPT as u64 && heavy.nanos >= 100 * KEPT as u64, "{heavy:?}");
        assert_eq!(sums.values().map(|sum| sum.count).sum::<u64>(), 11 * KEPT as u64, "nothing is lost");
    }
}
