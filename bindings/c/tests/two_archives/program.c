/* A program with two static libraries that are written in Rust, both of which are at work. */

#include <sqlthrottle.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

uint32_t other_caught(uint32_t calls);

static const char RULES[] = "rules:\n"
                            "  - {name: blocked, match: {tables: reports}, limit: {block: true}}\n";

static sqlthrottle_verdict_t verdict(const sqlthrottle_engine_t *engine, const char *sql) {
  sqlthrottle_decision_t decision = {.size = sizeof decision};
  if (sqlthrottle_check(engine, sql, strlen(sql), &decision) != SQLTHROTTLE_OK) {
    return SQLTHROTTLE_NO_VERDICT;
  }
  return decision.verdict;
}

int main(void) {
  sqlthrottle_engine_t *engine = NULL;
  bool passed;
  if (sqlthrottle_engine_from_rules(RULES, sizeof RULES - 1, NULL, &engine) != SQLTHROTTLE_OK) {
    return 1;
  }
  passed = verdict(engine, "SELECT 1 FROM reports") == SQLTHROTTLE_ABORT && other_caught(3) == 3 &&
           verdict(engine, "SELECT 1 FROM users") == SQLTHROTTLE_ALLOW;
  sqlthrottle_engine_free(engine);
  return passed ? 0 : 1;
}
