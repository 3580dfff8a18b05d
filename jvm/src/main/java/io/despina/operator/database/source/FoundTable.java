package io.despina.operator.database.source;

import io.despina.operator.HintedException;
import io.despina.operator.database.DatabaseOptions;
import io.despina.operator.database.DatabaseTry;
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
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a source of a table or a query could read.
 *
 * @param schema all columns, each in the type that holds its values
 * @param column whose values rise: the only column of a primary key of whole numbers; null if there is none
 * @param notes  what a type does not hold, in words for the user
 */
public record FoundTable(Schema schema, String column, List<String> notes) {
    private static final int MOST_DIGITS = 38;
    private static final List<Type.Simple> WHOLE = List.of(Type.Simple.TINYINT, Type.Simple.SMALLINT, Type.Simple.INT,
            Type.Simple.BIGINT);

    public FoundTable {
        notes = List.copyOf(notes);
    }

    /** @throws IOException if it is not there, or the database cannot be asked; the message names the field */
    public static FoundTable of(DatabaseOptions database, From from, long millis) throws IOException {
        return DatabaseTry.of(database, millis, connection -> of(connection, from));
    }

    private static FoundTable of(Connection connection, From from) throws SQLException, IOException {
        boolean sqlite = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT).equals("sqlite");
        List<Column> columns = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet nothing = statement.executeQuery("SELECT * FROM " + from.text() + " WHERE 1 = 0")) {
            FoundColumns found = new FoundColumns(nothing, connection);
            for (int at = 1; at <= found.names().size(); at++) {
                columns.add(new Column(found.name(at), sqlite ? wide(type(found, at, notes)) : type(found, at, notes), true));
            }
        } catch (SQLException wrong) {
            if (Rejection.of(wrong) != Rejection.TABLE || from.table() == null) {
                throw wrong;
            }
            throw new HintedException(from.field() + ": " + DatabaseWords.of(wrong), null,
                    TableNames.missing(connection, from.table()), wrong);
        }
        Schema schema = new Schema(columns);
        return new FoundTable(schema, from.table() == null ? null : key(connection, from.table(), schema), notes);
    }

    /** SQLite's numbers have eight bytes, whatever their column is called. */
    private static Type wide(Type type) {
        return WHOLE.contains(type) ? Type.Simple.BIGINT : type == Type.Simple.FLOAT ? Type.Simple.DOUBLE : type;
    }

    private static Type type(FoundColumns found, int at, List<String> notes) throws SQLException {
        String name = found.typeName(at).toLowerCase(Locale.ROOT);
        return switch (found.type(at)) {
            case Types.BOOLEAN -> Type.Simple.BOOLEAN;
            case Types.BIT -> name.equals("bit") && found.data().getPrecision(at) > 1 ? Type.Simple.STRING : Type.Simple.BOOLEAN;
            case Types.TINYINT -> whole(found, at, 0);
            case Types.SMALLINT -> whole(found, at, 1);
            case Types.INTEGER -> whole(found, at, 2);
            case Types.BIGINT -> whole(found, at, WHOLE.size() - 1);
            case Types.REAL -> Type.Simple.FLOAT;
            case Types.FLOAT, Types.DOUBLE -> name.equals("money") ? Type.Simple.STRING : Type.Simple.DOUBLE;
            case Types.NUMERIC, Types.DECIMAL -> decimal(found, at, notes);
            case Types.DATE -> Type.Simple.DATE;
            case Types.TIMESTAMP_WITH_TIMEZONE -> Type.Simple.TIMESTAMP;
            case Types.TIMESTAMP -> name.equals("timestamptz") ? Type.Simple.TIMESTAMP : Type.Simple.TIMESTAMP_NTZ;
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> Type.Simple.BINARY;
            default -> Type.Simple.STRING;
        };
    }

    private static Type whole(FoundColumns found, int at, int place) throws SQLException {
        if (found.data().isSigned(at)) {
            return WHOLE.get(place);
        }
        return place + 1 < WHOLE.size() ? WHOLE.get(place + 1) : new Type.Decimal(20, 0);
    }

    private static Type decimal(FoundColumns found, int at, List<String> notes) throws SQLException {
        int precision = found.data().getPrecision(at);
        int scale = found.data().getScale(at);
        if (precision >= 1 && precision <= MOST_DIGITS && scale >= 0 && scale <= precision) {
            return new Type.Decimal(precision, scale);
        }
        notes.add("column `" + found.name(at) + "` is " + found.shown(at) + ", of any number of digits: DOUBLE holds 15 of them, "
                + "DECIMAL(38, n) as many as it says, STRING all");
        return Type.Simple.DOUBLE;
    }

    private static String key(Connection connection, String table, Schema schema) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        List<String> keys = new ArrayList<>();
        try (ResultSet found = data.getPrimaryKeys(null, TableNames.schema(connection, table), TableNames.name(table))) {
            while (found.next()) {
                keys.add(found.getString("COLUMN_NAME"));
            }
        }
        int at = keys.size() == 1 ? schema.indexOf(keys.get(0)) : -1;
        return at >= 0 && WHOLE.contains(schema.column(at).type()) ? schema.column(at).name() : null;
    }
}
