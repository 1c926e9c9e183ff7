/*
 * Preloaded into a program, has it end with status 86 where it has started a thread that it did not join.
 *
 * Such a thread may still be running while the libraries that it used are ended with the program, which now and then is a fault of
 * memory or an assertion of theirs. How many were joined says so every time.
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define NOT_JOINED 86

typedef int create_fn(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
typedef int join_fn(pthread_t thread, void **returned);

static atomic_int running;

/* Writes the function that is found behind this library. As POSIX has it, because C knows no conversion to a function. */
static void find(const char *name, void **function) {
    *function = dlsym(RTLD_NEXT, name);
    if (*function == NULL) {
        fprintf(stderr, "there is no %s\n", name);
        _exit(1);
    }
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    create_fn *create;
    find("pthread_create", (void **)&create);
    int status = create(thread, attributes, start, argument);
    if (status == 0) {
        atomic_fetch_add(&running, 1);
    }
    return status;
}

int pthread_join(pthread_t thread, void **returned) {
    join_fn *join;
    find("pthread_join", (void **)&join);
    int status = join(thread, returned);
    if (status == 0) {
        atomic_fetch_sub(&running, 1);
    }
    return status;
}

__attribute__((destructor)) static void end(void) {
    int left = atomic_load(&running);
    if (left != 0) {
        fprintf(stderr, "the program ends, and has not joined %d of its threads\n", left);
        _exit(NOT_JOINED);
    }
}
