package com.jd.sword.sqlthrottle.jdbc;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.List;

/**
 * The columns of an empty result: what an earlier run of the same text showed, or a single one where there was none. Nothing of it is
 * asked of the database again. Of a table, what is not known is left empty, as drivers do that do not know either.
 */
final class Columns implements ResultSetMetaData {
    /** Enough for programs that insist on a column, and for none of them a column of theirs. */
    static final Columns UNKNOWN = new Columns(new Column[] {new Column("ignored", Types.VARCHAR, "VARCHAR", "java.lang.String", 0, 0)});

    /** Beyond that a text keeps none: wide results are not worth the memory. */
    private static final int MOST = 512;

    private final Column[] columns;

    private Columns(Column[] columns) {
        this.columns = columns;
    }

    /** Those of a result that is open; null where its driver fails to tell. */
    static Columns of(ResultSet rows) {
        try {
            ResultSetMetaData known = rows.getMetaData();
            int count = known == null ? 0 : known.getColumnCount();
            if (count == 0 || count > MOST) {
                return null;
            }
            Column[] columns = new Column[count];
            for (int i = 0; i < count; i++) {
                columns[i] = new Column(known.getColumnLabel(i + 1), known.getColumnType(i + 1), known.getColumnTypeName(i + 1),
                        known.getColumnClassName(i + 1), known.getPrecision(i + 1), known.getScale(i + 1));
            }
            return new Columns(columns);
        } catch (SQLException | RuntimeException e) {
            // Made for results that may never be needed: the statement itself has succeeded.
            return null;
        }
    }

    /** The number of a column, from 1; 0 where there is none of that label. Of columns that are not known any label may be one. */
    int find(String label) {
        if (this == UNKNOWN) {
            return 1;
        }
        for (int i = 0; i < columns.length; i++) {
            if (columns[i].label.equalsIgnoreCase(label)) {
                return i + 1;
            }
        }
        return 0;
    }

    /** Their labels in order. */
    List<String> labels() {
        return Arrays.asList(Arrays.stream(columns).map(column -> column.label).toArray(String[]::new));
    }

    private Column column(int number) throws SQLException {
        if (number < 1 || number > columns.length) {
            throw new SQLException("there are " + columns.length + " columns, and no column " + number, "07009");
        }
        return columns[number - 1];
    }

    @Override
    public int getColumnCount() {
        return columns.length;
    }

    @Override
    public String getColumnLabel(int number) throws SQLException {
        return column(number).label;
    }

    @Override
    public String getColumnName(int number) throws SQLException {
        return column(number).label;
    }

    @Override
    public int getColumnType(int number) throws SQLException {
        return column(number).type;
    }

    @Override
    public String getColumnTypeName(int number) throws SQLException {
        return column(number).typeName;
    }

    @Override
    public String getColumnClassName(int number) throws SQLException {
        return column(number).className;
    }

    @Override
    public int getPrecision(int number) throws SQLException {
        return column(number).precision;
    }

    @Override
    public int getScale(int number) throws SQLException {
        return column(number).scale;
    }

    @Override
    public int getColumnDisplaySize(int number) throws SQLException {
        return column(number).precision;
    }

    @Override
    public String getSchemaName(int number) throws SQLException {
        column(number);
        return "";
    }

    @Override
    public String getTableName(int number) throws SQLException {
        column(number);
        return "";
    }

    @Override
    public String getCatalogName(int number) throws SQLException {
        column(number);
        return "";
    }

    @Override
    public boolean isAutoIncrement(int number) throws SQLException {
        column(number);
        return false;
    }

    @Override
    public boolean isCaseSensitive(int number) throws SQLException {
        column(number);
        return true;
    }

    @Override
    public boolean isSearchable(int number) throws SQLException {
        column(number);
        return true;
    }

    @Override
    public boolean isCurrency(int number) throws SQLException {
        column(number);
        return false;
    }

    @Override
    public int isNullable(int number) throws SQLException {
        column(number);
        return columnNullableUnknown;
    }

    @Override
    public boolean isSigned(int number) throws SQLException {
        switch (column(number).type) {
            case Types.TINYINT:
            case Types.SMALLINT:
            case Types.INTEGER:
            case Types.BIGINT:
            case Types.REAL:
            case Types.FLOAT:
            case Types.DOUBLE:
            case Types.NUMERIC:
            case Types.DECIMAL:
                return true;
            default:
                return false;
        }
    }

    @Override
    public boolean isReadOnly(int number) throws SQLException {
        column(number);
        return true;
    }

    @Override
    public boolean isWritable(int number) throws SQLException {
        column(number);
        return false;
    }

    @Override
    public boolean isDefinitelyWritable(int number) throws SQLException {
        column(number);
        return false;
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("an ignored statement has no " + type.getName(), "HY000");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    private static final class Column {
        final String label;
        final int type;
        final String typeName;
        final String className;
        final int precision;
        final int scale;

        Column(String label, int type, String typeName, String className, int precision, int scale) {
            this.label = label;
            this.type = type;
            this.typeName = typeName;
            this.className = className;
            // Rowsets refuse what is below zero.
            this.precision = Math.max(precision, 0);
            this.scale = Math.max(scale, 0);
        }
    }
}
