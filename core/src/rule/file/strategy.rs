//! `strategy` and what belongs to it, as thresholds and rules have them.

use super::faults::Mark;
use super::reader::{self, Given, Reader};
use super::yaml::NodeId;
use crate::rule::bounds::Bounds;
use crate::rule::quantity::{self, Misread, Wrong};
use crate::rule::text::TextBounds;
use crate::strategy::{Delay, Strategy};
use std::sync::Arc;
use std::time::Duration;

const STRATEGIES: [(&str, Chosen); 3] =
    [("abort", Chosen::Abort), ("ignore", Chosen::Ignore), ("delay", Chosen::Delay)];
const CUSTOM: &str = "custom:";
const UNTIL_ALLOWED: &str = "until_allowed";

/// The bounds and codes of the fields, which differ between thresholds and rules in their codes.
pub(super) struct StrategyFields {
    pub(super) custom: TextBounds,
    pub(super) delay: Bounds<Duration>,
    pub(super) max_delay: Bounds<Duration>,
    pub(super) delay_without_strategy: &'static str,
    pub(super) max_delay_without_strategy: &'static str,
    pub(super) max_delayed_without_strategy: &'static str,
    pub(super) without_until_allowed: &'static str,
}

/// The keys as they are given.
#[derive(Clone, Copy)]
pub(super) struct StrategyKeys {
    pub(super) strategy: Option<Given>,
    pub(super) delay: Option<Given>,
    pub(super) max_delay: Option<Given>,
    pub(super) max_delayed: Option<Given>,
}

#[derive(Clone, PartialEq, Eq)]
enum Chosen {
    Abort,
    Ignore,
    Delay,
    Custom(Arc<str>),
}

/// What `delay` says: a time, or none for `until_allowed`.
type Wait = Option<Duration>;

/// Reads `strategy` and the keys that only some strategies have.
pub(super) fn read(reader: &mut Reader<'_>, fields: &StrategyFields, keys: StrategyKeys) -> Option<Strategy> {
    let StrategyKeys { strategy, delay, max_delay, max_delayed } = keys;
    let chosen = match strategy {
        None => Some(Chosen::Abort),
        Some(given) => reader.under("strategy", |reader| read_chosen(reader, fields, given.value)),
    };
    let wait = delay.map(|given| reader.under("delay", |reader| read_delay(reader, fields, given.value)));
    let longest =
        max_delay.map(|given| reader.under("max_delay", |reader| reader.quantity(given.value, &fields.max_delay)));
    let chosen = chosen?;
    if chosen != Chosen::Delay {
        for (key, given, code) in [
            ("delay", delay, fields.delay_without_strategy),
            ("max_delay", max_delay, fields.max_delay_without_strategy),
            ("max_delayed", max_delayed, fields.max_delayed_without_strategy),
        ] {
            if let Some(given) = given {
                let found = format!("`{key}` says nothing where no statement is delayed");
                let expected = format!("write `strategy: delay`, or leave `{key}` out");
                reader.under(key, |reader| reader.fault(given.key, code, found, expected));
            }
        }
        return match chosen {
            Chosen::Abort | Chosen::Delay => Some(Strategy::Abort),
            Chosen::Ignore => Some(Strategy::Ignore),
            Chosen::Custom(name) => Some(Strategy::Custom(name)),
        };
    }
    // It was read, so it is there.
    let place = strategy?.value;
    match (wait, longest) {
        (None, _) => {
            let expected =
                "write how long a statement waits: `delay: 100ms`, or `delay: until_allowed` with `max_delay`";
            let code = fields.delay.codes.missing;
            reader.fault(reader.mark(place), code, "`strategy: delay` has no `delay`", expected);
            None
        }
        (Some(wait), longest) => match (wait?, longest) {
            (Some(fixed), None) => Some(Strategy::Delay(Delay::Fixed(fixed))),
            (Some(_), Some(_)) => {
                let mark = max_delay.map_or(Mark::START, |given| given.key);
                let found = "`max_delay` says nothing where the delay is fixed";
                let expected = "write `delay: until_allowed`, or leave `max_delay` out";
                let code = fields.without_until_allowed;
                reader.under("max_delay", |reader| reader.fault(mark, code, found, expected));
                None
            }
            (None, Some(longest)) => longest.map(|max| Strategy::Delay(Delay::UntilAllowed { max })),
            (None, None) => {
                let mark = delay.map_or(Mark::START, |given| reader.mark(given.value));
                let found = "`delay: until_allowed` has no `max_delay`";
                let expected = "write after how long a statement is aborted: `max_delay: 5s`";
                reader.fault(mark, fields.max_delay.codes.missing, found, expected);
                None
            }
        },
    }
}

fn read_chosen(reader: &mut Reader<'_>, fields: &StrategyFields, node: NodeId) -> Option<Chosen> {
    let codes = &fields.custom.codes;
    let names = STRATEGIES.map(|(name, _)| name);
    reader.value(node, codes, "one of `abort`, `ignore`, `delay`, `custom:NAME`", |text| {
        if let Some(name) = text.strip_prefix(CUSTOM) {
            return fields.custom.check(name).map(|()| Chosen::Custom(name.into()));
        }
        let chosen = STRATEGIES.into_iter().find(|(name, _)| *name == text);
        chosen.map(|(_, chosen)| chosen).ok_or_else(|| {
            let expected = reader::suggest(text, &names, "write one of") + ", or `custom:NAME` for one of the host's";
            Misread::new(Wrong::Unknown, format!("{} is unknown", quantity::quoted(text)), expected)
        })
    })
}

fn read_delay(reader: &mut Reader<'_>, fields: &StrategyFields, node: NodeId) -> Option<Wait> {
    let noun = "a duration such as `100ms`, or `until_allowed`";
    reader.value(node, &fields.delay.codes, noun, |text| {
        if text == UNTIL_ALLOWED {
            return Ok(None);
        }
        fields.delay.read(text).map(Some).map_err(|misread| match misread.wrong {
            Wrong::Malformed => Misread { expected: format!("{}, or `{UNTIL_ALLOWED}`", misread.expected), ..misread },
            _ => misread,
        })
    })
}
