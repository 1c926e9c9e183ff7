/**
 * JDBC that asks before statements are sent: {@link com.jd.sword.sqlthrottle.jdbc.ThrottledDataSource} for programs that have a
 * DataSource, {@link com.jd.sword.sqlthrottle.jdbc.ThrottledXADataSource} for those with distributed transactions, and
 * {@link com.jd.sword.sqlthrottle.jdbc.ThrottledDriver} for those that know nothing but a URL.
 */
package com.jd.sword.sqlthrottle.jdbc;
