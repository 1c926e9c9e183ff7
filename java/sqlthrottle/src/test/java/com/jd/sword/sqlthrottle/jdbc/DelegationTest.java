package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.Statements;
import com.jd.sword.sqlthrottle.Throttle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;
import javax.sql.PooledConnection;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.mockito.Mockito;

/**
 * Every method of every interface reaches the driver's object exactly once, with the same arguments and its result, unless it is on a
 * list of those that the wrapper answers itself. What leads to a connection, a statement or a result leads to a wrapped one.
 */
class DelegationTest {
    /** Answered by the wrapper alone. */
    private static final Set<String> OWN = Set.of(
            "Statement.getConnection()", "PreparedStatement.getConnection()", "CallableStatement.getConnection()",
            "DatabaseMetaData.getConnection()",
            // Which of them holds is asked before: see UnwrapTest.
            "*.unwrap(Class)", "*.isWrapperFor(Class)",
            // Of a statement that the wrapper knows.
            "ResultSet.getStatement()",
            // Listeners are told another source: see XATest.
            "XAConnection.addConnectionEventListener(ConnectionEventListener)",
            "XAConnection.removeConnectionEventListener(ConnectionEventListener)",
            "XAConnection.addStatementEventListener(StatementEventListener)",
            "XAConnection.removeStatementEventListener(StatementEventListener)",
            "PooledConnection.addConnectionEventListener(ConnectionEventListener)",
            "PooledConnection.removeConnectionEventListener(ConnectionEventListener)",
            "PooledConnection.addStatementEventListener(StatementEventListener)",
            "PooledConnection.removeStatementEventListener(StatementEventListener)");
    /** What leads back to the database, and so has to be wrapped wherever it comes from. */
    private static final List<Class<?>> WRAPPED = List.of(Connection.class, Statement.class, ResultSet.class,
            DatabaseMetaData.class, Array.class, PooledConnection.class, XAResource.class);
    /** Builders of connections. */
    private static final Set<String> BUILDERS = Set.of("ConnectionBuilder", "PooledConnectionBuilder", "XAConnectionBuilder");

    private final Throttle throttle = throttle();
    private final Gate gate = new Gate(throttle, InTransaction.APPLY, Dialect.GENERIC, sql -> true, null, Wait.Time.SYSTEM);
    private final Recorder recorder = new Recorder();

    private static Throttle throttle() {
        Throttle throttle = Mockito.mock(Throttle.class);
        Mockito.when(throttle.statements(Mockito.any())).thenReturn(Mockito.mock(Statements.class));
        return throttle;
    }

    @TestFactory
    Stream<DynamicTest> everyMethodReachesTheDriver() {
        return Stream.of(Connection.class, Statement.class, PreparedStatement.class, CallableStatement.class, ResultSet.class,
                Array.class, DatabaseMetaData.class, DataSource.class, XADataSource.class, XAConnection.class,
                XAResource.class, ConnectionPoolDataSource.class, PooledConnection.class)
                .map(type -> dynamicTest(type.getSimpleName(), () -> {
                    for (Method method : type.getMethods()) {
                        if (!Modifier.isStatic(method.getModifiers())) {
                            reachesTheDriver(type, method);
                        }
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> everyMethodOfTheListIsOne() {
        Set<String> all = new TreeSet<>();
        for (Class<?> type : List.of(Statement.class, PreparedStatement.class, CallableStatement.class, DatabaseMetaData.class,
                ResultSet.class, XAConnection.class, PooledConnection.class)) {
            for (Method method : type.getMethods()) {
                all.add(name(type, method));
            }
        }
        return OWN.stream().filter(name -> !name.startsWith("*")).map(name -> dynamicTest(name, () -> assertThat(all).contains(name)));
    }

    private void reachesTheDriver(Class<?> type, Method method) throws Exception {
        String name = name(type, method);
        if (OWN.contains(name) || OWN.contains("*" + name.substring(name.indexOf('.')))) {
            return;
        }
        Object wrapper = wrapper(type);
        recorder.calls.clear();
        Object[] arguments = Arrays.stream(method.getParameterTypes()).map(Values::distinct).toArray();
        Object result = call(method, wrapper, arguments);

        List<Recorder.Call> calls = recorder.calls.stream().filter(call -> isOf(call, method)).collect(Collectors.toList());
        assertThat(calls).as(name).hasSize(1);
        assertThat(recorder.calls).as(name + " asks for nothing else").hasSize(1);
        assertThat(calls.get(0).arguments()).as(name).usingElementComparator((a, b) -> a.equals(b) ? 0 : 1).containsExactly(arguments);
        Object answered = calls.get(0).result();
        if (WRAPPED.stream().anyMatch(wrapped -> wrapped.isInstance(answered))) {
            assertThat(result).as(name + " is wrapped").isNotNull().isNotSameAs(answered);
            assertThat(result.getClass().getPackageName()).as(name).isEqualTo(Gate.class.getPackageName());
        } else if (!BUILDERS.contains(method.getReturnType().getSimpleName())) {
            assertThat(result).as(name).isEqualTo(answered);
        }
    }

    private static boolean isOf(Recorder.Call call, Method method) {
        return call.method().getName().equals(method.getName())
                && Arrays.equals(call.method().getParameterTypes(), method.getParameterTypes());
    }

    private static Object call(Method method, Object wrapper, Object[] arguments) throws Exception {
        try {
            return method.invoke(wrapper, arguments);
        } catch (InvocationTargetException e) {
            throw new AssertionError(method + " has failed", e.getCause());
        }
    }

    private static String name(Class<?> type, Method method) {
        return type.getSimpleName() + "." + method.getName() + Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName).collect(Collectors.joining(",", "(", ")"));
    }

    private Object wrapper(Class<?> type) throws Exception {
        ThrottledConnection connection = new ThrottledConnection(gate, recorder.as(Connection.class), null);
        if (type == Connection.class) {
            return connection;
        } else if (type == Statement.class) {
            return new ThrottledStatement(connection, recorder.as(Statement.class));
        } else if (type == PreparedStatement.class) {
            return new ThrottledPreparedStatement(connection, recorder.as(PreparedStatement.class), "select 2", false);
        } else if (type == CallableStatement.class) {
            return new ThrottledCallableStatement(connection, recorder.as(CallableStatement.class), "{call two}");
        } else if (type == ResultSet.class) {
            ThrottledStatement statement = new ThrottledStatement(connection, new Recorder().as(Statement.class));
            return ThrottledResultSet.of(statement, recorder.as(ResultSet.class), Pass.SEND);
        } else if (type == Array.class) {
            return ThrottledArray.of(connection, recorder.as(Array.class));
        } else if (type == DatabaseMetaData.class) {
            return new ThrottledMetaData(connection, recorder.as(DatabaseMetaData.class));
        } else if (type == DataSource.class) {
            return ThrottledDataSource.builder(recorder.as(DataSource.class), throttle).dialect(Dialect.MYSQL).build();
        } else if (type == XADataSource.class) {
            return ThrottledXADataSource.builder(recorder.as(XADataSource.class), throttle).dialect(Dialect.MYSQL).build();
        }
        if (type == ConnectionPoolDataSource.class) {
            return ThrottledConnectionPoolDataSource.builder(recorder.as(ConnectionPoolDataSource.class), throttle)
                    .dialect(Dialect.MYSQL).build();
        } else if (type == PooledConnection.class) {
            return ThrottledPooledConnection.of(gate, recorder.as(PooledConnection.class), null);
        } else if (type == XAResource.class) {
            return new ThrottledXAResource(recorder.as(XAResource.class), new Branch(), committed -> {});
        }
        return ThrottledXAConnection.of(gate, recorder.as(XAConnection.class), null);
    }
}
