/* A small SQL service: options, signals, and the order in which things start and end. See README.md. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "guard.h"
#include "server.h"

struct options {
    const char *rules;
    const char *database;
    unsigned long port;
    unsigned long most_clients;
    unsigned long grace_seconds;
};

static const char usage[] =
    "usage: sqlthrottle-server --rules FILE|none --database URL [--port N] [--most-clients N] [--grace SECONDS]\n"
    "\n"
    "URL is postgresql://USER[:PASSWORD]@HOST[:PORT]/DATABASE or mariadb://...\n"
    "SIGUSR1 reads the rules again, SIGTERM and SIGINT end the server.\n";

static bool parse_number(const char *text, unsigned long most, unsigned long *number) {
    char *end;
    errno = 0;
    *number = strtoul(text, &end, 10);
    return errno == 0 && text[0] >= '0' && text[0] <= '9' && *end == '\0' && *number <= most;
}

static bool parse_options(int count, char **arguments, struct options *options) {
    for (int i = 1; i + 1 < count; i += 2) {
        const char *value = arguments[i + 1];
        bool good = true;
        if (strcmp(arguments[i], "--rules") == 0) {
            options->rules = value;
        } else if (strcmp(arguments[i], "--database") == 0) {
            options->database = value;
        } else if (strcmp(arguments[i], "--port") == 0) {
            good = parse_number(value, 65535, &options->port);
        } else if (strcmp(arguments[i], "--most-clients") == 0) {
            good = parse_number(value, 100000, &options->most_clients);
        } else if (strcmp(arguments[i], "--grace") == 0) {
            good = parse_number(value, 86400, &options->grace_seconds);
        } else {
            good = false;
        }
        if (!good) {
            return false;
        }
    }
    return count % 2 == 1 && options->rules != NULL && options->database != NULL;
}

/* Reads the URL, and makes its database's client library ready. */
static const struct db_driver *open_driver(const char *text, struct db_url *url) {
    const struct db_driver *driver = db_url_parse(text, url) ? db_driver_of(url) : NULL;
    if (driver == NULL) {
        fputs(usage, stderr);
        return NULL;
    }
    if (url->port[0] == '\0') {
        strcpy(url->port, driver->default_port);
    }
    struct db_error error;
    if (!driver->start(&error)) {
        fprintf(stderr, "%s\n", error.message);
        return NULL;
    }
    return driver;
}

struct signals {
    sigset_t set;
    struct server *server;
    const struct guard *guard;
};

/*
 * Takes signals one by one, as a thread like any other: it may lock and allocate, which a signal handler must not. Every other
 * thread has them blocked.
 */
static void *take_signals(void *of_signals) {
    const struct signals *signals = of_signals;
    int number;
    while (sigwait(&signals->set, &number) == 0) {
        if (number != SIGUSR1) {
            server_stop(signals->server);
            return NULL;
        }
        if (signals->guard != NULL) {
            guard_reload(signals->guard);
        }
    }
    return NULL;
}

/* Says what the rules have come to: where all has gone well, no permit is in use. */
static void print_snapshot(const struct guard *guard) {
    char *json;
    if (sqlthrottle_snapshot(guard->engine, &json, NULL) != SQLTHROTTLE_OK) {
        guard_complain("there is no snapshot");
        return;
    }
    printf("%s\n", json);
    sqlthrottle_string_free(json);
}

/* Serves until a signal ends it. */
static int serve(const struct server_options *options, struct signals *signals) {
    signals->server = server_new(options);
    if (signals->server == NULL) {
        return EXIT_FAILURE;
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, take_signals, signals) != 0) {
        fprintf(stderr, "cannot start a thread\n");
        return EXIT_FAILURE;
    }
    printf("listening on 127.0.0.1:%u\n", (unsigned)server_port(signals->server));
    fflush(stdout);
    server_run(signals->server);
    /* For who waits for the signal that ends it, where it was something else that did. */
    pthread_kill(thread, SIGTERM);
    pthread_join(thread, NULL);
    server_free(signals->server);
    return EXIT_SUCCESS;
}

int main(int count, char **arguments) {
    struct options options = {.most_clients = 1000, .grace_seconds = 5};
    if (!parse_options(count, arguments, &options)) {
        fputs(usage, stderr);
        return 2;
    }
    struct db_url url;
    const struct db_driver *driver = open_driver(options.database, &url);
    if (driver == NULL) {
        return 2;
    }
    /* Before there is a thread: each inherits what is blocked. */
    struct signals signals = {.server = NULL};
    sigemptyset(&signals.set);
    sigaddset(&signals.set, SIGUSR1);
    sigaddset(&signals.set, SIGTERM);
    sigaddset(&signals.set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals.set, NULL);
    /* A connection that is lost is an error like another one, whoever writes to it. */
    signal(SIGPIPE, SIG_IGN);

    struct guard guard;
    if (strcmp(options.rules, "none") != 0) {
        if (!guard_open(&guard, options.rules, driver->dialect)) {
            return EXIT_FAILURE;
        }
        signals.guard = &guard;
    }
    struct server_options server_options = {
        .service = {.driver = driver, .url = &url, .guard = signals.guard},
        .port = (uint16_t)options.port,
        .most_clients = (unsigned)options.most_clients,
        .grace_seconds = (unsigned)options.grace_seconds,
    };
    int status = serve(&server_options, &signals);
    if (signals.guard != NULL) {
        print_snapshot(&guard);
        guard_close(&guard);
    }
    return status;
}
