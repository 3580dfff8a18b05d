package io.despina.operator.database.sink;

import io.despina.operator.HintedException;
import io.despina.operator.database.DatabaseWords;
import io.despina.operator.database.FoundColumns;
import io.despina.operator.database.Rejection;
import io.despina.operator.database.TableNames;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The table as the database has it.
 *
 * @param name    as it stands in a statement
 * @param columns those that are written, in the order of the packet's columns
 */
record TargetTable(String name, List<Target> columns) {
    private static final Set<Integer> WHOLE = Set.of(Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT);
    private static final Set<Integer> EXACT = Set.of(Types.NUMERIC, Types.DECIMAL);
    private static final Set<Integer> REAL = Set.of(Types.REAL, Types.FLOAT, Types.DOUBLE);
    private static final Set<Integer> BYTES = Set.of(Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB);
    private static final Set<Integer> NO_TEXT = Set.of(Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.NUMERIC,
            Types.DECIMAL, Types.REAL, Types.FLOAT, Types.DOUBLE, Types.BOOLEAN, Types.BIT, Types.DATE, Types.TIMESTAMP,
            Types.TIMESTAMP_WITH_TIMEZONE, Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB);
    /** PostgreSQL's, besides its enums. */
    private static final Set<String> TEXTS = Set.of("text", "varchar", "bpchar", "name");

    /**
     * One column.
     *
     * @param ordinal  of the packet's column
     * @param type     of {@link Types}
     * @param typeName as the database calls it
     */
    record Target(int ordinal, String name, String quoted, int type, String typeName, boolean isKey) {
        /** Whether a text is not simply a text for it: a uuid, json, an address. */
        boolean isOther() {
            return type == Types.OTHER || type == Types.SQLXML || type == Types.VARCHAR && !TEXTS.contains(typeName);
        }
    }

    List<Target> keys() {
        return columns.stream().filter(Target::isKey).toList();
    }

    /**
     * Looks at the table.
     *
     * @throws IOException  if it is not there, or lacks a column, or one cannot hold what the packet has: with a hint
     * @throws SQLException if the database cannot be asked
     */
    static TargetTable of(Connection connection, JdbcSinkOptions.To to, Schema in) throws SQLException, IOException {
        Dialect dialect = Dialect.of(connection);
        try (Statement statement = connection.createStatement();
                ResultSet nothing = statement.executeQuery("SELECT * FROM " + to.table() + " WHERE 1 = 0")) {
            FoundColumns found = new FoundColumns(nothing, connection);
            List<Target> columns = new ArrayList<>();
            for (int ordinal : to.columns()) {
                columns.add(column(found, in.column(ordinal), new Wanted(ordinal, to, dialect)));
            }
            missing(found.data(), connection, to, columns);
            return new TargetTable(to.table(), columns);
        } catch (SQLException wrong) {
            if (Rejection.of(wrong) != Rejection.TABLE) {
                throw wrong;
            }
            throw new HintedException("`table`: " + DatabaseWords.of(wrong), ddl(dialect, to, in),
                    TableNames.missing(connection, to.table()), wrong);
        }
    }

    /** What would make a table for the stream. */
    private static String ddl(Dialect dialect, JdbcSinkOptions.To to, Schema in) {
        List<String> lines = new ArrayList<>();
        for (int ordinal : to.columns()) {
            Column each = in.column(ordinal);
            lines.add(Dialect.shown(each.name()) + " " + dialect.type(each.type()) + (each.nullable() ? "" : " NOT NULL"));
        }
        if (to.upserts()) {
            lines.add("PRIMARY KEY (" + to.keys().stream().map(key -> Dialect.shown(in.column(key).name()))
                    .collect(Collectors.joining(", ")) + ")");
        }
        return "a table for this stream is made by: CREATE TABLE " + to.table() + " (" + String.join(", ", lines) + ")";
    }

    private record Wanted(int ordinal, JdbcSinkOptions.To to, Dialect dialect) {
    }

    private static Target column(FoundColumns found, Column column, Wanted wanted) throws SQLException, IOException {
        int at = found.find(column.name());
        String table = wanted.to.table();
        if (at == 0) {
            throw new HintedException("`table`: " + table + " has no column `" + column.name() + "`; it has "
                    + String.join(", ", found.names()), "rename it by a project, or name in `columns` those to write",
                    new HintedException.Missing(column.name(), found.names()), null);
        }
        if (wanted.dialect != Dialect.SQLITE && !holds(found, at, column.type())) {     // whose columns hold anything
            throw new HintedException("`table`: column `" + found.name(at) + "` of " + table + " is " + found.shown(at)
                    + ", and the stream's is " + column.type().sql(), "cast it in a project before the sink, or make the column "
                    + wanted.dialect.type(column.type()), null);
        }
        return new Target(wanted.ordinal, found.name(at), found.quoted(at), found.type(at), found.typeName(at),
                wanted.to.keys().contains(wanted.ordinal));
    }

    /** Whether the column holds values of that type. Of some it may hold too few: those are bad records. */
    private static boolean holds(FoundColumns found, int at, Type type) throws SQLException {
        int column = found.type(at);
        boolean number = EXACT.contains(column) || REAL.contains(column);
        if (type instanceof Type.Decimal decimal) {
            boolean exact = EXACT.contains(column)
                    && (found.data().getPrecision(at) == 0 || found.data().getScale(at) >= decimal.scale());
            return exact || REAL.contains(column) || decimal.scale() == 0 && WHOLE.contains(column);
        }
        return switch ((Type.Simple) type) {
            case BOOLEAN -> column == Types.BOOLEAN || column == Types.BIT;
            case TINYINT, SMALLINT, INT, BIGINT -> number || WHOLE.contains(column);
            case FLOAT, DOUBLE -> number;
            case STRING -> !NO_TEXT.contains(column);
            case BINARY -> BYTES.contains(column);
            case DATE -> column == Types.DATE;
            case TIMESTAMP -> column == Types.TIMESTAMP || column == Types.TIMESTAMP_WITH_TIMEZONE;
            case TIMESTAMP_NTZ -> column == Types.TIMESTAMP && !found.typeName(at).equalsIgnoreCase("timestamptz");
        };
    }

    /** Refuses a table with another column in which every row must have a value. */
    private static void missing(ResultSetMetaData found, Connection connection, JdbcSinkOptions.To to, List<Target> written)
            throws SQLException, IOException {
        Set<String> names = written.stream().map(Target::name).collect(Collectors.toSet());
        Set<String> needed = new TreeSet<>();
        for (int k = 1; k <= found.getColumnCount(); k++) {
            if (!names.contains(found.getColumnName(k)) && found.isNullable(k) == ResultSetMetaData.columnNoNulls
                    && !found.isAutoIncrement(k)) {
                needed.add(found.getColumnName(k));
            }
        }
        if (needed.isEmpty()) {
            return;
        }
        try (ResultSet all = connection.getMetaData().getColumns(null, TableNames.schema(connection, to.table()),
                TableNames.name(to.table()), null)) {
            while (all.next()) {
                if (all.getString("COLUMN_DEF") != null || "YES".equals(all.getString("IS_GENERATEDCOLUMN"))
                        || "YES".equals(all.getString("IS_AUTOINCREMENT"))) {
                    needed.remove(all.getString("COLUMN_NAME"));
                }
                names.add(all.getString("COLUMN_NAME"));
            }
        }
        needed.retainAll(names);       // of a table that was not found there, nothing is known
        needed.removeAll(written.stream().map(Target::name).toList());
        if (!needed.isEmpty()) {
            throw new HintedException("`table`: " + to.table() + " has columns that must have a value, and the stream has none "
                    + "for them: " + String.join(", ", needed), "add them by a project, or give them defaults in the table",
                    null);
        }
    }
}
