#include "who.h"

#include <arpa/inet.h>
#include <string.h>

static sqlthrottle_text_t text_of(const char *text) {
    return (sqlthrottle_text_t){text, strlen(text)};
}

void who_init(struct who *who, const struct sockaddr_in *client, const char *user, const char *database) {
    memset(who, 0, sizeof *who);
    /* Without its port: rules count by the machine, not by the connection. */
    if (inet_ntop(AF_INET, &client->sin_addr, who->client, sizeof who->client) == NULL) {
        who->client[0] = '\0';
    }
    who->context = (sqlthrottle_context_t){
        .size = sizeof who->context,
        .user = text_of(user),
        .client = text_of(who->client),
        .database = text_of(database),
        .tags = who->tags,
    };
}

bool who_tag(struct who *who, const char *name, const char *value) {
    size_t place = 0;
    while (place < who->context.tags_length && strcmp(who->names[place], name) != 0) {
        place++;
    }
    if (place == WHO_TAGS || *name == '\0' || strlen(name) >= WHO_NAME_SIZE || strlen(value) >= WHO_VALUE_SIZE) {
        return false;
    }
    strcpy(who->names[place], name);
    strcpy(who->values[place], value);
    who->tags[place] = (sqlthrottle_tag_t){text_of(who->names[place]), text_of(who->values[place])};
    if (place == who->context.tags_length) {
        who->context.tags_length++;
    }
    return true;
}
