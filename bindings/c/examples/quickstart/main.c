#include <sqlthrottle.h>
#include <stdio.h>
#include <string.h>

/* Says what went wrong in the last call of this thread. */
static int failed(void) {
  char message[4096] = "";
  sqlthrottle_last_error_message(message, sizeof message, NULL);
  fprintf(stderr, "%s\n", message);
  return 1;
}

int main(void) {
  const char *path = "sqlthrottle.yml";
  sqlthrottle_engine_t *engine;
  if (sqlthrottle_engine_open(path, strlen(path), NULL, &engine) != SQLTHROTTLE_OK)
    return failed();

  for (int product = 1; product <= 12; product++) {
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT * FROM reviews WHERE product_id = %d", product);

    sqlthrottle_decision_t decision;
    decision.size = sizeof decision;
    if (sqlthrottle_check(engine, sql, strlen(sql), &decision) != SQLTHROTTLE_OK)
      return failed();
    if (decision.verdict == SQLTHROTTLE_ALLOW) {
      /* Here the statement goes to the database. */
      sqlthrottle_release(engine, decision.permit);
    } else {
      printf("%s %s: %llu of %llu [%s]\n", sqlthrottle_verdict_name(decision.verdict),
             sqlthrottle_reason_name(decision.reason), (unsigned long long)decision.count,
             (unsigned long long)decision.limit, decision.rule);
    }
  }
  sqlthrottle_engine_free(engine);
  return 0;
}
