/* Listens on loopback, and serves every client by a thread of its own. */

#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "session.h"

struct server;

struct server_options {
    struct session_service service;
    /* 0 for any that is free. */
    uint16_t port;
    /* Clients beyond so many are refused. */
    unsigned most_clients;
    /* How long statements may go on after server_stop() before they are cancelled. */
    unsigned grace_seconds;
};

/* Listens. Says why on standard error where it cannot, and returns NULL. */
struct server *server_new(const struct server_options *options);

/* Where it listens. */
uint16_t server_port(const struct server *server);

/* Serves clients until server_stop(), then until the last of them is done and its thread has ended. */
void server_run(struct server *server);

/* May be called from any thread, any number of times. */
void server_stop(struct server *server);

void server_free(struct server *server);

#endif
