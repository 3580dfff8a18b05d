package io.despina.operator.database.sink;

import io.despina.operator.HintedException;
import io.despina.operator.database.DatabaseWords;
import io.despina.operator.database.Rejection;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Collectors;

/** Whether rows may be written into a table, asked without writing one. */
final class TableRights {
    /** SQLSTATE. */
    static final String NO_RIGHT = "42501";

    private TableRights() {
    }

    /** Whether the sink may write, and whether the keys are what rows are told apart by, where the database can say so. */
    static void check(Connection connection, Dialect dialect, TargetTable table, boolean upserts)
            throws SQLException, IOException {
        if (!dialect.explains()) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("EXPLAIN " + (upserts ? dialect.upsert(table, "NULL") : dialect.insert(table, "NULL")));
        } catch (SQLException refused) {
            connection.rollback();
            if (Rejection.of(refused) != Rejection.TABLE) {
                throw refused;
            }
            boolean noKey = upserts && !NO_RIGHT.equals(refused.getSQLState());
            throw new HintedException("`" + (noKey ? "keys" : "table") + "`: " + DatabaseWords.of(refused), noKey
                    ? "rows are told apart by a unique index: CREATE UNIQUE INDEX ON " + table.name() + " ("
                            + table.keys().stream().map(TargetTable.Target::quoted).collect(Collectors.joining(", ")) + ")"
                    : "let an administrator execute: GRANT SELECT, INSERT" + (upserts ? ", UPDATE, DELETE" : "") + " ON "
                            + table.name() + " TO " + connection.getMetaData().getUserName(), refused);
        }
    }
}
