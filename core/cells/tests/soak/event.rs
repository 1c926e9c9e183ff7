//! What a thread did to a limiter.

/// So much was admitted at some moment between two times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) n: u64,
    /// The round it was in, and the limit there was.
    pub(crate) round: u64,
    pub(crate) max: u64,
}

/// The most recent of the limits under which these happened: what passed last passed under that, and counted all others.
pub(crate) fn assert_within_latest_limit<'a>(events: impl IntoIterator<Item = &'a Event>, what: &str) {
    let (mut sum, mut latest) = (0, (0, u64::MAX));
    for event in events {
        sum += event.n;
        if event.round >= latest.0 {
            latest = (event.round, event.max);
        }
    }
    assert!(sum <= latest.1, "{what}: {sum} of {} in round {}", latest.1, latest.0);
}
