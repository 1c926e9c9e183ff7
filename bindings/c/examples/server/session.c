#include "session.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "who.h"
#include "wire.h"

struct session {
    const struct session_service *service;
    struct wire wire;
    struct who who;
    /* For what another thread looks at: the two below. */
    pthread_mutex_t lock;
    void *connection;
    bool stopping;
};

struct session *session_new(const struct session_service *service, int socket, const struct sockaddr_in *client) {
    struct session *session = malloc(sizeof *session);
    if (session == NULL || pthread_mutex_init(&session->lock, NULL) != 0) {
        free(session);
        close(socket);
        return NULL;
    }
    session->service = service;
    session->connection = NULL;
    session->stopping = false;
    wire_open(&session->wire, socket);
    who_init(&session->who, client, service->url->user, service->url->database);
    return session;
}

void session_free(struct session *session) {
    wire_close(&session->wire);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

void session_stop(struct session *session) {
    pthread_mutex_lock(&session->lock);
    session->stopping = true;
    pthread_mutex_unlock(&session->lock);
    /* Wakes the thread where it reads or waits; an answer can still be sent. */
    shutdown(session->wire.socket, SHUT_RD);
}

void session_cancel(struct session *session) {
    pthread_mutex_lock(&session->lock);
    if (session->connection != NULL) {
        session->service->driver->cancel(session->connection);
    }
    pthread_mutex_unlock(&session->lock);
}

void session_cut(struct session *session) {
    shutdown(session->wire.socket, SHUT_RDWR);
}

static bool is_stopping(struct session *session) {
    pthread_mutex_lock(&session->lock);
    bool stopping = session->stopping;
    pthread_mutex_unlock(&session->lock);
    return stopping;
}

static void set_connection(struct session *session, void *connection) {
    pthread_mutex_lock(&session->lock);
    session->connection = connection;
    pthread_mutex_unlock(&session->lock);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool send_row(void *to, const struct db_value *values, size_t count) {
    return wire_row(to, values, count);
}

static bool wait_for(void *waiter, uint64_t nanoseconds) {
    return wire_wait(waiter, nanoseconds);
}

/* Runs a statement that may be sent. `decision` is what allowed it, NULL where nothing was asked. */
static void run(struct session *session, const char *sql, size_t length, const sqlthrottle_decision_t *decision) {
    struct db_result result = {0, 0};
    struct db_error error;
    uint64_t started = now_ns();
    bool done = session->service->driver->run(session->connection, sql, length, send_row, &session->wire, &result, &error);
    if (decision != NULL) {
        /* Whether it has failed or not, and before the client hears of it, who may send the next one at once. */
        guard_after(session->service->guard, decision, now_ns() - started);
    }
    if (done) {
        wire_ok(&session->wire, result.rows, result.affected);
    } else {
        wire_error(&session->wire, error.sqlstate, error.message);
    }
}

static void serve_statement(struct session *session, const char *sql, size_t length) {
    const struct guard *guard = session->service->guard;
    if (guard == NULL) {
        run(session, sql, length, NULL);
        return;
    }
    sqlthrottle_decision_t decision;
    switch (guard_before(guard, &session->who.context, sql, length, wait_for, &session->wire, &decision)) {
    case GUARD_SEND:
        run(session, sql, length, &decision);
        break;
    case GUARD_FAKE:
        wire_ok(&session->wire, 0, 0);
        break;
    case GUARD_REFUSE:
        wire_refusal(&session->wire, decision.rule, sqlthrottle_reason_name(decision.reason), decision.retry_after_ns);
        break;
    case GUARD_GIVE_UP:
        if (is_stopping(session)) {
            wire_error(&session->wire, "57P01", "the server is shutting down");
        } else {
            /* For a client that sends no more, but still reads: for one that has gone it looks the same. */
            wire_error(&session->wire, "57014", "the statement was not sent: it had to wait, and the client ended what it sends");
        }
        break;
    }
}

/* Writes a text of the library's, a row for each of its lines. */
static void serve_report(struct session *session, sqlthrottle_status_t status, char *text, size_t length) {
    if (status != SQLTHROTTLE_OK) {
        wire_error(&session->wire, "XX000", "the report failed");
        return;
    }
    uint64_t rows = 0;
    const char *end = text + length;
    for (const char *line = text; line < end; rows++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *line_end = newline == NULL ? end : newline;
        struct db_value value = {line, (size_t)(line_end - line)};
        wire_row(&session->wire, &value, 1);
        line = newline == NULL ? end : newline + 1;
    }
    sqlthrottle_string_free(text);
    wire_ok(&session->wire, rows, 0);
}

/* `\tag NAME VALUE`: what follows up to the end of the line is the value. */
static void serve_tag(struct session *session, char *name) {
    char *space = strchr(name, ' ');
    if (space != NULL) {
        *space = '\0';
    }
    if (space != NULL && who_tag(&session->who, name, space + 1)) {
        wire_ok(&session->wire, 0, 0);
    } else {
        wire_error(&session->wire, "22023", "no such tag: \\tag NAME VALUE, of limited length and number");
    }
}

static void serve_command(struct session *session, char *command) {
    static const char tag[] = "\\tag ";
    const struct guard *guard = session->service->guard;
    char *text = NULL;
    size_t length = 0;
    if (strncmp(command, tag, sizeof tag - 1) == 0) {
        serve_tag(session, command + sizeof tag - 1);
    } else if (guard != NULL && strcmp(command, "\\metrics") == 0) {
        sqlthrottle_status_t status = sqlthrottle_metrics(guard->engine, &text, &length);
        serve_report(session, status, text, length);
    } else if (guard != NULL && strcmp(command, "\\snapshot") == 0) {
        sqlthrottle_status_t status = sqlthrottle_snapshot(guard->engine, &text, &length);
        serve_report(session, status, text, length);
    } else {
        wire_error(&session->wire, "42601", "commands are \\tag NAME VALUE, and with rules \\metrics and \\snapshot");
    }
}

/* Serves one line. Returns false where there is none any more. */
static bool serve_line(struct session *session) {
    char *line;
    size_t length;
    switch (wire_read_line(&session->wire, &line, &length)) {
    case WIRE_END:
        return false;
    case WIRE_TOO_LONG:
        wire_error(&session->wire, "54000", "the line is too long");
        return !session->wire.broken;
    case WIRE_LINE:
        break;
    }
    if (is_stopping(session)) {
        wire_error(&session->wire, "57P01", "the server is shutting down");
        return false;
    }
    if (line[0] == '\\') {
        serve_command(session, line);
    } else if (memchr(line, '\0', length) != NULL) {
        /* What is behind it would be checked, but not sent. */
        wire_error(&session->wire, "22021", "the statement has a NUL in it");
    } else {
        serve_statement(session, line, length);
    }
    return !session->wire.broken;
}

void session_serve(struct session *session) {
    const struct db_driver *driver = session->service->driver;
    struct db_error error;
    void *connection = driver->open(session->service->url, &error);
    if (connection == NULL) {
        wire_error(&session->wire, error.sqlstate, error.message);
        return;
    }
    set_connection(session, connection);
    while (serve_line(session)) {
    }
    set_connection(session, NULL);
    driver->close(connection);
}
