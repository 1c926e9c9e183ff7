#include "guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void guard_complain(const char *what) {
    size_t needed = 0;
    sqlthrottle_last_error_message(NULL, 0, &needed);
    char *message = malloc(needed);
    if (message == NULL || sqlthrottle_last_error_message(message, needed, NULL) != SQLTHROTTLE_OK) {
        fprintf(stderr, "%s\n", what);
    } else {
        fprintf(stderr, "%s: %s\n", what, message);
    }
    free(message);
}

bool guard_open(struct guard *guard, const char *path, uint32_t dialect) {
    guard->dialect = dialect;
    if (sqlthrottle_engine_open(path, strlen(path), NULL, &guard->engine) != SQLTHROTTLE_OK) {
        guard_complain("the rules were refused");
        return false;
    }
    return true;
}

void guard_close(struct guard *guard) {
    sqlthrottle_engine_free(guard->engine);
    guard->engine = NULL;
}

void guard_reload(const struct guard *guard) {
    uint64_t version = 0;
    switch (sqlthrottle_refresh(guard->engine, &version)) {
    case SQLTHROTTLE_OK:
        fprintf(stderr, "version %" PRIu64 " of the rules is in force\n", version);
        break;
    case SQLTHROTTLE_NOTHING:
        fprintf(stderr, "the rules have not changed\n");
        break;
    default:
        guard_complain("the new rules were refused, the old ones stay in force");
    }
}

enum guard_answer guard_before(const struct guard *guard, const sqlthrottle_context_t *context, const char *sql,
                               size_t length, guard_wait_fn *wait, void *waiter, sqlthrottle_decision_t *decision) {
    sqlthrottle_statement_t statement = {
        .size = sizeof statement,
        .sql = {sql, length},
        .context = context,
        .dialect = guard->dialect,
        /* The answer to a client says how many rows there were and how many were affected, and nothing else. An empty one
         * is as true of a read as of a write. */
        .fakes = SQLTHROTTLE_FAKES_ROWS | SQLTHROTTLE_FAKES_COUNT,
    };
    memset(decision, 0, sizeof *decision);
    decision->size = sizeof *decision;
    sqlthrottle_status_t status = sqlthrottle_check_statement(guard->engine, &statement, decision);
    while (status == SQLTHROTTLE_OK && decision->verdict == SQLTHROTTLE_DELAY) {
        if (!wait(waiter, decision->delay_ns)) {
            /* Another may wait in its place: forgotten, it would hold that until it lapses. */
            (void)sqlthrottle_give_up(guard->engine, decision->ticket);
            return GUARD_GIVE_UP;
        }
        status = sqlthrottle_resume(guard->engine, decision->ticket, 0, decision);
    }
    if (status != SQLTHROTTLE_OK) {
        /* The guard must not be what stops the service. Faults within the library are not here: they are answered with a
         * decision, as `on_error` of the rules says. */
        guard_complain("a statement could not be checked");
        decision->permit = 0;
        return GUARD_SEND;
    }
    switch (decision->verdict) {
    case SQLTHROTTLE_ALLOW:
        return GUARD_SEND;
    case SQLTHROTTLE_IGNORE:
        return GUARD_FAKE;
    default:
        return GUARD_REFUSE;
    }
}

void guard_after(const struct guard *guard, const sqlthrottle_decision_t *decision, uint64_t duration_ns) {
    /* Not an error where there was nothing to give back, or its lease has lapsed. */
    (void)sqlthrottle_release(guard->engine, decision->permit);
    /* A statement that was not read, such as COMMIT, has no fingerprint to note anything of. */
    if (decision->fingerprint.length > 0) {
        (void)sqlthrottle_record_duration(guard->engine, &decision->fingerprint, duration_ns);
    }
}
