/*
 * The line protocol, and the socket of one client.
 *
 * A client sends one SQL statement a line, or a command: a line that begins with a backslash. For each it gets any number of
 * lines with rows, and one that says what became of it:
 *
 *     ROW     VALUE...
 *     OK      rows=N  affected=N
 *     ERROR   SQLSTATE  MESSAGE  [RULE  REASON  RETRY_AFTER_MS]
 *
 * Fields are separated by tabs. In a field \t, \n and \r stand for tab, new line and carriage return, \\ for a backslash, and \N
 * alone for NULL.
 */

#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db.h"

/* Longest line that a client may send, in bytes. */
#define WIRE_LINE_SIZE 65536

struct wire {
    int socket;
    /* What was received: bytes from `begin` to `end` are not yet read. */
    char in[WIRE_LINE_SIZE + 1];
    size_t begin;
    size_t end;
    /* What is not yet sent. */
    char out[16384];
    size_t used;
    /* Nothing more can be sent: the client has gone, or takes nothing. */
    bool broken;
};

enum wire_read {
    WIRE_LINE,
    /* The client has gone, or reading was ended by shutdown(). */
    WIRE_END,
    /* It was read, and is forgotten. */
    WIRE_TOO_LONG,
};

/* Takes over a connected socket. */
void wire_open(struct wire *wire, int socket);

/* Reads a line: `(*line)[length]` is NUL in place of the end of the line. It lasts until the next call. */
enum wire_read wire_read_line(struct wire *wire, char **line, size_t *length);

/* Write the lines of an answer; the last one, OK or ERROR, sends them. */
bool wire_row(struct wire *wire, const struct db_value *values, size_t count);
void wire_ok(struct wire *wire, uint64_t rows, uint64_t affected);
void wire_error(struct wire *wire, const char *sqlstate, const char *message);
void wire_refusal(struct wire *wire, const char *rule, const char *reason, uint64_t retry_after_ns);

/* Waits. Returns false before the time is over where the client goes or shutdown() ends reading. */
bool wire_wait(struct wire *wire, uint64_t nanoseconds);

void wire_close(struct wire *wire);

#endif
