/* For POLLRDHUP, which tells that a client has gone although something it sent before is not yet read. */
#define _GNU_SOURCE

#include "wire.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifndef POLLRDHUP
#define POLLRDHUP POLLHUP
#endif

/* A client that does not take its rows for so long has gone: it must not hold a permit for ever. */
static const struct timeval send_timeout = {.tv_sec = 30};

void wire_open(struct wire *wire, int socket) {
    wire->socket = socket;
    wire->begin = 0;
    wire->end = 0;
    wire->used = 0;
    /* Without the time-out a slow client is only waited for longer. */
    wire->broken = setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &send_timeout, sizeof send_timeout) != 0;
}

void wire_close(struct wire *wire) {
    close(wire->socket);
}

/* Receives more behind what is there. Returns false at the end. */
static bool receive(struct wire *wire) {
    if (wire->begin > 0) {
        memmove(wire->in, wire->in + wire->begin, wire->end - wire->begin);
        wire->end -= wire->begin;
        wire->begin = 0;
    }
    ssize_t got;
    do {
        got = recv(wire->socket, wire->in + wire->end, sizeof wire->in - wire->end, 0);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
        return false;
    }
    wire->end += (size_t)got;
    return true;
}

enum wire_read wire_read_line(struct wire *wire, char **line, size_t *length) {
    size_t searched = 0;
    bool too_long = false;
    for (;;) {
        char *from = wire->in + wire->begin;
        size_t available = wire->end - wire->begin;
        char *newline = memchr(from + searched, '\n', available - searched);
        if (newline != NULL) {
            wire->begin += (size_t)(newline - from) + 1;
            if (too_long) {
                return WIRE_TOO_LONG;
            }
            if (newline > from && newline[-1] == '\r') {
                newline--;
            }
            *newline = '\0';
            *line = from;
            *length = (size_t)(newline - from);
            return WIRE_LINE;
        }
        searched = available;
        if (available == sizeof wire->in) {
            /* Forgets what it cannot hold, and goes on to the end of the line: what follows is another one. */
            too_long = true;
            wire->end = wire->begin;
            searched = 0;
        }
        if (!receive(wire)) {
            return WIRE_END;
        }
    }
}

static void flush(struct wire *wire) {
    size_t sent = 0;
    while (!wire->broken && sent < wire->used) {
        /* Without a signal where the client has gone. */
        ssize_t some = send(wire->socket, wire->out + sent, wire->used - sent, MSG_NOSIGNAL);
        if (some >= 0) {
            sent += (size_t)some;
        } else if (errno != EINTR) {
            wire->broken = true;
        }
    }
    wire->used = 0;
}

static void put(struct wire *wire, const char *bytes, size_t length) {
    while (length > 0) {
        if (wire->used == sizeof wire->out) {
            flush(wire);
        }
        size_t room = sizeof wire->out - wire->used;
        size_t some = length < room ? length : room;
        memcpy(wire->out + wire->used, bytes, some);
        wire->used += some;
        bytes += some;
        length -= some;
    }
}

static void put_text(struct wire *wire, const char *text) {
    put(wire, text, strlen(text));
}

static const char *escape_of(char byte) {
    switch (byte) {
    case '\t':
        return "\\t";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\\':
        return "\\\\";
    default:
        return NULL;
    }
}

/* Writes a tab and a field. */
static void put_field(struct wire *wire, const char *data, size_t length) {
    put(wire, "\t", 1);
    size_t written = 0;
    for (size_t i = 0; i < length; i++) {
        const char *escape = escape_of(data[i]);
        if (escape != NULL) {
            put(wire, data + written, i - written);
            put_text(wire, escape);
            written = i + 1;
        }
    }
    put(wire, data + written, length - written);
}

static void put_field_text(struct wire *wire, const char *text) {
    put_field(wire, text, strlen(text));
}

static void put_field_number(struct wire *wire, const char *name, uint64_t number) {
    char text[48];
    snprintf(text, sizeof text, "%s%" PRIu64, name, number);
    put_field_text(wire, text);
}

bool wire_row(struct wire *wire, const struct db_value *values, size_t count) {
    put_text(wire, "ROW");
    for (size_t i = 0; i < count; i++) {
        if (values[i].data == NULL) {
            put_text(wire, "\t\\N");
        } else {
            put_field(wire, values[i].data, values[i].length);
        }
    }
    put(wire, "\n", 1);
    return !wire->broken;
}

void wire_ok(struct wire *wire, uint64_t rows, uint64_t affected) {
    put_text(wire, "OK");
    put_field_number(wire, "rows=", rows);
    put_field_number(wire, "affected=", affected);
    put(wire, "\n", 1);
    flush(wire);
}

void wire_error(struct wire *wire, const char *sqlstate, const char *message) {
    put_text(wire, "ERROR");
    put_field_text(wire, sqlstate);
    put_field_text(wire, message);
    put(wire, "\n", 1);
    flush(wire);
}

void wire_refusal(struct wire *wire, const char *rule, const char *reason, uint64_t retry_after_ns) {
    put_text(wire, "ERROR\t53400\tthe statement was not sent: a rule does not allow it now");
    put_field_text(wire, rule);
    put_field_text(wire, reason);
    /* Rounded up: who comes back a moment too early is refused again. */
    put_field_number(wire, "", retry_after_ns / 1000000 + (retry_after_ns % 1000000 != 0));
    put(wire, "\n", 1);
    flush(wire);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool wire_wait(struct wire *wire, uint64_t nanoseconds) {
    uint64_t started = now_ns();
    struct pollfd client = {.fd = wire->socket, .events = POLLRDHUP};
    for (;;) {
        uint64_t waited = now_ns() - started;
        if (waited >= nanoseconds) {
            return true;
        }
        uint64_t left_ms = (nanoseconds - waited + 999999) / 1000000;
        int ready = poll(&client, 1, left_ms > INT_MAX ? INT_MAX : (int)left_ms);
        if (ready > 0 || (ready < 0 && errno != EINTR)) {
            return false;
        }
    }
}
