/*
 * sqlthrottle: stops bursts of SQL before they reach a database.
 *
 *     sqlthrottle_engine_t *engine;
 *     if (sqlthrottle_engine_open("sqlthrottle.yml", 15, NULL, &engine) != SQLTHROTTLE_OK) { ... }
 *
 *     sqlthrottle_decision_t decision;
 *     decision.size = sizeof decision;
 *     if (sqlthrottle_check(engine, sql, sql_length, &decision) == SQLTHROTTLE_OK && decision.verdict == SQLTHROTTLE_ALLOW) {
 *         run();
 *         sqlthrottle_release(engine, decision.permit);
 *     }
 *
 *     sqlthrottle_engine_free(engine);
 *
 * What holds of every function, unless it says otherwise:
 *
 * Threads    It may be called from any thread, by any number of them at a time, and in the child of a fork once
 *            sqlthrottle_after_fork() was called there. It starts no thread, calls nobody back, waits for no delay, and is not for
 *            signal handlers. Functions that read rules read the environment: no other thread may change that meanwhile.
 * Errors     It returns SQLTHROTTLE_OK or another sqlthrottle_status_t. On an error nothing was done (but see
 *            SQLTHROTTLE_ERROR_PANIC) and outputs are as they were, except that a decision loses what it said to do, that a
 *            pointer to be written is NULL, and that a buffer that is too short is told how long it has to be. The thread's
 *            last error says why: sqlthrottle_last_error_message(). Faults of the library itself are caught; want of memory
 *            and a stack that is too small end the process.
 * Ownership  What is passed in stays the caller's; the library reads it during the call, in which nobody may change it, and keeps
 *            nothing. What a function writes to a pointer to a pointer is the caller's to free with the function that is named
 *            there.
 * Texts      A pointer and a length in bytes. They need not end with NUL, and a NUL within them is a byte like any other.
 * Units      Times are nanoseconds, and their names end with _ns.
 * Structs    One that begins with `size` grows in later versions. Set all of it to zero and `size` to sizeof; of a
 *            decision, which is written only, `size` alone. In C++: `sqlthrottle_decision_t decision; decision.size = sizeof decision;`
 *
 * docs/c.md is a guide, docs/rules.md describes rules, and docs/semantics.md how they come to one decision.
 *
 * Written from the sources in bindings/c by `make header`: do not edit.
 */

#ifndef SQLTHROTTLE_H
#define SQLTHROTTLE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The version of this interface. It grows with every change of the header, and `sqlthrottle_abi_version()` tells it of the library
 * that is loaded: a program may call what was there in the version that it was compiled with.
 */
#define SQLTHROTTLE_ABI_VERSION 1

/**
 * Bytes of the longest text of a fingerprint, and its NUL.
 */
#define SQLTHROTTLE_FINGERPRINT_TEXT_SIZE 65

/**
 * Bytes of the longest name of a rule, and its NUL.
 */
#define SQLTHROTTLE_RULE_NAME_SIZE 520

/**
 * Bytes of the longest name of a strategy, and its NUL.
 */
#define SQLTHROTTLE_STRATEGY_NAME_SIZE 76

/**
 * What became of a call. Zero is success; below zero nothing was done, and sqlthrottle_last_error_message() says why.
 */
enum sqlthrottle_status_t
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Done.
   */
  SQLTHROTTLE_OK = 0,
  /**
   * Nothing was to be done: the permit was released before or its lease had lapsed, or the file has not changed. Not an error.
   */
  SQLTHROTTLE_NOTHING = 1,
  /**
   * A pointer is NULL that must not be.
   */
  SQLTHROTTLE_ERROR_NULL = -1,
  /**
   * The `size` of a struct is shorter than any version of it, or it says something that this version does not know.
   */
  SQLTHROTTLE_ERROR_SIZE = -2,
  /**
   * A value is out of its range.
   */
  SQLTHROTTLE_ERROR_VALUE = -3,
  /**
   * The handle has been freed.
   */
  SQLTHROTTLE_ERROR_FREED = -4,
  /**
   * The buffer is too short; how long it has to be has been written.
   */
  SQLTHROTTLE_ERROR_BUFFER = -5,
  /**
   * Rules, a threshold or an admin statement were refused: what was in force before stays in force.
   */
  SQLTHROTTLE_ERROR_REFUSED = -6,
  /**
   * There is nothing of that number.
   */
  SQLTHROTTLE_ERROR_UNKNOWN = -7,
  /**
   * The library itself has failed, which is a fault of it. Whether the call has done its work is not known. The library is whole
   * and may be called again.
   */
  SQLTHROTTLE_ERROR_PANIC = -8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sqlthrottle_status_t sqlthrottle_status_t;
#else
typedef int32_t sqlthrottle_status_t;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What is to be done with a statement. Later versions may have more: what a program does not know is not to be sent.
 */
enum sqlthrottle_verdict_t
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * No verdict: no check has answered, or of `observed`, rules that are only observed would have let the statement pass.
   */
  SQLTHROTTLE_NO_VERDICT = 0,
  /**
   * Send it, and release `permit` once it has ended, however it has.
   */
  SQLTHROTTLE_ALLOW = 1,
  /**
   * Do not send it; report an error. Where states are used: SQLSTATE 53400.
   */
  SQLTHROTTLE_ABORT = 2,
  /**
   * Do not send it; report success with an empty result. Only where the statement says that this can be faked.
   */
  SQLTHROTTLE_IGNORE = 3,
  /**
   * Wait for `delay_ns` by your own means, then call sqlthrottle_resume() with `ticket`.
   */
  SQLTHROTTLE_DELAY = 4,
  /**
   * Nothing is decided or counted: call sqlthrottle_refill() with `refill` where blocking is allowed, and then the function
   * that ends in `_refilled`. Only where SQLTHROTTLE_NO_REFILL was asked for.
   */
  SQLTHROTTLE_REFILL_NEEDED = 5,
  /**
   * Nothing is decided or counted: ask your provider for the threshold of `fingerprint`, call sqlthrottle_set_threshold(), and
   * check again. Only of an engine that was opened with `asks_provider`.
   */
  SQLTHROTTLE_THRESHOLD_NEEDED = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sqlthrottle_verdict_t sqlthrottle_verdict_t;
#else
typedef uint32_t sqlthrottle_verdict_t;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Why the verdict is what it is. Later versions may have more.
 */
enum sqlthrottle_reason_t
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * No reason: no check has answered.
   */
  SQLTHROTTLE_REASON_NONE = 0,
  /**
   * Within every limit, or over one of a rule that is only observed.
   */
  SQLTHROTTLE_REASON_ALLOWED = 1,
  /**
   * A rule with `unlimited` exempts it from every other.
   */
  SQLTHROTTLE_REASON_EXEMPT = 2,
  /**
   * The kind of statement is never checked: BEGIN, COMMIT, SET and the like.
   */
  SQLTHROTTLE_REASON_NOT_CHECKED = 3,
  /**
   * Over a limit, and outside the share that the strategy is applied to.
   */
  SQLTHROTTLE_REASON_PASSED_OVER = 4,
  /**
   * Over a limit.
   */
  SQLTHROTTLE_REASON_OVER_LIMIT = 5,
  /**
   * A rule with `block` lets nothing pass.
   */
  SQLTHROTTLE_REASON_BLOCKED = 6,
  /**
   * Over a limit, and as many statements are waiting as the rule allows.
   */
  SQLTHROTTLE_REASON_MAX_DELAYED = 7,
  /**
   * Still over the limit after the longest wait that the rule allows, or the ticket has lapsed.
   */
  SQLTHROTTLE_REASON_MAX_DELAY = 8,
  /**
   * To be ignored, but what the statement says can be faked is no honest result of it.
   */
  SQLTHROTTLE_REASON_IGNORE_UNAVAILABLE = 9,
  /**
   * Its weight is above the limit, so no wait will help.
   */
  SQLTHROTTLE_REASON_NEVER = 10,
  /**
   * The cluster does not answer, and the rule says `on_failure: closed`.
   */
  SQLTHROTTLE_REASON_CLUSTER_DOWN = 11,
  /**
   * The library itself has failed, which is a fault of it; the verdict is what the rule file's `on_error` says.
   */
  SQLTHROTTLE_REASON_GUARD_ERROR = 12,
  /**
   * Nothing is decided yet: the verdict says what is needed.
   */
  SQLTHROTTLE_REASON_UNDECIDED = 13,
  /**
   * The rule file says `mode: off`.
   */
  SQLTHROTTLE_REASON_OFF = 14,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sqlthrottle_reason_t sqlthrottle_reason_t;
#else
typedef uint32_t sqlthrottle_reason_t;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The SQL dialects.
 */
enum sqlthrottle_dialect_t
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * The one that the rule file says.
   */
  SQLTHROTTLE_DIALECT_OF_RULES = 0,
  /**
   * What the dialects have in common.
   */
  SQLTHROTTLE_DIALECT_GENERIC = 1,
  /**
   * MySQL and MariaDB.
   */
  SQLTHROTTLE_DIALECT_MYSQL = 2,
  /**
   * PostgreSQL.
   */
  SQLTHROTTLE_DIALECT_POSTGRESQL = 3,
  /**
   * SQLite.
   */
  SQLTHROTTLE_DIALECT_SQLITE = 4,
  /**
   * Microsoft SQL Server.
   */
  SQLTHROTTLE_DIALECT_MSSQL = 5,
  /**
   * Oracle.
   */
  SQLTHROTTLE_DIALECT_ORACLE = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sqlthrottle_dialect_t sqlthrottle_dialect_t;
#else
typedef uint32_t sqlthrottle_dialect_t;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What the caller can stand in for when a statement is ignored: bits, to be combined.
 */
enum sqlthrottle_fakes_t
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Nothing: what is to be ignored is aborted instead.
   */
  SQLTHROTTLE_FAKES_NONE = 0,
  /**
   * An empty result set: what a plain read needs.
   */
  SQLTHROTTLE_FAKES_ROWS = 1,
  /**
   * A count of no affected rows: what a write needs whose count is all that is asked for.
   */
  SQLTHROTTLE_FAKES_COUNT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sqlthrottle_fakes_t sqlthrottle_fakes_t;
#else
typedef uint32_t sqlthrottle_fakes_t;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How a check is made: bits, to be combined.
 */
enum sqlthrottle_flags_t
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Where a rule that a cluster counts needs the network, answer SQLTHROTTLE_REFILL_NEEDED. Without this bit the check asks the
   * cluster in the calling thread, which it may block for as long as the rule file's `timeout` allows. No other rule blocks.
   */
  SQLTHROTTLE_NO_REFILL = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sqlthrottle_flags_t sqlthrottle_flags_t;
#else
typedef uint32_t sqlthrottle_flags_t;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What is done to a statement over its threshold.
 */
enum sqlthrottle_strategy_t
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * An error is reported.
   */
  SQLTHROTTLE_STRATEGY_ABORT = 0,
  /**
   * An empty result is reported.
   */
  SQLTHROTTLE_STRATEGY_IGNORE = 1,
  /**
   * It waits for `delay_ns` once.
   */
  SQLTHROTTLE_STRATEGY_DELAY = 2,
  /**
   * It waits until the threshold allows it, at most `delay_ns` in all.
   */
  SQLTHROTTLE_STRATEGY_DELAY_UNTIL_ALLOWED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sqlthrottle_strategy_t sqlthrottle_strategy_t;
#else
typedef uint32_t sqlthrottle_strategy_t;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A clock that moves only when told to, so that no test sleeps to see a window pass. One serves any number of engines and threads.
 */
typedef struct sqlthrottle_clock_t sqlthrottle_clock_t;

/**
 * Decides which statements may be sent now. One serves any number of threads.
 */
typedef struct sqlthrottle_engine_t sqlthrottle_engine_t;

/**
 * A statement that was read once and is checked by reference. One serves any number of threads.
 */
typedef struct sqlthrottle_prepared_t sqlthrottle_prepared_t;

/**
 * What a check lacks, and after sqlthrottle_refill() what the cluster has answered. It belongs to one statement; the functions that
 * end in `_refilled` free it.
 */
typedef struct sqlthrottle_refill_t sqlthrottle_refill_t;

/**
 * Counts events of any kind in a sliding window, without locks. One serves any number of threads.
 */
typedef struct sqlthrottle_window_t sqlthrottle_window_t;

/**
 * How an engine is opened. Set `size`, and what is to differ from zero.
 */
typedef struct sqlthrottle_options_t {
  /**
   * Its size in bytes as the program was compiled with.
   */
  size_t size;
  /**
   * A clock that a test moves; NULL for the machine's. It may be freed before the engine.
   */
  const struct sqlthrottle_clock_t *clock;
  /**
   * 1 where the host has thresholds of its own to give, see sqlthrottle_set_threshold(): then the first sight of a fingerprint is
   * answered with SQLTHROTTLE_THRESHOLD_NEEDED. Else 0.
   */
  uint32_t asks_provider;
  /**
   * Zero.
   */
  uint32_t reserved;
} sqlthrottle_options_t;

/**
 * The shape of a statement: what statements have in common that differ in constants, comments and white space alone.
 */
typedef struct sqlthrottle_fingerprint_t {
  /**
   * The hash of the normalised text.
   */
  uint8_t bytes[32];
  /**
   * How many of the bytes there are: 32, 20 or 16, as the rule file's `hash` says; 0 for no fingerprint.
   */
  uint32_t length;
} sqlthrottle_fingerprint_t;

/**
 * The answer to a check. It belongs to the caller, holds no memory but `refill`, and may be copied, kept and forgotten.
 *
 * Set `size` before a call, and nothing else: `sqlthrottle_decision_t decision; decision.size = sizeof decision;` One may be used
 * again and again. A call that fails leaves no verdict, permit, ticket or refill in it, and the rest as it was; where `size` itself
 * is wrong, all of it. So keep a ticket elsewhere if a sqlthrottle_resume() that fails is to be tried again.
 */
typedef struct sqlthrottle_decision_t {
  /**
   * Its size in bytes as the program was compiled with, set by the caller.
   */
  size_t size;
  /**
   * What is to be done.
   */
  sqlthrottle_verdict_t verdict;
  /**
   * Why.
   */
  sqlthrottle_reason_t reason;
  /**
   * What rules that are only observed would have done; SQLTHROTTLE_NO_VERDICT where nothing.
   */
  sqlthrottle_verdict_t observed;
  /**
   * 1 where the limiter is the one that keys beyond `max_keys` share, else 0.
   */
  uint32_t overflow;
  /**
   * What the limiter of the rule counts: attempts or statements in its window, tokens spent, places held.
   */
  uint64_t count;
  /**
   * The limit that the count is held against; 0 where no rule matched, and of a rule that counts nothing.
   */
  uint64_t limit;
  /**
   * Nanoseconds until a statement of this shape and weight may pass again if none is tried meanwhile, which may be up to one bucket
   * more than the window; 0 where this one is within the limit, where no wait will help (`NEVER`, `BLOCKED`), and where it
   * depends on when another statement ends (a limit of concurrency).
   */
  uint64_t retry_after_ns;
  /**
   * Nanoseconds to wait before sqlthrottle_resume(); only with SQLTHROTTLE_DELAY.
   */
  uint64_t delay_ns;
  /**
   * What to resume with; 0 for none. Good for one call of sqlthrottle_resume(), until five seconds after it was due.
   */
  uint64_t ticket;
  /**
   * What the statement holds while it runs, for sqlthrottle_release(); 0 for nothing. Only with SQLTHROTTLE_ALLOW.
   */
  uint64_t permit;
  /**
   * What sqlthrottle_refill() is to ask for, owned by the caller; only with SQLTHROTTLE_REFILL_NEEDED, else NULL.
   */
  struct sqlthrottle_refill_t *refill;
  /**
   * The shape of the statement; none of a request, and where the statement was not read.
   */
  struct sqlthrottle_fingerprint_t fingerprint;
  /**
   * The name of the rule that decided, ending with NUL; empty where no rule matched.
   */
  char rule[SQLTHROTTLE_RULE_NAME_SIZE];
  /**
   * The name of the host's strategy that is to decide, ending with NUL, where a rule says `custom:NAME`: then the verdict is
   * SQLTHROTTLE_ABORT, which holds unless the host knows the strategy. Else empty.
   */
  char custom[SQLTHROTTLE_STRATEGY_NAME_SIZE];
} sqlthrottle_decision_t;

/**
 * Bytes of any kind with their length, in UTF-8 where they are text. They need not end with NUL, and one within them is like any
 * other byte. `data` NULL says that there is no value, which is not the same as an empty one.
 *
 * The library reads it during the call, and keeps nothing of it.
 */
typedef struct sqlthrottle_text_t {
  /**
   * The first byte.
   */
  const char *data;
  /**
   * How many bytes there are.
   */
  size_t length;
} sqlthrottle_text_t;

/**
 * A tag, such as an endpoint or a tenant.
 */
typedef struct sqlthrottle_tag_t {
  /**
   * What the rule file calls it.
   */
  struct sqlthrottle_text_t name;
  /**
   * Its value. NULL leaves the tag out.
   */
  struct sqlthrottle_text_t value;
} sqlthrottle_tag_t;

/**
 * Who sends a statement or makes a request, and where to. One may serve many calls, from several threads at a time.
 *
 * Set `size`, and what else is known: `sqlthrottle_context_t context = { .size = sizeof context };`
 */
typedef struct sqlthrottle_context_t {
  /**
   * Its size in bytes as the program was compiled with.
   */
  size_t size;
  /**
   * The database user, or whoever else is to be told apart. `name@host` stands for both where there is no client.
   */
  struct sqlthrottle_text_t user;
  /**
   * The address of the client, in its textual form and without a port.
   */
  struct sqlthrottle_text_t client;
  /**
   * The database.
   */
  struct sqlthrottle_text_t database;
  /**
   * Tags. Of a name that is given twice the later value holds.
   */
  const struct sqlthrottle_tag_t *tags;
  /**
   * How many tags there are, at most 256.
   */
  size_t tags_length;
} sqlthrottle_context_t;

/**
 * A statement. The library reads it during the call, and keeps nothing of it.
 *
 * Set `size`, `sql`, and what else is known:
 * `sqlthrottle_statement_t statement = { .size = sizeof statement, .sql = { sql, sql_length } };`
 */
typedef struct sqlthrottle_statement_t {
  /**
   * Its size in bytes as the program was compiled with.
   */
  size_t size;
  /**
   * The text. NULL is a text of no bytes.
   */
  struct sqlthrottle_text_t sql;
  /**
   * Who sends it and where to; NULL where nothing is known.
   */
  const struct sqlthrottle_context_t *context;
  /**
   * The bound parameters in order, each in the textual form that a constant in its place would have, without quotes; `data` NULL
   * for a parameter that is NULL or has no such form. Rules that count by a column, or match one, read them.
   */
  const struct sqlthrottle_text_t *parameters;
  /**
   * How many parameters there are.
   */
  size_t parameters_length;
  /**
   * Its SQL dialect, of sqlthrottle_dialect_t; 0 for the one that the rule file says.
   */
  uint32_t dialect;
  /**
   * What the caller can stand in for when it is ignored: bits of sqlthrottle_fakes_t.
   */
  uint32_t fakes;
  /**
   * How many executions the check speaks for: a batch of 50 weighs 50. 0 counts as 1.
   */
  uint32_t weight;
  /**
   * Bits of sqlthrottle_flags_t.
   */
  uint32_t flags;
} sqlthrottle_statement_t;

/**
 * A limit on identical statements in a sliding window. Set `size`, `max_count`, and what is to differ from zero, which stands for what a
 * rule file takes where a key is left out.
 */
typedef struct sqlthrottle_threshold_t {
  /**
   * Its size in bytes as the program was compiled with.
   */
  size_t size;
  /**
   * Nanoseconds of the window; 0 for 60 seconds.
   */
  uint64_t window_ns;
  /**
   * Nanoseconds of the wait; only with a strategy that delays.
   */
  uint64_t delay_ns;
  /**
   * Most statements that are sent in any interval of the window.
   */
  uint32_t max_count;
  /**
   * How many parts the window is counted in; 0 for 12.
   */
  uint32_t buckets;
  /**
   * The part of statements over the limit that the strategy is applied to, such as 2 of 3; both 0 for all.
   */
  uint32_t share;
  /**
   * See `share`.
   */
  uint32_t share_of;
  /**
   * What is done to them, of sqlthrottle_strategy_t.
   */
  uint32_t strategy;
  /**
   * How many statements may wait at once; 0 for 100.
   */
  uint32_t max_delayed;
} sqlthrottle_threshold_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the interface that the loaded library has, to be compared with SQLTHROTTLE_ABI_VERSION, that of the header:
 * a library works with every program whose header has its version or a lower one.
 */
uint32_t sqlthrottle_abi_version(void);

/**
 * The version of the library, such as `0.1.0`: a text that ends with NUL, never to be freed.
 */
const char *sqlthrottle_version(void);

/**
 * The name of a status, such as `SQLTHROTTLE_ERROR_NULL`: a text that ends with NUL, never to be freed; `unknown` of a number that
 * is none.
 */
const char *sqlthrottle_status_name(int32_t status);

/**
 * How many faults the last error of this thread has: several where a rule file has several, 0 where no call has failed.
 *
 * A call that succeeds leaves the last error as it is.
 */
size_t sqlthrottle_last_error_count(void);

/**
 * Writes the code of a fault of the last error of this thread into a buffer, as text that ends with NUL.
 *
 * A code is stable and the same in every language: `rule.limit.missing`. `fault` counts from 0. `needed`, unless NULL, is
 * told the bytes of the code with its NUL.
 *
 * Returns SQLTHROTTLE_ERROR_UNKNOWN where there is no such fault, SQLTHROTTLE_ERROR_BUFFER where `capacity` is less than
 * `needed`: then what fits is written, with its NUL. Neither becomes the last error.
 */
sqlthrottle_status_t sqlthrottle_last_error_code(size_t fault,
                                                 char *buffer,
                                                 size_t capacity,
                                                 size_t *needed);

/**
 * Writes what the last error of this thread says into a buffer, as text that ends with NUL: of rules every fault on a line of its
 * own, with its place, what was found, what would be right and its code; an empty text where no call has failed.
 *
 * `needed`, unless NULL, is told the bytes of the text with its NUL.
 *
 * Returns SQLTHROTTLE_ERROR_BUFFER where `capacity` is less than `needed`: then what fits of the text is written, with its NUL. That
 * does not become the last error.
 */
sqlthrottle_status_t sqlthrottle_last_error_message(char *buffer,
                                                    size_t capacity,
                                                    size_t *needed);

/**
 * Opens an engine with the rules of a file, for which sqlthrottle_refresh() looks again.
 *
 * `path` is as open() takes it, and UTF-8 on Windows; `options` may be NULL. `${NAME}` in the file stands for a variable of the
 * environment. Writes `engine`, to be freed with
 * sqlthrottle_engine_free().
 *
 * Returns SQLTHROTTLE_ERROR_REFUSED where the file cannot be read or has faults: all of them at once are the last error.
 */
sqlthrottle_status_t sqlthrottle_engine_open(const char *path,
                                             size_t path_length,
                                             const struct sqlthrottle_options_t *options,
                                             struct sqlthrottle_engine_t **engine);

/**
 * Opens an engine with rules: the text of a rule file, in which `${NAME}` stands for a variable of the environment.
 *
 * `options` may be NULL. Writes `engine`, to be freed with sqlthrottle_engine_free(). No text is a rule file without rules: an engine
 * that lets everything pass until it is given some.
 *
 * Returns SQLTHROTTLE_ERROR_REFUSED where the rules have faults: all of them at once are the last error.
 */
sqlthrottle_status_t sqlthrottle_engine_from_rules(const char *rules,
                                                   size_t rules_length,
                                                   const struct sqlthrottle_options_t *options,
                                                   struct sqlthrottle_engine_t **engine);

/**
 * Makes another handle to an engine, for another owner. Both share rules and counts, and each is to be freed; the engine lasts as long
 * as one of them, or a prepared statement of it, does.
 *
 * Threads need no handle of their own, as long as the one they use is not freed under them.
 */
sqlthrottle_status_t sqlthrottle_engine_clone(const struct sqlthrottle_engine_t *engine,
                                              struct sqlthrottle_engine_t **clone);

/**
 * Frees a handle to an engine. No other thread may be in a call with the same handle; other handles to the engine may be in use.
 *
 * Does nothing with NULL and with a handle that was just freed, and a later call with such a handle is an error. To rely on that is a
 * mistake nevertheless: after a thousand more handles were freed, the address serves another one.
 */
void sqlthrottle_engine_free(struct sqlthrottle_engine_t *engine);

/**
 * Puts other rules in force, the text of a rule file, all of them at once: no check sees half of two sets. What has been counted
 * follows a rule's name, kind of limit and `per`.
 *
 * `version`, unless NULL, is told the version of the set in force, which grows by one with every change.
 *
 * Returns SQLTHROTTLE_ERROR_REFUSED where the rules have faults; those before stay in force.
 */
sqlthrottle_status_t sqlthrottle_reload(const struct sqlthrottle_engine_t *engine,
                                        const char *rules,
                                        size_t rules_length,
                                        uint64_t *version);

/**
 * Looks whether the file that the engine was opened with has changed, and if so puts its rules in force. It reads the file: call it
 * from a timer or a signal's thread, every second or whatever the file's `watch` says, not before each statement, and not in a signal
 * handler.
 *
 * `version`, unless NULL, is told the version of the set in force where that has changed.
 *
 * Returns SQLTHROTTLE_NOTHING where the file has not changed, or there is none, and SQLTHROTTLE_ERROR_REFUSED where it cannot be
 * read or has faults; the rules before stay in force. A file with faults is refused once, and read again when it has changed.
 */
sqlthrottle_status_t sqlthrottle_refresh(const struct sqlthrottle_engine_t *engine,
                                         uint64_t *version);

/**
 * Puts an engine in order in the child of a fork: rules and what they have counted stay, permits and tickets of the parent mean nothing
 * there, and the places that they held are free.
 *
 * To be called in the child, once for all handles of an engine, while it has one thread and before it checks anything: a second call
 * drops what the child holds by then. Windows and clocks need nothing. It is safe after fork(), whatever the parent's threads were
 * doing, where malloc() is, as it is with glibc and musl; not in a handler of pthread_atfork(), and not after vfork().
 */
sqlthrottle_status_t sqlthrottle_after_fork(const struct sqlthrottle_engine_t *engine);

/**
 * The name of a verdict, as metrics and the other languages have it: `allow`. A text that ends with NUL, never to be freed;
 * `unknown` of a number that is none.
 */
const char *sqlthrottle_verdict_name(uint32_t verdict);

/**
 * The name of a reason, as the other languages have it: `over_limit`. A text that ends with NUL, never to be freed; `unknown`
 * of a number that is none.
 */
const char *sqlthrottle_reason_name(uint32_t reason);

/**
 * Decides on a statement of which nothing is known but its text.
 *
 * Any bytes are a text, and NULL with no length is one. It is aborted where a rule says to ignore it, because nothing is said of
 * what can be faked.
 *
 * Writes `decision`, whose `size` is set, on SQLTHROTTLE_OK alone. Takes nanoseconds, and allocates nothing, for a statement that
 * was seen before; it blocks only where a rule has `scope: cluster`.
 */
sqlthrottle_status_t sqlthrottle_check(const struct sqlthrottle_engine_t *engine,
                                       const char *sql,
                                       size_t sql_length,
                                       struct sqlthrottle_decision_t *decision);

/**
 * Decides on a statement with its context, parameters, dialect, weight and what can be faked.
 *
 * Otherwise as sqlthrottle_check(). More than 8 parameters or 4 tags take memory for the time of the call.
 */
sqlthrottle_status_t sqlthrottle_check_statement(const struct sqlthrottle_engine_t *engine,
                                                 const struct sqlthrottle_statement_t *statement,
                                                 struct sqlthrottle_decision_t *decision);

/**
 * Decides on a request, by the rules that say `on: request`: for gateways and web filters, which know who asks and not yet what for.
 *
 * `context` may be NULL. `flags` are bits of sqlthrottle_flags_t. Otherwise as sqlthrottle_check().
 */
sqlthrottle_status_t sqlthrottle_check_request(const struct sqlthrottle_engine_t *engine,
                                               const struct sqlthrottle_context_t *context,
                                               uint32_t flags,
                                               struct sqlthrottle_decision_t *decision);

/**
 * Decides on a statement whose wait is over, by the `ticket` of its SQLTHROTTLE_DELAY. It may be refused, and it may have to wait on.
 *
 * A ticket is good for one call, on the engine that gave it or a clone, until five seconds after it was due; a later call, and one
 * with a number that is no ticket, is answered with SQLTHROTTLE_ABORT; 0 is refused with SQLTHROTTLE_ERROR_VALUE.
 *
 * `flags` are bits of sqlthrottle_flags_t. Otherwise as sqlthrottle_check().
 */
sqlthrottle_status_t sqlthrottle_resume(const struct sqlthrottle_engine_t *engine,
                                        uint64_t ticket,
                                        uint32_t flags,
                                        struct sqlthrottle_decision_t *decision);

/**
 * Ends the wait of a statement that will not be resumed, because whoever asked has gone: another may wait in its place at once, and not
 * only five seconds after it was due.
 *
 * Harmless where the ticket is 0, has been used, has lapsed or is another engine's, and with an engine that was freed. Returns
 * SQLTHROTTLE_OK where a wait was ended, else SQLTHROTTLE_NOTHING or an error.
 */
sqlthrottle_status_t sqlthrottle_give_up(const struct sqlthrottle_engine_t *engine,
                                         uint64_t ticket);

/**
 * Gives back what a statement held while it ran. To be called with the `permit` of every decision that was SQLTHROTTLE_ALLOW, once
 * the statement has ended, however it has.
 *
 * Harmless where there is nothing to give back: a permit of 0, one that was released before, one whose lease has lapsed and whose
 * places others have taken, one of another engine, and an engine that was freed. Returns SQLTHROTTLE_OK where something was given back, else
 * SQLTHROTTLE_NOTHING or an error.
 */
sqlthrottle_status_t sqlthrottle_release(const struct sqlthrottle_engine_t *engine,
                                         uint64_t permit);

/**
 * Reads a statement once, so that it can be checked many times without its text: sqlthrottle_check_prepared().
 *
 * Text, context and parameters are copied, and every check goes by them: where they change from one execution to the next, and rules
 * read them, sqlthrottle_check_statement() is the one to call. Permits are released, and waits resumed, by a handle to the engine.
 *
 * Writes `prepared`, to be freed with sqlthrottle_prepared_free(); it keeps the engine until then. It is never out of date: where
 * rules have changed, its next check goes by the new ones.
 */
sqlthrottle_status_t sqlthrottle_prepare(const struct sqlthrottle_engine_t *engine,
                                         const struct sqlthrottle_statement_t *statement,
                                         struct sqlthrottle_prepared_t **prepared);

/**
 * Decides on a prepared statement, as sqlthrottle_check_statement() would, without looking up its text.
 *
 * `weight` is how many executions the check speaks for, 0 for the weight that it was prepared with. Otherwise as sqlthrottle_check().
 */
sqlthrottle_status_t sqlthrottle_check_prepared(const struct sqlthrottle_prepared_t *prepared,
                                                uint32_t weight,
                                                struct sqlthrottle_decision_t *decision);

/**
 * Decides on a prepared statement after its refill; `weight` is that of the check. Frees `refill`, whatever it returns.
 */
sqlthrottle_status_t sqlthrottle_check_prepared_refilled(const struct sqlthrottle_prepared_t *prepared,
                                                         uint32_t weight,
                                                         struct sqlthrottle_refill_t *refill,
                                                         struct sqlthrottle_decision_t *decision);

/**
 * Frees a prepared statement. No other thread may be in a call with it. Does nothing with NULL.
 */
void sqlthrottle_prepared_free(struct sqlthrottle_prepared_t *prepared);

/**
 * Asks the cluster for what a check lacks. This version has no backend that asks one, and refuses rules with `scope: cluster` where
 * they are read: no check is answered with SQLTHROTTLE_REFILL_NEEDED yet, and a program that is ready for it need not change.
 *
 * It works in this thread, which it blocks for as long as the rule file's `timeout` allows. It never
 * decides: call the function next that ends in `_refilled`, with the statement, request or ticket it is for.
 *
 * Where the cluster does not answer, that function decides by the rule's `on_failure`.
 */
sqlthrottle_status_t sqlthrottle_refill(const struct sqlthrottle_engine_t *engine,
                                        struct sqlthrottle_refill_t *refill);

/**
 * Decides on a statement after its refill. It is not answered with SQLTHROTTLE_REFILL_NEEDED again. Frees `refill`, whatever it
 * returns.
 */
sqlthrottle_status_t sqlthrottle_check_refilled(const struct sqlthrottle_engine_t *engine,
                                                const struct sqlthrottle_statement_t *statement,
                                                struct sqlthrottle_refill_t *refill,
                                                struct sqlthrottle_decision_t *decision);

/**
 * Decides on a request after its refill. `context` may be NULL. Frees `refill`, whatever it returns.
 */
sqlthrottle_status_t sqlthrottle_check_request_refilled(const struct sqlthrottle_engine_t *engine,
                                                        const struct sqlthrottle_context_t *context,
                                                        struct sqlthrottle_refill_t *refill,
                                                        struct sqlthrottle_decision_t *decision);

/**
 * Decides on a statement that has waited after its refill, by the ticket of the decision that said SQLTHROTTLE_REFILL_NEEDED. Frees
 * `refill`, whatever it returns.
 */
sqlthrottle_status_t sqlthrottle_resume_refilled(const struct sqlthrottle_engine_t *engine,
                                                 uint64_t ticket,
                                                 struct sqlthrottle_refill_t *refill,
                                                 struct sqlthrottle_decision_t *decision);

/**
 * Frees a refill that is not going to be used. Does nothing with NULL.
 */
void sqlthrottle_refill_free(struct sqlthrottle_refill_t *refill);

/**
 * Says what the host's provider says of a fingerprint: a threshold, or with NULL that it has none. Of an engine that was opened with
 * `asks_provider`, in force from the next check on; any other never looks at it. After `time_to_live_ns` nanoseconds it is due to be
 * renewed, and stays in force until it is.
 *
 * Returns SQLTHROTTLE_ERROR_REFUSED where a value is out of its bounds, which docs/rules.md has; what was said before stays in force.
 */
sqlthrottle_status_t sqlthrottle_set_threshold(const struct sqlthrottle_engine_t *engine,
                                               const struct sqlthrottle_fingerprint_t *fingerprint,
                                               const struct sqlthrottle_threshold_t *threshold,
                                               uint64_t time_to_live_ns);

/**
 * Says that the host's provider could not be asked for a fingerprint. What it said before stays in force; where it never said anything,
 * the statement passes by the other rules alone. Either is due again after a second, and the failure is counted.
 */
sqlthrottle_status_t sqlthrottle_threshold_failed(const struct sqlthrottle_engine_t *engine,
                                                  const struct sqlthrottle_fingerprint_t *fingerprint);

/**
 * Writes fingerprints whose threshold is to be renewed by now, at most `capacity` of them, and tells `count` how many: for a timer of
 * the host's, which asks its provider and calls sqlthrottle_set_threshold(). Until it does, they are due again.
 */
sqlthrottle_status_t sqlthrottle_thresholds_due(const struct sqlthrottle_engine_t *engine,
                                                struct sqlthrottle_fingerprint_t *fingerprints,
                                                size_t capacity,
                                                size_t *count);

/**
 * Takes note of how many nanoseconds a statement took to run, for sqlthrottle_top(). Returns SQLTHROTTLE_NOTHING for no fingerprint,
 * as decisions on statements have that are not read.
 */
sqlthrottle_status_t sqlthrottle_record_duration(const struct sqlthrottle_engine_t *engine,
                                                 const struct sqlthrottle_fingerprint_t *fingerprint,
                                                 uint64_t duration_ns);

/**
 * Writes the fingerprint of a statement into a buffer: hexadecimal digits and a NUL, 65 bytes unless the rule file says another `hash`.
 *
 * `engine` says how texts are normalised; NULL for the defaults. `dialect` is of sqlthrottle_dialect_t; 0 for the one of the engine's
 * rules. `needed`, unless NULL, is told the bytes with the NUL.
 *
 * Returns SQLTHROTTLE_ERROR_BUFFER where `capacity` is less than `needed`. It is for tools and logs: a decision has the fingerprint
 * of its statement already.
 */
sqlthrottle_status_t sqlthrottle_fingerprint(const struct sqlthrottle_engine_t *engine,
                                             const char *sql,
                                             size_t sql_length,
                                             uint32_t dialect,
                                             char *buffer,
                                             size_t capacity,
                                             size_t *needed);

/**
 * Writes the normalised text of a statement into a buffer, with a NUL behind it: what its fingerprint is the hash of, and what people may
 * see, because no byte of a constant is in it.
 *
 * It is at most a little longer than the statement. Bytes of identifiers that are no UTF-8 stay as they are. Otherwise as
 * sqlthrottle_fingerprint().
 */
sqlthrottle_status_t sqlthrottle_normalize(const struct sqlthrottle_engine_t *engine,
                                           const char *sql,
                                           size_t sql_length,
                                           uint32_t dialect,
                                           char *buffer,
                                           size_t capacity,
                                           size_t *needed);

/**
 * Writes a fingerprint, such as that of a decision, into a buffer: hexadecimal digits and a NUL, an empty text for no fingerprint.
 *
 * `needed`, unless NULL, is told the bytes with the NUL. Returns SQLTHROTTLE_ERROR_BUFFER where `capacity` is less than `needed`.
 */
sqlthrottle_status_t sqlthrottle_fingerprint_text(const struct sqlthrottle_fingerprint_t *fingerprint,
                                                  char *buffer,
                                                  size_t capacity,
                                                  size_t *needed);

/**
 * Does what an admin statement asks for: adds a rule, removes one, or lists them.
 *
 * `SET GLOBAL sql_throttle_add_rule = '{pattern: "select.*", capacity: 100, rate: 1000}'`,
 * `SET GLOBAL sql_throttle_remove_rule = 'admin-1'` or `SHOW GLOBAL sql_throttle_rules`. For an administrator alone: never pass on what
 * an application sends.
 *
 * Unless `answer` is NULL, writes the answer as JSON, to be freed with sqlthrottle_string_free(), and to `answer_length`, unless NULL,
 * its bytes without the NUL: `{"added": "admin-1"}`, `{"removed": "admin-1"}`, or `{"version": 3, "rules": [...], "removed": [...]}` as in
 * sqlthrottle_snapshot().
 *
 * Returns SQLTHROTTLE_ERROR_REFUSED where it is no such statement or has faults; nothing has changed then.
 */
sqlthrottle_status_t sqlthrottle_admin(const struct sqlthrottle_engine_t *engine,
                                       const char *statement,
                                       size_t statement_length,
                                       char **answer,
                                       size_t *answer_length);

/**
 * Writes what the engine has done so far as JSON, to be freed with sqlthrottle_string_free(), and to `length`, unless NULL, its bytes
 * without the NUL.
 *
 * An object with `version`, `rules`, `removed` (names of rules of the file that admin statements removed), `shapes`, `waiting`, `waits`, `wait_seconds`, `provider_failures`, `cluster_failures` and
 * `guard_errors`. Each of `rules` has `name`, `mode`, `matched`, `passed`, `passed_over`, `aborted`, `ignored`, `delayed`, `outranked`,
 * `resumed`, `aborted_waiting`, `lapsed`, `would_abort`, `would_ignore`, `would_delay`, `in_use`, `leaked`, `keys`, `overflow` and
 * `last_seconds`, the time since it last matched or null; docs/semantics.md says what they count.
 */
sqlthrottle_status_t sqlthrottle_snapshot(const struct sqlthrottle_engine_t *engine,
                                          char **json,
                                          size_t *length);

/**
 * Writes the counters as Prometheus text, to be freed with sqlthrottle_string_free(), and to `length`, unless NULL, its bytes without the
 * NUL.
 */
sqlthrottle_status_t sqlthrottle_metrics(const struct sqlthrottle_engine_t *engine,
                                         char **text,
                                         size_t *length);

/**
 * Writes the statements at the top as JSON, to be freed with sqlthrottle_string_free(), and to `length`, unless NULL, its bytes without
 * the NUL: `{"by_count": [...], "by_time": [...]}`, each at most `most` long, of objects with `fingerprint`, `normalized`, `count` and
 * `seconds`. For people and dashboards: it looks at everything that is remembered.
 */
sqlthrottle_status_t sqlthrottle_top(const struct sqlthrottle_engine_t *engine,
                                     size_t most,
                                     char **json,
                                     size_t *length);

/**
 * Writes the name of a rule into a buffer, as text that ends with NUL: that of the rule at a place of the snapshot, counted from 0. A
 * decision has the name of its rule already.
 *
 * Other rules may be there after a reload. `needed`, unless NULL, is told the bytes with the NUL. Returns SQLTHROTTLE_ERROR_UNKNOWN where there are not so many rules, and
 * SQLTHROTTLE_ERROR_BUFFER where `capacity` is less than `needed`.
 */
sqlthrottle_status_t sqlthrottle_rule_name(const struct sqlthrottle_engine_t *engine,
                                           size_t index,
                                           char *buffer,
                                           size_t capacity,
                                           size_t *needed);

/**
 * Frees a text that a function of this library wrote, and that was not changed. Does nothing with NULL.
 */
void sqlthrottle_string_free(char *text);

/**
 * Makes a window of so many nanoseconds, counted in `buckets` parts: 12 are usual, more forget sooner. An event is forgotten when it
 * is as old as the window, or at most one bucket older. `clock` is NULL for the machine's. Writes `window`, to be freed with
 * sqlthrottle_window_free().
 *
 * Returns SQLTHROTTLE_ERROR_VALUE where there are no buckets, more than 1021, or buckets shorter than a millisecond.
 */
sqlthrottle_status_t sqlthrottle_window_new(uint64_t window_ns,
                                            uint32_t buckets,
                                            const struct sqlthrottle_clock_t *clock,
                                            struct sqlthrottle_window_t **window);

/**
 * Counts an event that happens now. `count`, unless NULL, is told how many count now, with this one. Allocates nothing.
 */
sqlthrottle_status_t sqlthrottle_window_record(const struct sqlthrottle_window_t *window, uint64_t *count);

/**
 * Tells `count` how many events count now.
 */
sqlthrottle_status_t sqlthrottle_window_count(const struct sqlthrottle_window_t *window, uint64_t *count);

/**
 * Forgets all events. One that another thread records meanwhile may stay.
 */
sqlthrottle_status_t sqlthrottle_window_reset(const struct sqlthrottle_window_t *window);

/**
 * Frees a window. Does nothing with NULL.
 */
void sqlthrottle_window_free(struct sqlthrottle_window_t *window);

/**
 * Makes a clock that stands at zero, and by the wall clock at the beginning of 1970 UTC. Writes `clock`, to be freed with
 * sqlthrottle_clock_free().
 */
sqlthrottle_status_t sqlthrottle_clock_new(struct sqlthrottle_clock_t **clock);

/**
 * Moves a clock forward by so many nanoseconds, and its wall clock with it.
 */
sqlthrottle_status_t sqlthrottle_clock_advance(const struct sqlthrottle_clock_t *clock, uint64_t by_ns);

/**
 * Sets the wall clock of a clock, forwards or back, to so many nanoseconds since the beginning of 1970 UTC. Rules expire by it.
 */
sqlthrottle_status_t sqlthrottle_clock_set_wall(const struct sqlthrottle_clock_t *clock,
                                                int64_t unix_ns);

/**
 * Frees a clock. Engines and windows that go by it go on, and it stands still for them. Does nothing with NULL.
 */
void sqlthrottle_clock_free(struct sqlthrottle_clock_t *clock);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SQLTHROTTLE_H */
