//! `NativeEngine`: what it tells of itself, and admin statements.

use crate::array::{self, Room};
use crate::guard::with_engine;
use crate::handle::get;
use jni_sys::{JNIEnv, jbyteArray, jint, jlong, jobject};
use serde_json::{Value, json};
use sqlthrottle::{AdminAnswer, Engine, RuleName, RuleStats, Snapshot, TopStatement};

/// JSON: what was added or removed, or the rules.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_admin(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    statement: jbyteArray,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine| {
            let mut room = Room::new();
            let statement = array::read(env, statement, &mut room).unwrap_or_default();
            Ok(of_answer(&engine.admin(statement)?).to_string().into())
        })
    }
}

/// JSON.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_snapshot(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe { with_engine(env, get(handle), |engine: &Engine| Ok(of_snapshot(&engine.snapshot()).to_string().into())) }
}

/// Prometheus text.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_metrics(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe { with_engine(env, get(handle), |engine: &Engine| Ok(engine.snapshot().prometheus().into())) }
}

/// JSON.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_top(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    most: jint,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine: &Engine| {
            let top = engine.top(usize::try_from(most).unwrap_or(0));
            let list = |statements: &[TopStatement]| statements.iter().map(of_top).collect::<Value>();
            Ok(json!({"by_count": list(&top.by_count), "by_time": list(&top.by_time)}).to_string().into())
        })
    }
}

fn of_answer(answer: &AdminAnswer) -> Value {
    match answer {
        AdminAnswer::Added(name) => json!({"added": name.as_str()}),
        AdminAnswer::Removed(name) => json!({"removed": name.as_str()}),
        AdminAnswer::Rules { version, rules, removed } => {
            json!({"version": version, "rules": rules.iter().map(of_rule).collect::<Value>(), "removed": names(removed)})
        }
        _ => json!({}),
    }
}

fn of_top(statement: &TopStatement) -> Value {
    json!({
        "fingerprint": statement.fingerprint.to_string(),
        "normalized": statement.normalized,
        "count": statement.count,
        "seconds": statement.time.as_secs_f64(),
    })
}

fn of_snapshot(snapshot: &Snapshot) -> Value {
    json!({
        "version": snapshot.version,
        "rules": snapshot.rules.iter().map(of_rule).collect::<Value>(),
        "removed": names(&snapshot.removed),
        "shapes": snapshot.shapes,
        "waiting": snapshot.waiting,
        "waits": snapshot.waits.count,
        "wait_seconds": snapshot.waits.sum.as_secs_f64(),
        "provider_failures": snapshot.provider_failures,
        "cluster_failures": snapshot.cluster_failures,
        "guard_errors": snapshot.guard_errors,
    })
}

fn names(rules: &[RuleName]) -> Vec<&str> {
    rules.iter().map(RuleName::as_str).collect()
}

fn of_rule(rule: &RuleStats) -> Value {
    json!({
        "name": rule.name.as_str(),
        "mode": rule.mode.name(),
        "matched": rule.matched,
        "passed": rule.passed,
        "passed_over": rule.passed_over,
        "aborted": rule.aborted,
        "ignored": rule.ignored,
        "delayed": rule.delayed,
        "outranked": rule.outranked,
        "resumed": rule.resumed,
        "aborted_waiting": rule.aborted_waiting,
        "lapsed": rule.lapsed,
        "would_abort": rule.would_abort,
        "would_ignore": rule.would_ignore,
        "would_delay": rule.would_delay,
        "in_use": rule.in_use,
        "leaked": rule.leaked,
        "keys": rule.keys,
        "overflow": rule.overflow,
        "last_seconds": rule.last.map(|last| last.as_secs_f64()),
    })
}
