/*
 * Calls every function of the header as a program does that is careful, and as one that is not. `make c-memory` runs it under valgrind,
 * which fails it for a byte that is read or written where none may be, is read before it was written, or is never freed.
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlthrottle.h"

#define THREADS 4
#define CHECKS 200

/* Ends the program where a call returns something other than expected. */
#define EXPECT(expected, call) expect((expected), (call), #call, __LINE__)

static void expect(sqlthrottle_status_t expected, sqlthrottle_status_t status, const char *call, int line) {
    char message[512] = "";
    if (status == expected) {
        return;
    }
    sqlthrottle_last_error_message(message, sizeof message, NULL);
    fprintf(stderr, "line %d: %s returned %d, not %d: %s\n", line, call, (int)status, (int)expected, message);
    exit(1);
}

static void require(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        exit(1);
    }
}

/* Memory of exactly that length, so that a byte beyond it is seen. */
static char *exact_copy(const char *text, size_t length) {
    char *copy = malloc(length == 0 ? 1 : length);
    require(copy != NULL, "there is memory");
    memcpy(copy, text, length);
    return copy;
}

static sqlthrottle_engine_t *open_engine(const char *rules, const sqlthrottle_options_t *options) {
    sqlthrottle_engine_t *engine = NULL;
    char *copy = exact_copy(rules, strlen(rules));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_engine_from_rules(copy, strlen(rules), options, &engine));
    free(copy);
    return engine;
}

/* A decision in memory of exactly its size, which is not set but for that. */
static sqlthrottle_decision_t *new_decision(void) {
    sqlthrottle_decision_t *decision = malloc(sizeof *decision);
    require(decision != NULL, "there is memory");
    decision->size = sizeof *decision;
    return decision;
}

/* Looks at every field: one that was not set is seen where something depends on it. */
static void look_at(const sqlthrottle_decision_t *decision) {
    uint64_t sum = (uint64_t)decision->verdict + decision->reason + decision->observed + decision->overflow;
    uint32_t i;
    sum += decision->count + decision->limit + decision->retry_after_ns + decision->delay_ns;
    sum += decision->ticket + decision->permit + (decision->refill != NULL) + decision->fingerprint.length;
    sum += strlen(decision->rule) + strlen(decision->custom);
    for (i = 0; i < sizeof decision->fingerprint.bytes; i++) {
        sum += decision->fingerprint.bytes[i];
    }
    require(sum != 0, "a decision says something");
    require(strcmp(sqlthrottle_verdict_name(decision->verdict), "unknown") != 0, "the verdict has a name");
    require(strcmp(sqlthrottle_reason_name(decision->reason), "unknown") != 0, "the reason has a name");
}

static const char rules[] =
    "rules:\n"
    "  - {name: held, match: {tables: [held]}, limit: {concurrency: {max: 2}}}\n"
    "  - name: delayed\n"
    "    match: {tables: [delayed]}\n"
    "    limit: {sliding_window: {max: 1, window: 1h}}\n"
    "    then: {strategy: delay, delay: 1s}\n";

static void check_statements(sqlthrottle_engine_t *engine, sqlthrottle_clock_t *clock) {
    sqlthrottle_tag_t tag = {{"endpoint", 8}, {"/report", 7}};
    sqlthrottle_text_t parameters[10] = {{"7", 1}, {NULL, 0}};
    sqlthrottle_context_t context = {0};
    sqlthrottle_statement_t statement = {0};
    sqlthrottle_prepared_t *prepared = NULL;
    sqlthrottle_decision_t *decision = new_decision();
    char *sql = exact_copy("select * from held", 18);
    uint64_t permit;

    EXPECT(SQLTHROTTLE_OK, sqlthrottle_check(engine, sql, 18, decision));
    look_at(decision);
    permit = decision->permit;
    require(permit != 0, "there is a permit");

    context.size = sizeof context;
    context.user.data = "dev";
    context.user.length = 3;
    context.tags = &tag;
    context.tags_length = 1;
    statement.size = sizeof statement;
    statement.sql.data = sql;
    statement.sql.length = 18;
    statement.context = &context;
    statement.parameters = parameters;
    statement.parameters_length = 10;
    statement.dialect = SQLTHROTTLE_DIALECT_POSTGRESQL;
    statement.fakes = SQLTHROTTLE_FAKES_ROWS;
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_check_statement(engine, &statement, decision));
    look_at(decision);
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_release(engine, decision->permit));

    EXPECT(SQLTHROTTLE_OK, sqlthrottle_prepare(engine, &statement, &prepared));
    /* Nothing of the statement is needed any more. */
    memset(sql, 'x', 18);
    free(sql);
    memset(&context, 0, sizeof context);
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_check_prepared(prepared, 1, decision));
    look_at(decision);
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_release(engine, decision->permit));
    EXPECT(SQLTHROTTLE_NOTHING, sqlthrottle_release(engine, decision->permit));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_release(engine, permit));
    EXPECT(SQLTHROTTLE_ERROR_NULL, sqlthrottle_check_prepared_refilled(prepared, 1, NULL, decision));
    sqlthrottle_prepared_free(prepared);
    EXPECT(SQLTHROTTLE_ERROR_FREED, sqlthrottle_check_prepared(prepared, 1, decision));
    sqlthrottle_prepared_free(prepared);

    EXPECT(SQLTHROTTLE_OK, sqlthrottle_check_request(engine, NULL, SQLTHROTTLE_NO_REFILL, decision));
    look_at(decision);
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_check(engine, "delete from delayed", 19, decision));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_check(engine, "delete from delayed", 19, decision));
    require(decision->verdict == SQLTHROTTLE_DELAY, "the second one waits");
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_clock_advance(clock, decision->delay_ns));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_resume(engine, decision->ticket, 0, decision));
    look_at(decision);
    require(decision->verdict == SQLTHROTTLE_ALLOW, "the wait is over");

    EXPECT(SQLTHROTTLE_ERROR_NULL, sqlthrottle_refill(engine, NULL));
    EXPECT(SQLTHROTTLE_ERROR_NULL, sqlthrottle_check_refilled(engine, &statement, NULL, decision));
    EXPECT(SQLTHROTTLE_ERROR_NULL, sqlthrottle_check_request_refilled(engine, NULL, NULL, decision));
    EXPECT(SQLTHROTTLE_ERROR_NULL, sqlthrottle_resume_refilled(engine, 1, NULL, decision));
    sqlthrottle_refill_free(NULL);
    free(decision);
}

/* A size that is wrong is an error before anything else is looked at. */
static void pass_wrong_sizes(sqlthrottle_engine_t *engine) {
    static const size_t sizes[] = {0, 1, sizeof(sqlthrottle_decision_t) - 1, (size_t)-1};
    size_t *only_size = malloc(sizeof *only_size);
    size_t i;
    require(only_size != NULL, "there is memory");
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *only_size = sizes[i];
        EXPECT(SQLTHROTTLE_ERROR_SIZE, sqlthrottle_check(engine, "x", 1, (sqlthrottle_decision_t *)(void *)only_size));
    }
    free(only_size);
}

static void read_texts(sqlthrottle_engine_t *engine) {
    static const char sql[] = "select * from held";
    sqlthrottle_decision_t *decision = new_decision();
    size_t needed = 0;
    size_t length = 0;
    char *buffer;
    char *text = NULL;

    EXPECT(SQLTHROTTLE_ERROR_BUFFER, sqlthrottle_normalize(engine, sql, strlen(sql), 0, NULL, 0, &needed));
    buffer = malloc(needed);
    require(buffer != NULL, "there is memory");
    EXPECT(SQLTHROTTLE_ERROR_BUFFER, sqlthrottle_normalize(engine, sql, strlen(sql), 0, buffer, needed - 1, &needed));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_normalize(engine, sql, strlen(sql), 0, buffer, needed, &needed));
    require(strcmp(buffer, sql) == 0, "it is normalised already");
    free(buffer);

    EXPECT(SQLTHROTTLE_ERROR_BUFFER, sqlthrottle_fingerprint(NULL, sql, strlen(sql), 0, NULL, 0, &needed));
    buffer = malloc(needed);
    require(buffer != NULL, "there is memory");
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_fingerprint(NULL, sql, strlen(sql), 0, buffer, needed, NULL));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_check(engine, sql, strlen(sql), decision));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_release(engine, decision->permit));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_fingerprint_text(&decision->fingerprint, buffer, needed, NULL));
    require(strlen(buffer) == needed - 1, "there is a fingerprint");
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_rule_name(engine, 0, buffer, needed, NULL));
    require(strcmp(buffer, "held") == 0, "the first rule");
    EXPECT(SQLTHROTTLE_ERROR_UNKNOWN, sqlthrottle_rule_name(engine, 99, buffer, needed, NULL));
    free(buffer);

    EXPECT(SQLTHROTTLE_OK, sqlthrottle_record_duration(engine, &decision->fingerprint, 1000));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_snapshot(engine, &text, &length));
    require(strlen(text) == length, "the length of a text");
    sqlthrottle_string_free(text);
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_metrics(engine, &text, NULL));
    sqlthrottle_string_free(text);
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_top(engine, 10, &text, &length));
    sqlthrottle_string_free(text);
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_admin(engine, "show global sql_throttle_rules", 30, &text, &length));
    sqlthrottle_string_free(text);
    EXPECT(SQLTHROTTLE_ERROR_REFUSED, sqlthrottle_admin(engine, "drop table t", 12, &text, &length));
    sqlthrottle_string_free(NULL);
    free(decision);
}

static void give_thresholds(sqlthrottle_clock_t *clock) {
    sqlthrottle_options_t options = {0};
    sqlthrottle_threshold_t threshold = {0};
    sqlthrottle_decision_t *decision = new_decision();
    sqlthrottle_fingerprint_t *due = malloc(2 * sizeof *due);
    sqlthrottle_engine_t *engine;
    size_t count = 0;

    require(due != NULL, "there is memory");
    options.size = sizeof options;
    options.clock = clock;
    options.asks_provider = 1;
    engine = open_engine("", &options);
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_check(engine, "select 1", 8, decision));
    require(decision->verdict == SQLTHROTTLE_THRESHOLD_NEEDED, "the provider is to be asked");
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_threshold_failed(engine, &decision->fingerprint));
    threshold.size = sizeof threshold;
    threshold.max_count = 1;
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_set_threshold(engine, &decision->fingerprint, &threshold, 1));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_clock_advance(clock, 2));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_thresholds_due(engine, due, 2, &count));
    require(count == 1 && memcmp(due, &decision->fingerprint, sizeof *due) == 0, "one is due");
    sqlthrottle_engine_free(engine);
    free(due);
    free(decision);
}

static void fail(sqlthrottle_engine_t *engine) {
    static const char faulty[] = "mode: sideways\nrules: [{limit: {concurrency: {max: 0}}}]";
    size_t needed = 0;
    size_t i;
    uint64_t version = 0;

    EXPECT(SQLTHROTTLE_ERROR_REFUSED, sqlthrottle_reload(engine, faulty, strlen(faulty), &version));
    require(sqlthrottle_last_error_count() > 1, "all faults at once");
    for (i = 0; i < sqlthrottle_last_error_count(); i++) {
        char *code;
        EXPECT(SQLTHROTTLE_ERROR_BUFFER, sqlthrottle_last_error_code(i, NULL, 0, &needed));
        code = malloc(needed);
        require(code != NULL, "there is memory");
        EXPECT(SQLTHROTTLE_OK, sqlthrottle_last_error_code(i, code, needed, NULL));
        free(code);
    }
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_reload(engine, rules, strlen(rules), &version));
    require(version == 2, "the second set of rules");
    EXPECT(SQLTHROTTLE_NOTHING, sqlthrottle_refresh(engine, &version));
    EXPECT(SQLTHROTTLE_ERROR_REFUSED, sqlthrottle_engine_open("/nowhere", 8, NULL, &engine));
}

static void count_events(sqlthrottle_clock_t *clock) {
    sqlthrottle_window_t *window = NULL;
    uint64_t count = 0;
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_window_new(1000000000, 10, clock, &window));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_window_record(window, &count));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_window_count(window, &count));
    require(count == 1, "one event");
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_window_reset(window));
    sqlthrottle_window_free(window);
    EXPECT(SQLTHROTTLE_ERROR_FREED, sqlthrottle_window_count(window, &count));
    sqlthrottle_window_free(window);
}

/* Each thread fails once, too: its last error is to be freed with it. */
static void *check_in_thread(void *own) {
    sqlthrottle_engine_t *engine = own;
    sqlthrottle_decision_t *decision = new_decision();
    char sql[32];
    int i;
    for (i = 0; i < CHECKS; i++) {
        int length = snprintf(sql, sizeof sql, "select c%d from held", i % 50);
        EXPECT(SQLTHROTTLE_OK, sqlthrottle_check(engine, sql, (size_t)length, decision));
        if (decision->permit != 0) {
            EXPECT(SQLTHROTTLE_OK, sqlthrottle_release(engine, decision->permit));
        }
    }
    EXPECT(SQLTHROTTLE_ERROR_NULL, sqlthrottle_check(engine, NULL, 1, decision));
    sqlthrottle_engine_free(engine);
    free(decision);
    return NULL;
}

static void check_in_threads(const sqlthrottle_engine_t *engine) {
    pthread_t threads[THREADS];
    int i;
    for (i = 0; i < THREADS; i++) {
        sqlthrottle_engine_t *own = NULL;
        EXPECT(SQLTHROTTLE_OK, sqlthrottle_engine_clone(engine, &own));
        require(pthread_create(&threads[i], NULL, check_in_thread, own) == 0, "a thread starts");
    }
    for (i = 0; i < THREADS; i++) {
        require(pthread_join(threads[i], NULL) == 0, "a thread ends");
    }
}

int main(void) {
    sqlthrottle_options_t options = {0};
    sqlthrottle_clock_t *clock = NULL;
    sqlthrottle_engine_t *engine;

    require(sqlthrottle_abi_version() == SQLTHROTTLE_ABI_VERSION, "the library is that of the header");
    require(strlen(sqlthrottle_version()) > 0, "it has a version");
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_clock_new(&clock));
    EXPECT(SQLTHROTTLE_OK, sqlthrottle_clock_set_wall(clock, 1000000000));
    options.size = sizeof options;
    options.clock = clock;
    engine = open_engine(rules, &options);

    check_statements(engine, clock);
    pass_wrong_sizes(engine);
    read_texts(engine);
    give_thresholds(clock);
    fail(engine);
    count_events(clock);
    check_in_threads(engine);

    EXPECT(SQLTHROTTLE_OK, sqlthrottle_after_fork(engine));
    sqlthrottle_clock_free(clock);
    EXPECT(SQLTHROTTLE_ERROR_FREED, sqlthrottle_clock_advance(clock, 1));
    sqlthrottle_engine_free(engine);
    EXPECT(SQLTHROTTLE_ERROR_FREED, sqlthrottle_give_up(engine, 1));
    EXPECT(SQLTHROTTLE_ERROR_FREED, sqlthrottle_release(engine, 1));
    sqlthrottle_engine_free(engine);
    return 0;
}
