//! Statements that are delayed, and what they are told when they come back.

use super::{READ, SECOND, delaying, engine, outcome};
use proptest::prelude::*;
use sqlthrottle::rule::Threshold;
use sqlthrottle::{Delay, Reason, Strategy, Ticket, Verdict};
use std::collections::BTreeMap;
use std::time::Duration;

use Verdict::{Abort, Allow};

#[test]
fn a_fixed_delay_is_waited_for_once() {
    let (engine, clock) = engine(delaying(Delay::Fixed(SECOND)));
    let _ = engine.check(READ);
    let delayed = engine.check(READ);
    assert_eq!(outcome(&delayed), (Verdict::Delay, Reason::OverLimit));
    assert_eq!(delayed.delay, Some(SECOND));

    clock.advance(SECOND / 4);
    let early = engine.resume(delayed.ticket.unwrap());
    assert_eq!((early.verdict, early.delay), (Verdict::Delay, Some(SECOND * 3 / 4)));
    clock.advance(SECOND * 3 / 4);
    let resumed = engine.resume(early.ticket.unwrap());
    assert_eq!(outcome(&resumed), (Allow, Reason::Allowed));
    assert_eq!(resumed.count, 2, "the wait has recorded nothing");

    let again = engine.resume(early.ticket.unwrap());
    assert_eq!(outcome(&again), (Abort, Reason::MaxDelay), "a ticket is good for one call");
    let rule = &engine.snapshot().rules[0];
    assert_eq!((rule.matched, rule.delayed, rule.resumed), (2, 1, 1));
    assert_eq!(engine.snapshot().waiting, 0);
}

#[test]
fn a_fixed_delay_ends_with_the_burst() {
    let threshold = Threshold::new(10).window(SECOND).strategy(Strategy::Delay(Delay::Fixed(SECOND)));
    // Forty at once, then eight a second: within the limit, though half of these would not be if each counted for as long
    // as it waits and then again.
    let tries: Vec<u64> = [0; 40].into_iter().chain((1..80).map(|i| 125 * i)).collect();
    let (sent, refused) = send(threshold, &tries);
    assert_eq!((sent.len(), refused), (119, 0));
    let late = |at: &Duration| *at > 4 * SECOND;
    let tries: Vec<Duration> = tries.into_iter().map(Duration::from_millis).filter(late).collect();
    assert_eq!(sent.into_iter().filter(late).collect::<Vec<_>>(), tries);
}

#[test]
fn a_delay_until_allowed_ends_when_the_window_has_room() {
    let (engine, clock) = engine(delaying(Delay::UntilAllowed { max: 30 * SECOND }));
    let _ = engine.check(READ);
    clock.advance(5 * SECOND);
    let delayed = engine.check(READ);
    assert_eq!(delayed.delay, Some(6 * SECOND), "until the first is forgotten");
    clock.advance(6 * SECOND);
    assert_eq!(outcome(&engine.resume(delayed.ticket.unwrap())), (Allow, Reason::Allowed));
}

#[test]
fn a_delay_until_allowed_is_aborted_after_the_longest_wait() {
    let (engine, clock) = engine(delaying(Delay::UntilAllowed { max: 15 * SECOND }));
    let _ = engine.check(READ);
    let mut delayed = engine.check(READ);
    let mut waited = Duration::ZERO;
    let last = loop {
        let wait = delayed.delay.unwrap();
        clock.advance(wait);
        waited += wait;
        let _ = engine.check(READ); // the burst goes on
        delayed = engine.resume(delayed.ticket.unwrap());
        if delayed.verdict != Verdict::Delay {
            break delayed;
        }
    };
    assert_eq!(outcome(&last), (Abort, Reason::MaxDelay));
    assert_eq!(waited, 15 * SECOND);
    assert!(last.retry_after.unwrap() > Duration::ZERO);
}

#[test]
fn only_so_many_wait_and_lapsed_tickets_make_room() {
    let (engine, clock) = engine(delaying(Delay::Fixed(SECOND)).max_delayed(2));
    let _ = engine.check(READ);
    let tickets: Vec<_> = (0..2).map(|_| engine.check(READ).ticket.unwrap()).collect();
    assert_eq!(outcome(&engine.check(READ)), (Abort, Reason::MaxDelayed));
    assert_eq!(engine.snapshot().waiting, 2);

    clock.advance(6 * SECOND);
    assert_eq!(outcome(&engine.resume(tickets[0])), (Allow, Reason::Allowed), "five seconds after it was due");
    clock.advance(Duration::from_nanos(1));
    for _ in 0..2 {
        assert_eq!(engine.check(READ).verdict, Verdict::Delay, "the other ticket has lapsed");
    }
    assert_eq!(outcome(&engine.resume(tickets[1])), (Abort, Reason::MaxDelay));
    let rule = &engine.snapshot().rules[0];
    assert_eq!((rule.delayed, rule.resumed, rule.lapsed), (4, 1, 1));
    assert_eq!(outcome(&engine.check(READ)), (Abort, Reason::MaxDelayed));
}

#[test]
fn places_of_all_who_never_came_back_are_free_again() {
    let (engine, clock) = engine(delaying(Delay::Fixed(SECOND)).max_delayed(100));
    let _ = engine.check(READ);
    // Two at a time, so that some lapse while others do not.
    for round in 0..50 {
        assert_eq!([(); 2].map(|()| engine.check(READ).verdict), [Verdict::Delay; 2]);
        clock.advance(if round == 24 { SECOND } else { Duration::from_millis(1) });
    }
    assert_eq!(outcome(&engine.check(READ)), (Abort, Reason::MaxDelayed));
    clock.advance(5 * SECOND);
    let fresh = (0..1000).take_while(|_| engine.check(READ).verdict == Verdict::Delay).count();
    assert_eq!(fresh, 50, "the first half has lapsed");
    let rule = &engine.snapshot().rules[0];
    assert_eq!((rule.delayed, rule.lapsed), (150, 50));
    assert_eq!(engine.snapshot().waiting, 100);
}

#[test]
fn a_waiting_statement_keeps_its_place() {
    let (engine, clock) = engine(delaying(Delay::Fixed(SECOND)).max_delayed(1));
    let _ = engine.check(READ);
    let delayed = engine.check(READ);
    clock.advance(SECOND / 2);
    let early = engine.resume(delayed.ticket.unwrap());
    assert_eq!((early.verdict, early.count), (Verdict::Delay, 2));
    assert_eq!(outcome(&engine.check(READ)), (Abort, Reason::MaxDelayed));
    clock.advance(SECOND / 2);
    assert!(engine.resume(early.ticket.unwrap()).is_allowed());
    assert_eq!(engine.check(READ).verdict, Verdict::Delay);
}

#[test]
fn who_gives_up_makes_room_at_once_and_once() {
    let (engine, clock) = engine(delaying(Delay::Fixed(SECOND)).max_delayed(1));
    let _ = engine.check(READ);
    let ticket = engine.check(READ).ticket.unwrap();
    assert_eq!(outcome(&engine.check(READ)), (Abort, Reason::MaxDelayed));
    assert!(engine.give_up(ticket));
    assert!(!engine.give_up(ticket), "its wait has ended");
    assert_eq!(outcome(&engine.resume(ticket)), (Abort, Reason::MaxDelay));

    let next = engine.check(READ);
    assert_eq!(next.verdict, Verdict::Delay);
    assert_eq!(outcome(&engine.check(READ)), (Abort, Reason::MaxDelayed), "one place, however often one was given up");
    clock.advance(7 * SECOND);
    assert!(!engine.give_up(next.ticket.unwrap()), "it has lapsed");
    let rule = &engine.snapshot().rules[0];
    assert_eq!((rule.delayed, rule.resumed, rule.lapsed), (2, 0, 2));
    assert_eq!(engine.snapshot().waiting, 0);
}

/// What a host sends that tries statements at these milliseconds and comes back with each that waits when it is due: the
/// times in order, and how many were refused.
fn send(threshold: Threshold, tries: &[u64]) -> (Vec<Duration>, usize) {
    let (engine, clock) = engine(threshold);
    // By time, and in the order they were put in.
    let mut due: BTreeMap<(Duration, usize), Option<Ticket>> = BTreeMap::new();
    due.extend(tries.iter().enumerate().map(|(i, &at)| ((Duration::from_millis(at), i), None)));
    let (mut next, mut sent, mut refused) = (due.len(), Vec::new(), 0);
    while let Some(((at, _), ticket)) = due.pop_first() {
        clock.advance_to(at);
        let decision = ticket.map_or_else(|| engine.check(READ), |ticket| engine.resume(ticket));
        match decision.verdict {
            Allow => sent.push(at),
            Verdict::Delay => {
                due.insert((at + decision.delay.unwrap(), next), decision.ticket);
                next += 1;
            }
            _ => refused += 1,
        }
    }
    (sent, refused)
}

/// The most sent in any interval of that length, both ends included.
fn busiest(sent: &[Duration], length: Duration) -> usize {
    sent.iter().map(|from| sent.iter().filter(|at| (*from..=*from + length).contains(at)).count()).max().unwrap_or(0)
}

#[test]
fn what_waited_counts_from_when_it_is_sent() {
    let threshold =
        Threshold::new(5).window(SECOND).strategy(Strategy::Delay(Delay::UntilAllowed { max: 30 * SECOND }));
    // Ten in the first second, five of which wait; and five more about the time at which those are sent.
    let tries: Vec<u64> = (0..10).map(|i| i * 90).chain((0..5).map(|i| 1550 + i * 90)).collect();
    let (sent, refused) = send(threshold, &tries);
    assert_eq!((sent.len(), refused), (15, 0));
    assert!(busiest(&sent, SECOND) <= 5, "{sent:?}");
}

proptest! {
    #[test]
    fn no_interval_holds_more_sent_than_the_limit(
        max in 1..8u32,
        buckets in 1..14u32,
        gaps in prop::collection::vec(prop_oneof![4 => 0..30u64, 2 => 30..300u64, 1 => 300..1500u64], 1..120),
    ) {
        let threshold = Threshold::new(max)
            .window(SECOND)
            .buckets(buckets)
            .strategy(Strategy::Delay(Delay::UntilAllowed { max: 30 * SECOND }));
        let tries: Vec<u64> = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();
        let (sent, refused) = send(threshold, &tries);
        prop_assert_eq!(sent.len() + refused, tries.len());
        prop_assert!(busiest(&sent, SECOND) <= max as usize, "{:?}", sent);
    }
}
