#include "db.h"

#include <stdio.h>
#include <string.h>

const struct db_driver *db_driver_of(const struct db_url *url) {
    static const struct db_driver *const drivers[] = {&db_postgresql, &db_mariadb};
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        if (strcmp(url->scheme, drivers[i]->scheme) == 0) {
            return drivers[i];
        }
    }
    return NULL;
}

void db_error_set(struct db_error *error, const char *sqlstate, const char *message) {
    snprintf(error->sqlstate, sizeof error->sqlstate, "%s", sqlstate);
    /* libpq's messages end with a new line. */
    snprintf(error->message, sizeof error->message, "%.*s", (int)strcspn(message, "\n"), message);
}
