/*
 * What the server needs of a database, once for PostgreSQL (db_postgresql.c) and once for MariaDB and MySQL (db_mariadb.c).
 *
 * A connection belongs to one thread; cancel() alone may be called from another one meanwhile.
 */

#ifndef DB_H
#define DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db_url.h"

/* Why something failed. */
struct db_error {
    char sqlstate[6];
    char message[512];
};

/* A value of a row: `data` NULL is SQL's NULL. */
struct db_value {
    const char *data;
    size_t length;
};

/* What a statement came to. */
struct db_result {
    uint64_t rows;
    uint64_t affected;
};

/* Takes a row, whose values last until it returns. Returns false where no more rows are wanted. */
typedef bool db_row_fn(void *to, const struct db_value *values, size_t count);

struct db_driver {
    /* What URLs of it begin with. */
    const char *scheme;
    /* Where its servers usually listen. */
    const char *default_port;
    /* Of sqlthrottle_dialect_t. */
    uint32_t dialect;

    /* Makes the library behind it ready for threads: once, before there are any. */
    bool (*start)(struct db_error *error);

    /* Connects. Returns a connection for close(), or NULL. */
    void *(*open)(const struct db_url *url, struct db_error *error);

    /* Runs a statement, `sql[length]` being NUL, and hands over its rows one by one as they come in. */
    bool (*run)(void *connection, const char *sql, size_t length, db_row_fn *row, void *to, struct db_result *result,
                struct db_error *error);

    /* Asks the server to end what the connection runs, if it does. */
    void (*cancel)(void *connection);

    void (*close)(void *connection);
};

extern const struct db_driver db_postgresql;
extern const struct db_driver db_mariadb;

/* The driver of a URL, or NULL. */
const struct db_driver *db_driver_of(const struct db_url *url);

/* Writes an error, with the first line of a message, cut to what there is room for. */
void db_error_set(struct db_error *error, const char *sqlstate, const char *message);

#endif
