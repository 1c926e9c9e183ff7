#include "db.h"

#include <mysql.h>
#include <sqlthrottle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What MariaDB allows a row to have. */
#define MOST_COLUMNS 4096

struct mariadb {
    MYSQL *connection;
    unsigned long id;
    /* For cancel(), which needs a connection of its own. */
    const struct db_url *url;
    struct db_value values[MOST_COLUMNS];
};

static bool maria_start(struct db_error *error) {
    if (mysql_library_init(0, NULL, NULL) != 0) {
        db_error_set(error, "08001", "the client library cannot start");
        return false;
    }
    return true;
}

static void take_error(MYSQL *connection, struct db_error *error) {
    db_error_set(error, mysql_sqlstate(connection), mysql_error(connection));
}

/* A new connection, or NULL. */
static MYSQL *connect_to(const struct db_url *url, struct db_error *error) {
    MYSQL *connection = mysql_init(NULL);
    if (connection == NULL) {
        db_error_set(error, "53200", "out of memory");
        return NULL;
    }
    unsigned timeout_seconds = 10;
    /* A server may ask for a file of this machine's, unless it is told that it gets none. */
    unsigned local_infile = 0;
    mysql_options(connection, MYSQL_OPT_CONNECT_TIMEOUT, &timeout_seconds);
    mysql_options(connection, MYSQL_OPT_LOCAL_INFILE, &local_infile);
    mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    unsigned port = (unsigned)strtoul(url->port, NULL, 10);
    if (mysql_real_connect(connection, url->host, url->user, url->password, url->database, port, NULL, 0) == NULL) {
        take_error(connection, error);
        mysql_close(connection);
        return NULL;
    }
    return connection;
}

static void *maria_open(const struct db_url *url, struct db_error *error) {
    struct mariadb *db = calloc(1, sizeof *db);
    if (db == NULL) {
        db_error_set(error, "53200", "out of memory");
        return NULL;
    }
    db->url = url;
    db->connection = connect_to(url, error);
    if (db->connection == NULL) {
        free(db);
        return NULL;
    }
    db->id = mysql_thread_id(db->connection);
    return db;
}

static void maria_cancel(void *connection) {
    const struct mariadb *db = connection;
    struct db_error error;
    MYSQL *other = connect_to(db->url, &error);
    /* Where it fails, the statement ends by itself, or the caller tries again. */
    if (other != NULL) {
        char kill[64];
        int length = snprintf(kill, sizeof kill, "KILL QUERY %lu", db->id);
        (void)mysql_real_query(other, kill, (unsigned long)length);
        mysql_close(other);
    }
}

/* Hands over the rows of one result, and frees it. Returns false where a row was not wanted. */
static bool take_rows(struct mariadb *db, MYSQL_RES *rows, db_row_fn *row, void *to, struct db_result *result) {
    unsigned columns = mysql_num_fields(rows);
    bool wanted = columns <= MOST_COLUMNS;
    MYSQL_ROW next;
    while (wanted && (next = mysql_fetch_row(rows)) != NULL) {
        const unsigned long *lengths = mysql_fetch_lengths(rows);
        for (unsigned i = 0; i < columns; i++) {
            db->values[i].data = next[i];
            db->values[i].length = next[i] == NULL ? 0 : lengths[i];
        }
        result->rows++;
        wanted = row(to, db->values, columns);
    }
    if (!wanted) {
        maria_cancel(db);
    }
    /* Reads what is left, or the connection would not take another statement. */
    mysql_free_result(rows);
    return wanted;
}

static bool discard_row(void *to, const struct db_value *values, size_t count) {
    (void)to;
    (void)values;
    (void)count;
    return true;
}

static bool maria_run(void *connection, const char *sql, size_t length, db_row_fn *row, void *to,
                        struct db_result *result, struct db_error *error) {
    struct mariadb *db = connection;
    int next = mysql_real_query(db->connection, sql, (unsigned long)length);
    /* A procedure has several results. */
    while (next == 0) {
        MYSQL_RES *rows = mysql_use_result(db->connection);
        if (rows != NULL) {
            if (!take_rows(db, rows, row, to, result)) {
                row = discard_row;
            }
        } else if (mysql_field_count(db->connection) == 0) {
            result->affected += mysql_affected_rows(db->connection);
        }
        if (mysql_errno(db->connection) != 0) {
            break;
        }
        next = mysql_next_result(db->connection);
    }
    if (mysql_errno(db->connection) != 0) {
        take_error(db->connection, error);
        return false;
    }
    return true;
}

static void maria_close(void *connection) {
    struct mariadb *db = connection;
    mysql_close(db->connection);
    mysql_thread_end();
    free(db);
}

const struct db_driver db_mariadb = {
    .scheme = "mariadb",
    .default_port = "3306",
    .dialect = SQLTHROTTLE_DIALECT_MYSQL,
    .start = maria_start,
    .open = maria_open,
    .run = maria_run,
    .cancel = maria_cancel,
    .close = maria_close,
};
