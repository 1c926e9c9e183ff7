#include "db_url.h"

#include <stddef.h>
#include <string.h>

static int hex_digit(char digit) {
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *at = digit == '\0' ? NULL : strchr(digits, digit);
    if (at == NULL) {
        return -1;
    }
    int value = (int)(at - digits);
    return value < 16 ? value : value - 6;
}

/* Writes the part of the URL from `from` to `to`, decoded. */
static bool decode(const char *from, const char *to, char part[DB_URL_PART_SIZE]) {
    size_t length = 0;
    while (from < to) {
        char byte = *from++;
        if (byte == '%') {
            int high = to - from < 2 ? -1 : hex_digit(from[0]);
            int low = high < 0 ? -1 : hex_digit(from[1]);
            if (low < 0) {
                return false;
            }
            byte = (char)(high * 16 + low);
            from += 2;
        }
        /* A NUL would end the part early, and make another user or database of it. */
        if (byte == '\0' || length == DB_URL_PART_SIZE - 1) {
            return false;
        }
        part[length++] = byte;
    }
    part[length] = '\0';
    return true;
}

/* The first of a byte between two places, or the second place where there is none. */
static const char *find(const char *from, const char *to, char byte) {
    const char *at = memchr(from, byte, (size_t)(to - from));
    return at == NULL ? to : at;
}

bool db_url_parse(const char *text, struct db_url *url) {
    memset(url, 0, sizeof *url);
    const char *end = text + strlen(text);
    const char *scheme_end = strstr(text, "://");
    if (scheme_end == NULL) {
        return false;
    }
    const char *account = scheme_end + 3;
    const char *slash = find(account, end, '/');
    const char *at = find(account, slash, '@');
    if (slash == end || at == slash) {
        return false;
    }
    const char *user_end = find(account, at, ':');
    const char *host = at + 1;
    const char *host_end = find(host, slash, ':');
    const char *password = user_end == at ? at : user_end + 1;
    const char *port = host_end == slash ? slash : host_end + 1;
    return decode(text, scheme_end, url->scheme) && decode(account, user_end, url->user)
        && decode(password, at, url->password) && decode(host, host_end, url->host) && decode(port, slash, url->port)
        && decode(slash + 1, end, url->database) && url->host[0] != '\0' && url->database[0] != '\0';
}
