package io.despina.operator.database;

import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;

/** How many columns a statement gives, as far as its driver knows before it is executed. */
final class GivenColumns {
    /** A driver that tells nothing, or that there are none, may only not know yet. */
    private static final int UNKNOWN = 0;

    private GivenColumns() {
    }

    /**
     * Refuses a statement that gives other columns than the schema has.
     *
     * @param schema how many columns it has; 0 without a schema
     */
    static void check(PreparedStatement statement, int schema) throws SQLException {
        int given = of(statement);
        if (given == UNKNOWN || given == schema) {
            return;
        }
        throw new SQLException(schema == 0 ? "the statement gives rows; name their columns in `schema`"
                : "the statement gives " + columns(given) + ", and `schema` has " + columns(schema));
    }

    private static String columns(int count) {
        return count == 1 ? "1 column" : count + " columns";
    }

    private static int of(PreparedStatement statement) {
        try {
            ResultSetMetaData given = statement.getMetaData();
            return given == null ? UNKNOWN : given.getColumnCount();
        } catch (SQLException cannotTell) {
            return UNKNOWN;     // many a driver knows only when it has the parameters
        }
    }
}
