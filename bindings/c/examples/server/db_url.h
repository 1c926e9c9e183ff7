/* The URL of a database: SCHEME://USER[:PASSWORD]@HOST[:PORT]/DATABASE, where %XX stands for a byte. */

#ifndef DB_URL_H
#define DB_URL_H

#include <stdbool.h>

#define DB_URL_PART_SIZE 256

/* Every part ends with NUL; password and port are empty where the URL has none. */
struct db_url {
    char scheme[DB_URL_PART_SIZE];
    char user[DB_URL_PART_SIZE];
    char password[DB_URL_PART_SIZE];
    char host[DB_URL_PART_SIZE];
    char port[DB_URL_PART_SIZE];
    char database[DB_URL_PART_SIZE];
};

/* Returns false where the text is no such URL, or a part of it is too long. */
bool db_url_parse(const char *text, struct db_url *url);

#endif
