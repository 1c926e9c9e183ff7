/* One client: its socket, its database connection and the thread that serves both. */

#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>

#include <netinet/in.h>

#include "db.h"
#include "guard.h"

struct session;

/* What all sessions share. */
struct session_service {
    const struct db_driver *driver;
    const struct db_url *url;
    /* NULL to send every statement unasked. */
    const struct guard *guard;
};

/* Takes over a connected socket, and closes it where there is no memory: then it returns NULL. */
struct session *session_new(const struct session_service *service, int socket, const struct sockaddr_in *client);

/* Serves the client until it goes or session_stop() is called. Nothing is held any more when it returns. */
void session_serve(struct session *session);

/* Tells the session to end once its statement has. May be called from another thread. */
void session_stop(struct session *session);

/* Asks the database to end the session's statement. May be called from another thread. */
void session_cancel(struct session *session);

/* Has no more be sent to the client, who may take nothing and hold up what sends to it. May be called from another thread. */
void session_cut(struct session *session);

void session_free(struct session *session);

#endif
