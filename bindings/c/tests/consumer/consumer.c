/*
 * A program of somebody else's, in what C99 and C++17 have in common. It is built against an installation and nothing of the repository,
 * and exits with 0 where the library that it was linked with does what its header says.
 */

#include <sqlthrottle.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* An expectation that fails names itself, and the program with it. */
#define EXPECT(condition)                                                             \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);         \
      return false;                                                                   \
    }                                                                                 \
  } while (0)

static const char RULES[] = "rules:\n"
                            "  - {name: blocked, match: {tables: reports}, limit: {block: true}}\n";

static const char REFUSED[] = "rules:\n"
                              "  - {name: unlimited, match: {tables: reports}}\n";

/* Header, library and package are of one version. The build says which it asked for. */
static bool is_of_one_version(void) {
  EXPECT(sqlthrottle_abi_version() == SQLTHROTTLE_ABI_VERSION);
  EXPECT(strcmp(sqlthrottle_version(), EXPECTED_VERSION) == 0);
  return true;
}

static bool check(const sqlthrottle_engine_t *engine, const char *sql, sqlthrottle_decision_t *decision) {
  memset(decision, 0, sizeof *decision);
  decision->size = sizeof *decision;
  EXPECT(sqlthrottle_check(engine, sql, strlen(sql), decision) == SQLTHROTTLE_OK);
  return true;
}

static bool allows(const sqlthrottle_engine_t *engine) {
  sqlthrottle_decision_t decision;
  EXPECT(check(engine, "SELECT name FROM users WHERE id = 7", &decision));
  EXPECT(decision.verdict == SQLTHROTTLE_ALLOW);
  EXPECT(decision.reason == SQLTHROTTLE_REASON_ALLOWED);
  EXPECT(decision.fingerprint.length == sizeof decision.fingerprint.bytes);
  return true;
}

static bool aborts(const sqlthrottle_engine_t *engine) {
  sqlthrottle_decision_t decision;
  EXPECT(check(engine, "SELECT * FROM reports", &decision));
  EXPECT(decision.verdict == SQLTHROTTLE_ABORT);
  EXPECT(decision.reason == SQLTHROTTLE_REASON_BLOCKED);
  EXPECT(strcmp(decision.rule, "blocked") == 0);
  return true;
}

static bool refuses_rules(void) {
  sqlthrottle_engine_t *engine = NULL;
  char code[64];
  char message[1024];
  EXPECT(sqlthrottle_engine_from_rules(REFUSED, sizeof REFUSED - 1, NULL, &engine) == SQLTHROTTLE_ERROR_REFUSED);
  EXPECT(engine == NULL);
  EXPECT(sqlthrottle_last_error_count() == 1);
  EXPECT(sqlthrottle_last_error_code(0, code, sizeof code, NULL) == SQLTHROTTLE_OK);
  EXPECT(strcmp(code, "rule.limit.missing") == 0);
  EXPECT(sqlthrottle_last_error_message(message, sizeof message, NULL) == SQLTHROTTLE_OK);
  EXPECT(strstr(message, code) != NULL);
  EXPECT(strstr(message, "unlimited") != NULL);
  return true;
}

int main(void) {
  sqlthrottle_engine_t *engine = NULL;
  bool passed;
  if (sqlthrottle_engine_from_rules(RULES, sizeof RULES - 1, NULL, &engine) != SQLTHROTTLE_OK) {
    char message[1024] = "";
    (void)sqlthrottle_last_error_message(message, sizeof message, NULL);
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  passed = is_of_one_version() && allows(engine) && aborts(engine) && refuses_rules();
  sqlthrottle_engine_free(engine);
  return passed ? 0 : 1;
}
