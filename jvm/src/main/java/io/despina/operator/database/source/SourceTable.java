package io.despina.operator.database.source;

import io.despina.operator.HintedException;
import io.despina.operator.database.DatabaseWords;
import io.despina.operator.database.FoundColumns;
import io.despina.operator.database.Rejection;
import io.despina.operator.database.TableNames;
import io.despina.operator.database.source.JdbcSourceOptions.From;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A table or a query as the database has it, and the statements that read it.
 *
 * @param select  what is read of it, in the schema's order
 * @param column  the column that rises as it stands in a statement; null without
 * @param narrow  in words, the columns with values that the schema has no room for
 * @param hasTime whether the server tells its time
 * @param isPlain whether each column is read as what it is: not a value that is no text as one, nor as another kind of number
 */
record SourceTable(String select, String column, List<String> narrow, boolean hasTime, boolean isPlain) {
    private static final List<Integer> WHOLE = List.of(Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT);
    private static final Set<Integer> OTHER_NUMBERS = Set.of(Types.NUMERIC, Types.DECIMAL, Types.REAL, Types.FLOAT, Types.DOUBLE);
    private static final Set<Integer> BYTES = Set.of(Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB);
    private static final List<Type> WHOLE_TYPES = List.of(Type.Simple.TINYINT, Type.Simple.SMALLINT, Type.Simple.INT,
            Type.Simple.BIGINT);

    /**
     * Looks at it.
     *
     * @throws IOException  if it is not there, or lacks a column, or one has values of another kind: with a hint
     * @throws SQLException if the database cannot be asked
     */
    static SourceTable of(Connection connection, From from, Schema schema) throws SQLException, IOException {
        boolean sqlite = connection.getMetaData().getDatabaseProductName().equalsIgnoreCase("sqlite");
        try (Statement statement = connection.createStatement();
                ResultSet nothing = statement.executeQuery("SELECT * FROM " + from.text() + " WHERE 1 = 0")) {
            FoundColumns found = new FoundColumns(nothing, connection);
            List<String> selected = new ArrayList<>();
            List<String> narrow = new ArrayList<>();
            boolean plain = true;
            for (Column column : schema.columns()) {
                int at = found.find(column.name());
                if (at == 0) {
                    throw new HintedException("`schema`: " + from.field() + " has no column `" + column.name() + "`; it has "
                            + String.join(", ", found.names()), "a query may rename it: SELECT … AS " + column.name(),
                            new HintedException.Missing(column.name(), found.names()), null);
                }
                if (!sqlite) {      // whose columns hold anything
                    check(found, at, column, narrow);
                }
                plain &= isPlain(found.type(at), column.type());
                selected.add(found.quoted(at));
            }
            return new SourceTable("SELECT " + String.join(", ", selected) + " FROM " + from.text(),
                    from.column() == From.NONE ? null : selected.get(from.column()), narrow, !sqlite,
                    plain);
        } catch (SQLException wrong) {
            if (Rejection.of(wrong) != Rejection.TABLE) {
                throw wrong;
            }
            throw new HintedException(from.field() + ": " + DatabaseWords.of(wrong), null, from.table() == null
                    ? new HintedException.Missing("", List.of()) : TableNames.missing(connection, from.table()), wrong);
        }
    }

    private static void check(FoundColumns found, int at, Column column, List<String> narrow) throws SQLException, IOException {
        Type type = column.type();
        int has = found.type(at);
        boolean number = WHOLE.contains(has) || OTHER_NUMBERS.contains(has);
        boolean fits = type instanceof Type.Decimal ? number : switch ((Type.Simple) type) {
            case BOOLEAN -> has == Types.BOOLEAN || has == Types.BIT;
            case TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE -> number;
            case STRING -> true;
            case BINARY -> BYTES.contains(has);
            case DATE -> has == Types.DATE;
            case TIMESTAMP -> has == Types.TIMESTAMP || has == Types.TIMESTAMP_WITH_TIMEZONE;
            case TIMESTAMP_NTZ -> has == Types.TIMESTAMP && !found.typeName(at).equalsIgnoreCase("timestamptz");
        };
        if (!fits) {
            throw new HintedException("`schema`: column `" + found.name(at) + "` is " + found.shown(at) + ", and the schema has "
                    + type.sql(), "write its type, or STRING for its text", null);
        }
        if (isNarrow(found, at, type)) {
            narrow.add("column `" + found.name(at) + "` is " + found.shown(at) + ", and the schema has " + type.sql()
                    + ": rows with values that this cannot hold are bad records");
        }
    }

    private static boolean isPlain(int has, Type type) {
        return type instanceof Type.Simple simple && switch (simple) {
            case TINYINT, SMALLINT, INT, BIGINT -> WHOLE.contains(has);
            case FLOAT -> has == Types.REAL;
            case DOUBLE -> has == Types.DOUBLE || has == Types.FLOAT || has == Types.REAL;
            case STRING -> has == Types.VARCHAR || has == Types.CHAR;
            case BOOLEAN, BINARY, DATE, TIMESTAMP, TIMESTAMP_NTZ -> true;
        };
    }

    private static boolean isNarrow(FoundColumns found, int at, Type type) throws SQLException {
        int has = found.type(at);
        if (type instanceof Type.Decimal decimal) {
            int precision = found.data().getPrecision(at);
            return !WHOLE.contains(has) && (precision == 0 || precision - found.data().getScale(at)
                    > decimal.precision() - decimal.scale() || found.data().getScale(at) > decimal.scale());
        }
        int wanted = WHOLE_TYPES.indexOf(type);
        return wanted >= 0 && (OTHER_NUMBERS.contains(has) || WHOLE.indexOf(has) > wanted);
    }

    /**
     * The statement for the rows that follow.
     *
     * @param from    whether it begins at a value, its first parameter
     * @param settled whether rows end at a value, the next one
     */
    String statement(boolean from, boolean settled) {
        if (column == null) {
            return select;
        }
        String end = column + " <= ?";
        return select + (from ? " WHERE " + column + " >= ?" + (settled ? " AND " + end : "")
                : settled ? " WHERE (" + end + " OR " + column + " IS NULL)" : "") + " ORDER BY " + column;
    }
}
