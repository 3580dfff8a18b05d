package io.despina.operator.database;

import io.despina.operator.HintedException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Names of tables, as graphs have them. */
public final class TableNames {
    private static final Pattern PART = Pattern.compile("\"(?:[^\"]|\"\")*\"|[^.\"]+");

    private TableNames() {
    }

    /** The schema that the table is in; that of the connection if it names none. */
    public static String schema(Connection connection, String table) throws SQLException {
        List<String> parts = parts(table);
        return parts.size() > 1 ? parts.get(parts.size() - 2) : connection.getSchema();
    }

    /** Its name in that schema, without quotes. */
    public static String name(String table) {
        List<String> parts = parts(table);
        return parts.get(parts.size() - 1);
    }

    private static List<String> parts(String table) {
        return PART.matcher(table).results().map(each -> each.group().startsWith("\"")
                ? each.group().substring(1, each.group().length() - 1).replace("\"\"", "\"") : each.group()).toList();
    }

    /** The tables beside one that is missing. */
    public static HintedException.Missing missing(Connection connection, String table) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();      // what failed has spoiled the transaction
        }
        List<String> names = new ArrayList<>();
        try (ResultSet all = connection.getMetaData().getTables(null, schema(connection, table), "%",
                new String[] {"TABLE", "VIEW"})) {
            while (all.next()) {
                names.add(all.getString("TABLE_NAME"));
            }
        }
        return new HintedException.Missing(name(table), names);
    }
}
