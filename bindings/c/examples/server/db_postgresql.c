#include "db.h"

#include <libpq-fe.h>
#include <sqlthrottle.h>
#include <stdlib.h>
#include <string.h>

/* What PostgreSQL allows a row to have, and a little more. */
#define MOST_COLUMNS 2048

struct postgresql {
    PGconn *connection;
    /* Made once, because another thread may use it while this one uses the connection. */
    PGcancel *cancel;
    struct db_value values[MOST_COLUMNS];
};

static bool postgresql_start(struct db_error *error) {
    if (!PQisthreadsafe()) {
        db_error_set(error, "0A000", "this libpq is not made for threads");
        return false;
    }
    return true;
}

static void postgresql_close(void *connection) {
    struct postgresql *db = connection;
    PQfreeCancel(db->cancel);
    PQfinish(db->connection);
    free(db);
}

static void *postgresql_open(const struct db_url *url, struct db_error *error) {
    const char *const names[] = {"host", "port", "user", "password", "dbname", "connect_timeout", NULL};
    const char *const values[] = {url->host, url->port, url->user, url->password, url->database, "10", NULL};
    struct postgresql *db = calloc(1, sizeof *db);
    if (db == NULL) {
        db_error_set(error, "53200", "out of memory");
        return NULL;
    }
    db->connection = PQconnectdbParams(names, values, 0);
    if (PQstatus(db->connection) == CONNECTION_OK) {
        db->cancel = PQgetCancel(db->connection);
    }
    if (db->cancel == NULL) {
        db_error_set(error, "08001", PQerrorMessage(db->connection));
        postgresql_close(db);
        return NULL;
    }
    return db;
}

static void postgresql_cancel(void *connection) {
    struct postgresql *db = connection;
    char why[256];
    /* Where it fails, the statement ends by itself, or the caller tries again. */
    (void)PQcancel(db->cancel, why, sizeof why);
}

/* Hands over the rows of a result: in single-row mode one, and none at the end. */
static bool take_rows(struct postgresql *db, const PGresult *rows, db_row_fn *row, void *to, struct db_result *result) {
    int columns = PQnfields(rows);
    if (columns > MOST_COLUMNS) {
        return false;
    }
    for (int i = 0; i < PQntuples(rows); i++) {
        for (int j = 0; j < columns; j++) {
            bool is_null = PQgetisnull(rows, i, j);
            db->values[j].data = is_null ? NULL : PQgetvalue(rows, i, j);
            db->values[j].length = is_null ? 0 : (size_t)PQgetlength(rows, i, j);
        }
        result->rows++;
        if (!row(to, db->values, (size_t)columns)) {
            return false;
        }
    }
    return true;
}

/* Ends a COPY, which the line protocol has no place for. */
static void end_copy(PGconn *connection, ExecStatusType status) {
    if (status == PGRES_COPY_IN) {
        (void)PQputCopyEnd(connection, "no data comes this way");
        return;
    }
    char *data = NULL;
    while (PQgetCopyData(connection, &data, 0) > 0) {
        PQfreemem(data);
    }
}

static void take_error(const PGconn *connection, const PGresult *failed, struct db_error *error) {
    const char *sqlstate = PQresultErrorField(failed, PG_DIAG_SQLSTATE);
    const char *message = PQresultErrorField(failed, PG_DIAG_MESSAGE_PRIMARY);
    /* Where the connection is lost there is no state: it was not the server that said so. */
    db_error_set(error, sqlstate == NULL ? "08006" : sqlstate, message == NULL ? PQerrorMessage(connection) : message);
}

static bool postgresql_run(void *connection, const char *sql, size_t length, db_row_fn *row, void *to,
                           struct db_result *result, struct db_error *error) {
    struct postgresql *db = connection;
    (void)length;
    if (!PQsendQuery(db->connection, sql) || !PQsetSingleRowMode(db->connection)) {
        db_error_set(error, "08006", PQerrorMessage(db->connection));
        return false;
    }
    bool done = true;
    bool rows_wanted = true;
    PGresult *part;
    /* To the end whatever happens, or the connection would not take another statement. */
    while ((part = PQgetResult(db->connection)) != NULL) {
        ExecStatusType status = PQresultStatus(part);
        switch (status) {
        case PGRES_SINGLE_TUPLE:
        case PGRES_TUPLES_OK:
            if (rows_wanted && !take_rows(db, part, row, to, result)) {
                rows_wanted = false;
                postgresql_cancel(db);
            }
            break;
        case PGRES_COMMAND_OK:
            result->affected += strtoull(PQcmdTuples(part), NULL, 10);
            break;
        case PGRES_EMPTY_QUERY:
            break;
        case PGRES_COPY_IN:
        case PGRES_COPY_OUT:
        case PGRES_COPY_BOTH:
            end_copy(db->connection, status);
            db_error_set(error, "0A000", "COPY is not supported here");
            done = false;
            break;
        default:
            if (done) {
                take_error(db->connection, part, error);
            }
            done = false;
        }
        PQclear(part);
    }
    return done;
}

const struct db_driver db_postgresql = {
    .scheme = "postgresql",
    .default_port = "5432",
    .dialect = SQLTHROTTLE_DIALECT_POSTGRESQL,
    .start = postgresql_start,
    .open = postgresql_open,
    .run = postgresql_run,
    .cancel = postgresql_cancel,
    .close = postgresql_close,
};
