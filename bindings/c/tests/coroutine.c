/*
 * A check on the stack of a coroutine, as hosts have that switch stacks by themselves.
 *
 * The stack is mapped before the thread is made, so it lies above the thread's own: whoever measures how much is left from where the
 * thread's ends finds plenty, and the parser of a statement with a nested query needs more than there is.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sqlthrottle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

/* With a page in front that nobody may touch, so that what runs over the stack ends here and nowhere else. */
enum { PAGE_BYTES = 64 * 1024, STACK_BYTES = 128 * 1024 };

static const char RULES[] = "rules: [{name: nested, match: {tables: inner_most}, limit: {block: true}}]";
static const char SQL[] = "select a from t where b in (select c from u where d in (select e from v where f in (select g from inner_most)))";

static char *stack;
static sqlthrottle_engine_t *engine;
static ucontext_t outside, inside;
static sqlthrottle_decision_t decision;
static sqlthrottle_status_t status = SQLTHROTTLE_NOTHING;

static void check(void) {
  decision.size = sizeof decision;
  status = sqlthrottle_check(engine, SQL, strlen(SQL), &decision);
}

static void *run(void *unused) {
  (void)unused;
  if (getcontext(&inside) != 0)
    return NULL;
  inside.uc_stack.ss_sp = stack + PAGE_BYTES;
  inside.uc_stack.ss_size = STACK_BYTES;
  inside.uc_link = &outside;
  makecontext(&inside, check, 0);
  swapcontext(&outside, &inside);
  return NULL;
}

int main(void) {
  pthread_t thread;
  stack = mmap(NULL, PAGE_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if ((void *)stack == MAP_FAILED || mprotect(stack, PAGE_BYTES, PROT_NONE) != 0 ||
      sqlthrottle_engine_from_rules(RULES, strlen(RULES), NULL, &engine) != SQLTHROTTLE_OK)
    return EXIT_FAILURE;
  if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
    return EXIT_FAILURE;
  sqlthrottle_engine_free(engine);
  if (status != SQLTHROTTLE_OK || decision.verdict != SQLTHROTTLE_ABORT || strcmp(decision.rule, "nested") != 0) {
    fprintf(stderr, "coroutine: status %d, verdict %d, rule %s\n", (int)status, (int)decision.verdict, decision.rule);
    return EXIT_FAILURE;
  }
  puts("coroutine: a check on 128 kB of a stack that is not the thread's own");
  return EXIT_SUCCESS;
}
