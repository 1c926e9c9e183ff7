/* Where the server asks sqlthrottle: the part to copy into a service of your own. */

#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlthrottle.h>

struct guard {
    sqlthrottle_engine_t *engine;
    /* Of sqlthrottle_dialect_t: that of the database. */
    uint32_t dialect;
};

/* What is to become of a statement. */
enum guard_answer {
    /* Send it, and call guard_after() when it has ended. */
    GUARD_SEND,
    /* Report that it had no rows and affected none. */
    GUARD_FAKE,
    /* Report the refusal. */
    GUARD_REFUSE,
    /* Report nothing: while it had to wait, the client went. */
    GUARD_GIVE_UP,
};

/* Waits so many nanoseconds. Returns false where it was interrupted. */
typedef bool guard_wait_fn(void *waiter, uint64_t nanoseconds);

/* Opens the rules. Where they have faults it says which on standard error, and returns false. */
bool guard_open(struct guard *guard, const char *path, uint32_t dialect);

/* Asks what is to become of a statement, and waits as often as the answer is to wait. Writes the last decision. */
enum guard_answer guard_before(const struct guard *guard, const sqlthrottle_context_t *context, const char *sql,
                               size_t length, guard_wait_fn *wait, void *waiter, sqlthrottle_decision_t *decision);

/* Gives back what a statement held that was sent, and notes how long it ran. */
void guard_after(const struct guard *guard, const sqlthrottle_decision_t *decision, uint64_t duration_ns);

/* Reads the rules again if their file has changed, and says on standard error what came of it. */
void guard_reload(const struct guard *guard);

void guard_close(struct guard *guard);

/* Says on standard error that something of the library failed, and why. */
void guard_complain(const char *what);

#endif
