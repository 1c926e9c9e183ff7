package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Fakes;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.Statements;
import java.sql.SQLException;

/**
 * Leaves the executors of MyBatis with a statement that is not sent, and passes none of their caches on the way. Interceptors beneath may
 * see it; who calls a mapper gets what the outermost proxy makes of it. It is thrown for every statement that is refused, and so has no stack.
 */
final class Refusal extends SQLException {
    private static final long serialVersionUID = 1L;

    private final transient Decision decision;
    private final transient Statements statements;
    private final transient String sql;
    private final transient Fakes fakes;

    /** @param fakes what can be made up of its result, if it is such a statement */
    Refusal(Decision decision, Statements statements, String sql, Fakes fakes) {
        super("the statement was not sent: " + decision, SqlThrottledException.SQL_STATE);
        this.decision = decision;
        this.statements = statements;
        this.sql = sql;
        this.fakes = fakes;
    }

    Decision decision() {
        return decision;
    }

    /** Whether there is an honest result of the statement where it is not sent. */
    boolean canBeFaked() {
        return fakes != Fakes.NONE && statements.faked(sql) == fakes;
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
