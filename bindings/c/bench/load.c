/*
 * Many clients of the example server in one thread, for `make bench-db`: all are connected before the clock starts.
 *
 *     load PORT CLIENTS ROWS SECONDS [BURST_CLIENTS BURST_PER_SECOND]
 *
 * Each of CLIENTS sends an innocent statement as soon as the one before is answered. BURST_CLIENTS more of them send one heavy
 * statement, BURST_PER_SECOND times in all, by the clock and not by the answers, as far as one of them is free.
 *
 * Prints one line: name=value for each figure; times are in microseconds.
 */

#define _GNU_SOURCE

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ULL
/* Latencies that are kept of a run. */
#define MOST_SAMPLES (1U << 23)
#define EVENTS 256

/* A sum over the whole table, which costs the database milliseconds. */
static const char heavy[] = "select count(*), sum(length(note)) from ledger where note like '%7%3%'\n";

struct client {
    int socket;
    bool bursts;
    uint64_t sent_at;
    /* The beginning of the line that is being received: of it only `OK` or `ERROR` and the state matter. */
    char line[32];
    size_t length;
};

struct load {
    unsigned rows;
    uint64_t random;
    uint64_t ends_at;
    /* Latencies of innocent statements in nanoseconds, and how many. */
    uint64_t *samples;
    size_t count;
    uint64_t errors;
    /* The burst: clients that wait for nothing, and what became of its statements. */
    struct client **idle;
    size_t idle_count;
    uint64_t burst_sent;
    uint64_t burst_done;
    uint64_t burst_refused;
};

static void fail(const char *what) {
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
}

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* Xorshift: good enough to choose rows by. */
static unsigned random_row(struct load *load) {
    load->random ^= load->random << 13;
    load->random ^= load->random >> 7;
    load->random ^= load->random << 17;
    return (unsigned)(load->random % load->rows) + 1;
}

static void send_all(const struct client *client, const char *text, size_t length) {
    /* A line fits into the socket's buffer, because the one before has been answered. */
    if (send(client->socket, text, length, MSG_NOSIGNAL) != (ssize_t)length) {
        fail("send");
    }
}

/* Sends one of three innocent statements. */
static void send_innocent(struct load *load, struct client *client) {
    static const char *const statements[] = {
        "select balance from accounts where id = %u\n",
        "select id, name from accounts where id = %u and balance >= 0\n",
        "update accounts set balance = balance + 1 where id = %u\n",
    };
    unsigned row = random_row(load);
    /* Nine reads to a write. */
    unsigned which = row % 10 == 0 ? 2 : row % 2;
    char line[128];
    int length = snprintf(line, sizeof line, statements[which], row);
    client->sent_at = clock_ns(CLOCK_MONOTONIC);
    send_all(client, line, (size_t)length);
}

/* Takes the last line of an answer. */
static void answered(struct load *load, struct client *client, uint64_t now) {
    bool done = strncmp(client->line, "OK\t", 3) == 0;
    bool refused = strncmp(client->line, "ERROR\t53400", 11) == 0;
    if (client->bursts) {
        load->burst_done += done;
        load->burst_refused += refused;
        load->errors += !done && !refused;
        load->idle[load->idle_count++] = client;
        return;
    }
    load->errors += !done;
    if (load->count == MOST_SAMPLES) {
        errno = ENOBUFS;
        fail("the run is too long");
    }
    load->samples[load->count++] = now - client->sent_at;
    if (now < load->ends_at) {
        send_innocent(load, client);
    }
}

static void receive(struct load *load, struct client *client) {
    char bytes[16384];
    ssize_t got = recv(client->socket, bytes, sizeof bytes, 0);
    if (got <= 0) {
        fail("the server has closed a connection");
    }
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    for (ssize_t i = 0; i < got; i++) {
        if (bytes[i] != '\n') {
            if (client->length < sizeof client->line - 1) {
                client->line[client->length++] = bytes[i];
            }
            continue;
        }
        client->line[client->length] = '\0';
        client->length = 0;
        if (strncmp(client->line, "ROW", 3) != 0) {
            answered(load, client, now);
        }
    }
}

/* Sends what of the burst is due by now. What no client is free for is left out, as a full pool leaves it. */
static void send_burst(struct load *load, uint64_t due) {
    while (load->burst_sent < due && load->idle_count > 0) {
        struct client *client = load->idle[--load->idle_count];
        client->sent_at = clock_ns(CLOCK_MONOTONIC);
        send_all(client, heavy, sizeof heavy - 1);
        load->burst_sent++;
    }
}

/* Connects, and waits for the first answer: then the server has its thread and its connection to the database. */
static void connect_client(struct client *client, int events, const struct sockaddr_in *server) {
    static const char hello[] = "select 1\n";
    char answer[256];
    size_t length = 0;
    int on = 1;
    client->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (client->socket < 0 || connect(client->socket, (const struct sockaddr *)server, sizeof *server) != 0) {
        fail("connect");
    }
    setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    send_all(client, hello, sizeof hello - 1);
    while (memmem(answer, length, "OK\t", 3) == NULL || answer[length - 1] != '\n') {
        ssize_t got = recv(client->socket, answer + length, sizeof answer - length, 0);
        if (got <= 0) {
            fprintf(stderr, "load: no welcome: %.*s\n", (int)length, answer);
            exit(EXIT_FAILURE);
        }
        length += (size_t)got;
    }
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
    if (epoll_ctl(events, EPOLL_CTL_ADD, client->socket, &event) != 0) {
        fail("epoll_ctl");
    }
}

static int ascending(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one;
    uint64_t b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static double percentile(const struct load *load, double part) {
    return load->count == 0 ? 0 : (double)load->samples[(size_t)(part * (double)(load->count - 1))] / 1e3;
}

static void print(struct load *load, double seconds, double busy) {
    double sum = 0;
    for (size_t i = 0; i < load->count; i++) {
        sum += (double)load->samples[i];
    }
    qsort(load->samples, load->count, sizeof *load->samples, ascending);
    printf("throughput=%.1f mean=%.1f p50=%.1f p99=%.1f errors=%" PRIu64 " burst_sent=%" PRIu64 " burst_done=%" PRIu64
           " burst_refused=%" PRIu64 " busy=%.3f\n",
           (double)load->count / seconds, load->count == 0 ? 0 : sum / (double)load->count / 1e3, percentile(load, 0.5),
           percentile(load, 0.99), load->errors, load->burst_sent, load->burst_done, load->burst_refused, busy);
}

/* Runs the load from the first statement to the end of the time. */
static void run(struct load *load, int events, struct client *clients, size_t innocent, uint64_t length_ns, uint64_t rate) {
    struct epoll_event ready[EVENTS];
    uint64_t started = clock_ns(CLOCK_MONOTONIC);
    uint64_t busy_before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t now = started;
    load->ends_at = started + length_ns;
    for (size_t i = 0; i < innocent; i++) {
        send_innocent(load, &clients[i]);
    }
    while (now < load->ends_at) {
        uint64_t due = rate == 0 ? 0 : (now - started) * rate / SECOND + 1;
        send_burst(load, due);
        int count = epoll_wait(events, ready, EVENTS, 1);
        if (count < 0 && errno != EINTR) {
            fail("epoll_wait");
        }
        for (int i = 0; i < count; i++) {
            receive(load, ready[i].data.ptr);
        }
        now = clock_ns(CLOCK_MONOTONIC);
    }
    double seconds = (double)(now - started) / 1e9;
    print(load, seconds, (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - busy_before) / 1e9 / seconds);
}

static unsigned long number(const char *text, unsigned long least, unsigned long most) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end != '\0' || value < least || value > most) {
        fprintf(stderr, "load: %s is not from %lu to %lu\n", text, least, most);
        exit(2);
    }
    return value;
}

static void *memory(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fail("memory");
    }
    return memory;
}

int main(int count, char **arguments) {
    if (count != 5 && count != 7) {
        fprintf(stderr, "usage: load PORT CLIENTS ROWS SECONDS [BURST_CLIENTS BURST_PER_SECOND]\n");
        return 2;
    }
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number(arguments[1], 1, 65535))};
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    size_t innocent = number(arguments[2], 1, 100000);
    size_t bursting = count == 7 ? number(arguments[5], 1, 100000) : 0;
    uint64_t rate = count == 7 ? number(arguments[6], 1, 1000000) : 0;
    struct load load = {.rows = (unsigned)number(arguments[3], 1, 1000000000), .random = 88172645463325252ULL};
    uint64_t length_ns = number(arguments[4], 1, 3600) * SECOND;

    struct client *clients = memory(innocent + bursting, sizeof *clients);
    load.samples = memory(MOST_SAMPLES, sizeof *load.samples);
    load.idle = memory(bursting + 1, sizeof *load.idle);
    int events = epoll_create1(0);
    if (events < 0) {
        fail("epoll_create1");
    }
    for (size_t i = 0; i < innocent + bursting; i++) {
        connect_client(&clients[i], events, &server);
        if (i >= innocent) {
            clients[i].bursts = true;
            load.idle[load.idle_count++] = &clients[i];
        }
    }
    run(&load, events, clients, innocent, length_ns, rate);
    return EXIT_SUCCESS;
}
