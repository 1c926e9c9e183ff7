package com.jd.sword.sqlthrottle.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import lombok.experimental.Delegate;

/** The metadata of a database, whose results and connection are wrapped as others are. Nothing of it is checked. */
final class ThrottledMetaData extends Jdbc43MetaData {
    @Delegate(types = DatabaseMetaData.class, excludes = Intercepted.class)
    private final DatabaseMetaData target;

    private final ThrottledConnection connection;

    ThrottledMetaData(ThrottledConnection connection, DatabaseMetaData target) {
        this.connection = connection;
        this.target = target;
    }

    @Override
    DatabaseMetaData target() {
        return target;
    }

    private ResultSet wrapped(ResultSet rows) {
        return ThrottledResultSet.of(connection, rows);
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public ResultSet getProcedures(String catalog, String schema, String name) throws SQLException {
        return wrapped(target.getProcedures(catalog, schema, name));
    }

    @Override
    public ResultSet getProcedureColumns(String catalog, String schema, String procedure, String column) throws SQLException {
        return wrapped(target.getProcedureColumns(catalog, schema, procedure, column));
    }

    @Override
    public ResultSet getTables(String catalog, String schema, String table, String[] types) throws SQLException {
        return wrapped(target.getTables(catalog, schema, table, types));
    }

    @Override
    public ResultSet getSchemas() throws SQLException {
        return wrapped(target.getSchemas());
    }

    @Override
    public ResultSet getSchemas(String catalog, String schema) throws SQLException {
        return wrapped(target.getSchemas(catalog, schema));
    }

    @Override
    public ResultSet getCatalogs() throws SQLException {
        return wrapped(target.getCatalogs());
    }

    @Override
    public ResultSet getTableTypes() throws SQLException {
        return wrapped(target.getTableTypes());
    }

    @Override
    public ResultSet getColumns(String catalog, String schema, String table, String column) throws SQLException {
        return wrapped(target.getColumns(catalog, schema, table, column));
    }

    @Override
    public ResultSet getColumnPrivileges(String catalog, String schema, String table, String column) throws SQLException {
        return wrapped(target.getColumnPrivileges(catalog, schema, table, column));
    }

    @Override
    public ResultSet getTablePrivileges(String catalog, String schema, String table) throws SQLException {
        return wrapped(target.getTablePrivileges(catalog, schema, table));
    }

    @Override
    public ResultSet getBestRowIdentifier(String catalog, String schema, String table, int scope,
            boolean nullable) throws SQLException {
        return wrapped(target.getBestRowIdentifier(catalog, schema, table, scope, nullable));
    }

    @Override
    public ResultSet getVersionColumns(String catalog, String schema, String table) throws SQLException {
        return wrapped(target.getVersionColumns(catalog, schema, table));
    }

    @Override
    public ResultSet getPrimaryKeys(String catalog, String schema, String table) throws SQLException {
        return wrapped(target.getPrimaryKeys(catalog, schema, table));
    }

    @Override
    public ResultSet getImportedKeys(String catalog, String schema, String table) throws SQLException {
        return wrapped(target.getImportedKeys(catalog, schema, table));
    }

    @Override
    public ResultSet getExportedKeys(String catalog, String schema, String table) throws SQLException {
        return wrapped(target.getExportedKeys(catalog, schema, table));
    }

    @Override
    public ResultSet getCrossReference(String catalog, String schema, String table, String otherCatalog, String otherSchema,
            String otherTable) throws SQLException {
        return wrapped(target.getCrossReference(catalog, schema, table, otherCatalog, otherSchema, otherTable));
    }

    @Override
    public ResultSet getTypeInfo() throws SQLException {
        return wrapped(target.getTypeInfo());
    }

    @Override
    public ResultSet getIndexInfo(String catalog, String schema, String table, boolean unique,
            boolean approximate) throws SQLException {
        return wrapped(target.getIndexInfo(catalog, schema, table, unique, approximate));
    }

    @Override
    public ResultSet getUDTs(String catalog, String schema, String name, int[] types) throws SQLException {
        return wrapped(target.getUDTs(catalog, schema, name, types));
    }

    @Override
    public ResultSet getSuperTypes(String catalog, String schema, String name) throws SQLException {
        return wrapped(target.getSuperTypes(catalog, schema, name));
    }

    @Override
    public ResultSet getSuperTables(String catalog, String schema, String table) throws SQLException {
        return wrapped(target.getSuperTables(catalog, schema, table));
    }

    @Override
    public ResultSet getAttributes(String catalog, String schema, String name, String attribute) throws SQLException {
        return wrapped(target.getAttributes(catalog, schema, name, attribute));
    }

    @Override
    public ResultSet getClientInfoProperties() throws SQLException {
        return wrapped(target.getClientInfoProperties());
    }

    @Override
    public ResultSet getFunctions(String catalog, String schema, String name) throws SQLException {
        return wrapped(target.getFunctions(catalog, schema, name));
    }

    @Override
    public ResultSet getFunctionColumns(String catalog, String schema, String function, String column) throws SQLException {
        return wrapped(target.getFunctionColumns(catalog, schema, function, column));
    }

    @Override
    public ResultSet getPseudoColumns(String catalog, String schema, String table, String column) throws SQLException {
        return wrapped(target.getPseudoColumns(catalog, schema, table, column));
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return Unwrapping.unwrap(this, connection.gate(), target, type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return Unwrapping.isWrapperFor(this, target, type);
    }

    /** What is not handed on as it is. */
    private interface Intercepted {
        Connection getConnection() throws SQLException;

        ResultSet getProcedures(String catalog, String schema, String name) throws SQLException;

        ResultSet getProcedureColumns(String catalog, String schema, String procedure, String column) throws SQLException;

        ResultSet getTables(String catalog, String schema, String table, String[] types) throws SQLException;

        ResultSet getSchemas() throws SQLException;

        ResultSet getSchemas(String catalog, String schema) throws SQLException;

        ResultSet getCatalogs() throws SQLException;

        ResultSet getTableTypes() throws SQLException;

        ResultSet getColumns(String catalog, String schema, String table, String column) throws SQLException;

        ResultSet getColumnPrivileges(String catalog, String schema, String table, String column) throws SQLException;

        ResultSet getTablePrivileges(String catalog, String schema, String table) throws SQLException;

        ResultSet getBestRowIdentifier(String catalog, String schema, String table, int scope,
                boolean nullable) throws SQLException;

        ResultSet getVersionColumns(String catalog, String schema, String table) throws SQLException;

        ResultSet getPrimaryKeys(String catalog, String schema, String table) throws SQLException;

        ResultSet getImportedKeys(String catalog, String schema, String table) throws SQLException;

        ResultSet getExportedKeys(String catalog, String schema, String table) throws SQLException;

        ResultSet getCrossReference(String catalog, String schema, String table, String otherCatalog, String otherSchema,
                String otherTable) throws SQLException;

        ResultSet getTypeInfo() throws SQLException;

        ResultSet getIndexInfo(String catalog, String schema, String table, boolean unique,
                boolean approximate) throws SQLException;

        ResultSet getUDTs(String catalog, String schema, String name, int[] types) throws SQLException;

        ResultSet getSuperTypes(String catalog, String schema, String name) throws SQLException;

        ResultSet getSuperTables(String catalog, String schema, String table) throws SQLException;

        ResultSet getAttributes(String catalog, String schema, String name, String attribute) throws SQLException;

        ResultSet getClientInfoProperties() throws SQLException;

        ResultSet getFunctions(String catalog, String schema, String name) throws SQLException;

        ResultSet getFunctionColumns(String catalog, String schema, String function, String column) throws SQLException;

        ResultSet getPseudoColumns(String catalog, String schema, String table, String column) throws SQLException;

        <T> T unwrap(Class<T> type) throws SQLException;

        boolean isWrapperFor(Class<?> type) throws SQLException;
    }
}
