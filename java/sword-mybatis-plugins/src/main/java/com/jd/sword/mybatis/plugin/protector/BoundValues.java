package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.jdbc.Parameters;
import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;
import java.util.stream.BaseStream;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.mapping.ParameterMapping;
import org.apache.ibatis.mapping.ParameterMode;
import org.apache.ibatis.reflection.MetaObject;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.type.TypeHandler;

/**
 * What a statement will be bound to, for rules that look at it: the values that MyBatis takes from the parameter object, as its type
 * handlers hand them to the driver. Interceptors of parameter handlers are not asked, as they may change the object each time.
 */
final class BoundValues {
    private BoundValues() {}

    static List<String> of(MappedStatement statement, BoundSql sql) {
        Parameters values = new Parameters();
        PreparedStatement recorder = recorder(values);
        Configuration configuration = statement.getConfiguration();
        MetaObject object = null;
        List<ParameterMapping> mappings = sql.getParameterMappings();
        for (int i = 0; mappings != null && i < mappings.size(); i++) {
            ParameterMapping mapping = mappings.get(i);
            // Unknown, unless it is bound below: what follows keeps its place.
            values.set(i + 1, null);
            if (mapping.getMode() != ParameterMode.OUT) {
                try {
                    if (object == null && sql.getParameterObject() != null) {
                        object = configuration.newMetaObject(sql.getParameterObject());
                    }
                    Object value = value(configuration, sql, mapping.getProperty(), object);
                    if (value != null && !isReadOnce(value)) {
                        bind(mapping, i + 1, value, recorder);
                    }
                } catch (SQLException | RuntimeException e) {
                    // What cannot be bound is unknown to rules; where that is a fault, MyBatis is about to say so.
                    values.set(i + 1, null);
                }
            }
        }
        return values.list();
    }

    private static Object value(Configuration configuration, BoundSql sql, String property, MetaObject object) {
        if (sql.hasAdditionalParameter(property)) {
            return sql.getAdditionalParameter(property);
        }
        Object whole = sql.getParameterObject();
        if (whole == null || configuration.getTypeHandlerRegistry().hasTypeHandler(whole.getClass())) {
            return whole;
        }
        return object.getValue(property);
    }

    /** Whether a type handler that reads it here would leave nothing for the database. */
    private static boolean isReadOnce(Object value) {
        return value instanceof InputStream || value instanceof Reader || value instanceof Iterator || value instanceof BaseStream;
    }

    @SuppressWarnings("unchecked")
    private static void bind(ParameterMapping mapping, int index, Object value, PreparedStatement recorder) throws SQLException {
        ((TypeHandler<Object>) mapping.getTypeHandler()).setParameter(recorder, index, value, mapping.getJdbcType());
    }

    /** A statement that does nothing but take note of what it is bound to. */
    private static PreparedStatement recorder(Parameters values) {
        return (PreparedStatement) Proxy.newProxyInstance(BoundValues.class.getClassLoader(), new Class<?>[] {PreparedStatement.class},
                (self, method, arguments) -> {
                    if (method.getName().startsWith("set") && arguments.length > 1 && arguments[0] instanceof Integer) {
                        boolean isNull = method.getName().equals("setNull");
                        values.set((Integer) arguments[0], isNull ? null : Parameters.text(arguments[1]));
                        return null;
                    }
                    throw new SQLException("a type handler asks for more than to bind a value");
                });
    }
}
