//! The `cluster` section, and `on_failure` as it and rules have it.

use super::reader::Reader;
use super::yaml::{Content, NodeId};
use crate::rule::bounds::{self, FailureBounds};
use crate::rule::quantity::{self, Millionths};
use crate::rule::text;
use crate::rule::validate::check_url;
use crate::rule::{Cluster, Lease, OnFailure, Redis};
use crate::strategy::Share;

const KEYS: [&str; 4] = ["redis", "namespace", "lease", "on_failure"];
const REDIS_KEYS: [&str; 4] = ["url", "connect_timeout", "timeout", "pool"];
const CHOICES: [(&str, OnFailure); 3] =
    [("local", OnFailure::Local), ("closed", OnFailure::Closed), ("open", OnFailure::Open)];

/// Reads `cluster`.
pub(super) fn cluster(reader: &mut Reader<'_>, node: NodeId) -> Option<Cluster> {
    let expected = "write a map such as `{redis: {url: \"redis://127.0.0.1:6379\"}, namespace: shop}`";
    let entries = reader.map(node, "cluster.wrong_type", expected)?;
    let [redis, namespace, lease, on_failure] = reader.fields(entries, &KEYS, |_, _| false);
    let defaults = Cluster::new("", "");
    let missing =
        ("cluster.redis.missing", "say where counters are shared: `redis: {url: \"redis://127.0.0.1:6379\"}`");
    let redis =
        reader.required(node, "redis", redis, missing, |reader, node| read_redis(reader, node, &defaults.redis));
    let missing = (text::NAMESPACE.codes.missing, "say what the names of counters begin with: `namespace: shop`");
    let namespace =
        reader.required(node, "namespace", namespace, missing, |reader, node| reader.bounded(node, &text::NAMESPACE));
    let lease = reader.given("lease", lease, defaults.lease, |reader, node| read_lease(reader, node, defaults.lease));
    let on_failure = reader.given("on_failure", on_failure, defaults.on_failure, |reader, node| {
        self::on_failure(reader, node, &bounds::CLUSTER_ON_FAILURE)
    });
    Some(Cluster { redis: redis?, namespace: namespace?, lease: lease?, on_failure: on_failure? })
}

fn read_redis(reader: &mut Reader<'_>, node: NodeId, defaults: &Redis) -> Option<Redis> {
    let expected = "write a map such as `{url: \"redis://127.0.0.1:6379\"}`";
    let Content::Map(entries) = &reader.document().node(node).content else {
        // It is not repeated: what stands here instead is most likely a URL with its password.
        let found = "a single value or a list stands where a map belongs";
        reader.fault(reader.mark(node), "cluster.redis.wrong_type", found, expected);
        return None;
    };
    let [url, connect_timeout, timeout, pool] = reader.fields(entries, &REDIS_KEYS, |_, _| false);
    let missing = (text::URL.codes.missing, "write where the server is: `url: \"redis://127.0.0.1:6379\"`");
    let url = reader.required(node, "url", url, missing, read_url);
    let connect_timeout = reader.given("connect_timeout", connect_timeout, defaults.connect_timeout, |reader, node| {
        reader.quantity(node, &bounds::CONNECT_TIMEOUT)
    });
    let timeout =
        reader.given("timeout", timeout, defaults.timeout, |reader, node| reader.quantity(node, &bounds::TIMEOUT));
    let pool = reader.given("pool", pool, defaults.pool, |reader, node| reader.quantity(node, &bounds::POOL));
    Some(Redis { url: url?, connect_timeout: connect_timeout?, timeout: timeout?, pool: pool? })
}

/// Reads a URL. No fault repeats it or what it was filled in from.
fn read_url(reader: &mut Reader<'_>, node: NodeId) -> Option<String> {
    let codes = &text::URL.codes;
    let url = reader.text(node, codes, "write a URL")?;
    match check_url(&url) {
        Ok(()) => Some(url.into_owned()),
        Err(misread) => {
            reader.fault(reader.mark(node), codes.of(misread.wrong), misread.found, misread.expected);
            None
        }
    }
}

fn read_lease(reader: &mut Reader<'_>, node: NodeId, defaults: Lease) -> Option<Lease> {
    let entries = reader.map(node, "cluster.lease.wrong_type", "write a map such as `{fraction: 0.05, ttl: 500ms}`")?;
    let [fraction, ttl] = reader.fields(entries, &["fraction", "ttl"], |_, _| false);
    let fraction = reader.given("fraction", fraction, Millionths(defaults.fraction_millionths), |reader, node| {
        reader.quantity(node, &bounds::LEASE_FRACTION)
    });
    let ttl = reader.given("ttl", ttl, defaults.ttl, |reader, node| reader.quantity(node, &bounds::LEASE_TTL));
    Some(Lease { fraction_millionths: fraction?.0, ttl: ttl? })
}

/// Reads `on_failure`: a name, or a limit of its own.
pub(super) fn on_failure(reader: &mut Reader<'_>, node: NodeId, bounds: &FailureBounds) -> Option<OnFailure> {
    let entries = match &reader.document().node(node).content {
        Content::Map(entries) => entries,
        Content::Scalar { .. } | Content::List(_) => return reader.choice(node, &bounds.codes, CHOICES),
    };
    let [max, window, share] = reader.fields(entries, &["max", "window", "share"], |_, _| false);
    let missing = (bounds.max.codes.missing, "write how many a window may hold: `max: 5`");
    let max = reader.required(node, "max", max, missing, |reader, node| reader.quantity(node, &bounds.max));
    let missing = (bounds.window.codes.missing, "write how long it is: `window: 1s`");
    let window = reader.required(node, "window", window, missing, |reader, node| reader.quantity(node, &bounds.window));
    let share = reader.given("share", share, Share::ALL, |reader, node| {
        reader.value(node, &bounds.share, "a proportion such as `2/3`", quantity::share)
    });
    Some(OnFailure::Limit { max: max?, window: window?, share: share? })
}
