/* Who sends the statements of a session: what rules match and count by. */

#ifndef WHO_H
#define WHO_H

#include <stdbool.h>

#include <netinet/in.h>
#include <sqlthrottle.h>

#define WHO_TAGS 8
#define WHO_NAME_SIZE 64
#define WHO_VALUE_SIZE 256

struct who {
    char client[INET_ADDRSTRLEN];
    char names[WHO_TAGS][WHO_NAME_SIZE];
    char values[WHO_TAGS][WHO_VALUE_SIZE];
    sqlthrottle_tag_t tags[WHO_TAGS];
    /* What is passed to the library; it points into this struct, which must stay where it is. */
    sqlthrottle_context_t context;
};

/* `user` and `database` must last as long. */
void who_init(struct who *who, const struct sockaddr_in *client, const char *user, const char *database);

/* Sets a tag, or another value of one. Returns false where name or value is too long, or there are too many tags. */
bool who_tag(struct who *who, const char *name, const char *value);

#endif
