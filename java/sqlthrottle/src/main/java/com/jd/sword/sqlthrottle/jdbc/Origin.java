package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.DatabaseName;
import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.StatementContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Who uses a connection, and which database it leads to: the context of its statements, as far as nobody says another. The database is
 * found in the URL, with the first statement that is checked, as to ask the database for it may be a query.
 */
final class Origin {
    /** A power of two. */
    private static final int KEPT = 64;
    /** Connections come and go, and their contexts are the same: each keeps its encoded form, and what it was laid under. */
    private static final AtomicReferenceArray<StatementContext> CONTEXTS = new AtomicReferenceArray<>(KEPT);

    private final Connection target;
    /** Null where it is not known. */
    private final StatementContext user;
    /** The catalog that was set since; null where none was. */
    private String catalog;
    /** Empty where nothing is known; null until it is asked for. */
    private volatile StatementContext context;

    Origin(Connection target, StatementContext user) {
        this.target = target;
        this.user = user;
    }

    /** Who uses the connection; null where that is not known. */
    StatementContext user() {
        return user;
    }

    /** The same with the database; null where nothing is known. */
    StatementContext context() {
        StatementContext known = context;
        if (known == null) {
            known = found();
            context = known;
        }
        return known == StatementContext.empty() ? null : known;
    }

    /** Later statements are sent to this one, where the database has such. */
    void moved(String other) {
        catalog = other;
        context = null;
    }

    private StatementContext found() {
        String database = database();
        if (database == null) {
            return user == null ? StatementContext.empty() : user;
        }
        return kept(user == null ? null : user.user(), database);
    }

    private String database() {
        String url = url();
        if (catalog != null) {
            Dialect dialect = Dialect.ofJdbcUrl(url).orElse(null);
            if (dialect == Dialect.MYSQL || dialect == Dialect.MSSQL) {
                return catalog;
            }
        }
        return DatabaseName.ofJdbcUrl(url).orElse(null);
    }

    private String url() {
        try {
            return target.getMetaData().getURL();
        } catch (SQLException | RuntimeException e) {
            // The statement, which is not of this, goes on with no database known.
            return null;
        }
    }

    private static StatementContext kept(String user, String database) {
        int place = (31 * Objects.hashCode(user) + database.hashCode()) & KEPT - 1;
        StatementContext known = CONTEXTS.get(place);
        if (known != null && database.equals(known.database()) && Objects.equals(user, known.user())) {
            return known;
        }
        StatementContext made = StatementContext.builder().user(user).database(database).build();
        CONTEXTS.set(place, made);
        return made;
    }
}
