/**
 * A MyBatis plugin that aborts, ignores or delays bursts of identical SQL, by thresholds in {@code application.yml} or the rules of a
 * {@link com.jd.sword.sqlthrottle.Throttle}: {@code configuration.addInterceptor(new SQLBasedDatabaseProtectorPlugin())}.
 */
package com.jd.sword.mybatis.plugin.protector;
