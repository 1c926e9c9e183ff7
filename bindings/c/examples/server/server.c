#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A thousand threads are to fit in little memory; what a session keeps is not on its stack. */
#define STACK_BYTES (512 * 1024)

/* A session in the list of those that are served. */
struct entry {
    struct server *server;
    struct session *session;
    struct entry *previous;
    struct entry *next;
};

struct server {
    struct server_options options;
    int listener;
    /* What is written to one end wakes the thread that accepts, which polls the other. */
    int wake[2];
    pthread_attr_t small;
    pthread_mutex_t lock;
    /* The last session has ended. */
    pthread_cond_t idle;
    struct entry *entries;
    unsigned count;
    /* The thread that ended last, where there is one: nobody has joined it yet. It has joined, or is going to, the one before. */
    pthread_t ended;
    bool has_ended;
};

static bool open_listener(struct server *server) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(server->options.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int on = 1;
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    /* Not blocking: a client may go between the poll that announces it and the accept. */
    if (server->listener < 0 || setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0
        || bind(server->listener, (const struct sockaddr *)&address, sizeof address) != 0
        || listen(server->listener, SOMAXCONN) != 0 || fcntl(server->listener, F_SETFL, O_NONBLOCK) != 0) {
        fprintf(stderr, "cannot listen on port %u: %s\n", (unsigned)server->options.port, strerror(errno));
        return false;
    }
    return true;
}

static bool init_threads(struct server *server) {
    pthread_condattr_t monotonic;
    bool done = pthread_condattr_init(&monotonic) == 0 && pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0
        && pthread_cond_init(&server->idle, &monotonic) == 0 && pthread_mutex_init(&server->lock, NULL) == 0
        && pthread_attr_init(&server->small) == 0 && pthread_attr_setstacksize(&server->small, STACK_BYTES) == 0;
    if (!done) {
        fprintf(stderr, "out of memory\n");
    }
    return done;
}

struct server *server_new(const struct server_options *options) {
    struct server *server = calloc(1, sizeof *server);
    if (server == NULL || pipe(server->wake) != 0) {
        fprintf(stderr, "cannot start: %s\n", strerror(errno));
        free(server);
        return NULL;
    }
    server->options = *options;
    if (!open_listener(server) || !init_threads(server)) {
        /* The program ends, and with it what was opened. */
        return NULL;
    }
    return server;
}

uint16_t server_port(const struct server *server) {
    struct sockaddr_in address = {.sin_port = 0};
    socklen_t length = sizeof address;
    getsockname(server->listener, (struct sockaddr *)&address, &length);
    return ntohs(address.sin_port);
}

void server_stop(struct server *server) {
    /* A pipe that is full has woken the thread already. */
    ssize_t written = write(server->wake[1], "", 1);
    (void)written;
}

static void add(struct server *server, struct entry *entry) {
    entry->server = server;
    pthread_mutex_lock(&server->lock);
    entry->previous = NULL;
    entry->next = server->entries;
    if (entry->next != NULL) {
        entry->next->previous = entry;
    }
    server->entries = entry;
    server->count++;
    pthread_mutex_unlock(&server->lock);
}

static void drop(struct server *server, struct entry *entry) {
    pthread_mutex_lock(&server->lock);
    if (entry->next != NULL) {
        entry->next->previous = entry->previous;
    }
    if (entry->previous != NULL) {
        entry->previous->next = entry->next;
    } else {
        server->entries = entry->next;
    }
    session_free(entry->session);
    free(entry);
    server->count--;
    if (server->count == 0) {
        pthread_cond_signal(&server->idle);
    }
    pthread_mutex_unlock(&server->lock);
}

/*
 * Makes a thread the one that ended last, and returns in its place the one that did before. Every thread joins the one before it,
 * and server_run() the last one: so all are joined, and at any time no more than one waits for it.
 */
static bool succeed(struct server *server, pthread_t thread, pthread_t *before) {
    pthread_mutex_lock(&server->lock);
    bool has_before = server->has_ended;
    *before = server->ended;
    server->ended = thread;
    server->has_ended = true;
    pthread_mutex_unlock(&server->lock);
    return has_before;
}

static void *serve(void *of_entry) {
    struct entry *entry = of_entry;
    session_serve(entry->session);
    pthread_t before;
    /* Before it is dropped: where no session is left, the last thread is known. */
    bool has_before = succeed(entry->server, pthread_self(), &before);
    drop(entry->server, entry);
    if (has_before) {
        pthread_join(before, NULL);
    }
    return NULL;
}

static void refuse(int client, const char *line) {
    ssize_t sent = send(client, line, strlen(line), MSG_NOSIGNAL);
    (void)sent;
    close(client);
}

static void welcome(struct server *server, int client, const struct sockaddr_in *address) {
    pthread_mutex_lock(&server->lock);
    bool full = server->count >= server->options.most_clients;
    pthread_mutex_unlock(&server->lock);
    struct entry *entry = full ? NULL : calloc(1, sizeof *entry);
    if (entry == NULL) {
        refuse(client, "ERROR\t53300\ttoo many clients\n");
        return;
    }
    /* Some systems hand down that the listener does not block. */
    fcntl(client, F_SETFL, 0);
    /* Answers are small and complete: they are not to wait for more. */
    int on = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    entry->session = session_new(&server->options.service, client, address);
    if (entry->session == NULL) {
        free(entry);
        return;
    }
    add(server, entry);
    pthread_t thread;
    if (pthread_create(&thread, &server->small, serve, entry) != 0) {
        fprintf(stderr, "cannot start another thread\n");
        drop(server, entry);
    }
}

static void accept_clients(struct server *server) {
    struct pollfd ready[] = {{.fd = server->listener, .events = POLLIN}, {.fd = server->wake[0], .events = POLLIN}};
    for (;;) {
        if (poll(ready, 2, -1) < 0 && errno != EINTR) {
            fprintf(stderr, "cannot wait for clients: %s\n", strerror(errno));
            return;
        }
        if (ready[1].revents != 0) {
            return;
        }
        struct sockaddr_in address;
        socklen_t length = sizeof address;
        int client = accept(server->listener, (struct sockaddr *)&address, &length);
        if (client >= 0) {
            welcome(server, client, &address);
        } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != ECONNABORTED && errno != EINTR) {
            /* Nothing to accept it with until another client goes: not in a circle meanwhile. */
            poll(&ready[1], 1, 100);
        }
    }
}

static struct timespec in_seconds(unsigned seconds) {
    struct timespec then;
    clock_gettime(CLOCK_MONOTONIC, &then);
    then.tv_sec += (time_t)seconds;
    return then;
}

/* Waits until there is no session any more. To be called under the lock. */
static void wait_until_idle(struct server *server, unsigned seconds) {
    struct timespec until = in_seconds(seconds);
    while (server->count > 0 && pthread_cond_timedwait(&server->idle, &server->lock, &until) == 0) {
    }
}

/* To be called under the lock. */
static void for_each(const struct server *server, void (*act)(struct session *session)) {
    for (const struct entry *entry = server->entries; entry != NULL; entry = entry->next) {
        act(entry->session);
    }
}

static void end_sessions(struct server *server) {
    pthread_mutex_lock(&server->lock);
    for_each(server, session_stop);
    wait_until_idle(server, server->options.grace_seconds);
    /* Again and again: what is cancelled in the moment before it starts goes on. */
    while (server->count > 0) {
        for_each(server, session_cancel);
        wait_until_idle(server, 1);
        /* Who has not taken all that was sent by now is not waited for: it would be for as long as it likes. */
        for_each(server, session_cut);
    }
    pthread_mutex_unlock(&server->lock);
}

void server_run(struct server *server) {
    accept_clients(server);
    close(server->listener);
    end_sessions(server);
    /*
     * A thread goes on when its session is over: libraries that were used in it (Kerberos for libpq, OpenSSL, sqlthrottle) free
     * what they keep for each thread. They must not be unloaded meanwhile, as they are when the program ends.
     */
    if (server->has_ended) {
        pthread_join(server->ended, NULL);
    }
}

void server_free(struct server *server) {
    pthread_attr_destroy(&server->small);
    pthread_mutex_destroy(&server->lock);
    pthread_cond_destroy(&server->idle);
    close(server->wake[0]);
    close(server->wake[1]);
    free(server);
}
