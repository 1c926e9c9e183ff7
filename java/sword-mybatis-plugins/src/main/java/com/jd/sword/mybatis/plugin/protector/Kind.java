package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.Fakes;
import java.util.ArrayList;
import java.util.List;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.executor.keygen.Jdbc3KeyGenerator;
import org.apache.ibatis.executor.keygen.KeyGenerator;
import org.apache.ibatis.executor.keygen.NoKeyGenerator;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.mapping.StatementType;

/** What an executor or a handler is asked for, and what the answer is where the statement is ignored. */
enum Kind {
    QUERY(List.class) {
        @Override
        Fakes fakes(MappedStatement statement, KnownMapping known) {
            return statement.getStatementType() == StatementType.CALLABLE || known.needsRow() ? Fakes.NONE : Fakes.ROWS;
        }

        @Override
        Object empty(int offset) {
            // A new one each time, that may be changed: callers do.
            return new ArrayList<>();
        }
    },
    CURSOR(Cursor.class) {
        @Override
        Fakes fakes(MappedStatement statement, KnownMapping known) {
            return QUERY.fakes(statement, known);
        }

        @Override
        Object empty(int offset) {
            return new EmptyCursor<>(offset);
        }
    },
    UPDATE(Integer.class) {
        @Override
        Fakes fakes(MappedStatement statement, KnownMapping known) {
            return statement.getStatementType() == StatementType.CALLABLE || readsKeys(statement) ? Fakes.NONE : Fakes.COUNT;
        }

        @Override
        Object empty(int offset) {
            return 0;
        }
    },
    /** Of a handler alone, which has nothing to return. */
    BATCH(Object.class) {
        @Override
        Fakes fakes(MappedStatement statement, KnownMapping known) {
            return Fakes.NONE;
        }

        @Override
        Object empty(int offset) {
            return null;
        }
    };

    private final Class<?> result;

    Kind(Class<?> result) {
        this.result = result;
    }

    /** What can be made up of a statement's result. */
    abstract Fakes fakes(MappedStatement statement, KnownMapping known);

    /**
     * The result of a statement that is ignored.
     *
     * @param offset of the first row that was asked for
     */
    abstract Object empty(int offset);

    /** Whether callers can take it for a result. */
    boolean isResult(Object object) {
        return result.isInstance(object);
    }

    private static boolean readsKeys(MappedStatement statement) {
        KeyGenerator generator = statement.getKeyGenerator();
        if (generator instanceof Jdbc3KeyGenerator) {
            // One that every insert has where the configuration says `useGeneratedKeys`, and that has nowhere to put a key.
            String[] properties = statement.getKeyProperties();
            return properties != null && properties.length > 0;
        }
        return !(generator instanceof NoKeyGenerator);
    }
}
