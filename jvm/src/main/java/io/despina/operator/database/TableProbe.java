package io.despina.operator.database;

import io.despina.operator.HintedException;
import io.despina.operator.Probe;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Tries a table in which rows are looked up: it has the columns, and they may be read.
 *
 * @param options of the table
 */
public record TableProbe(DatabaseTable.Options options) implements Probe {

    @Override
    public String run(long millis) throws IOException {
        return DatabaseTry.words(options.database(), millis, this::look);
    }

    private String look(Connection connection) throws SQLException, IOException {
        try (PreparedStatement statement = connection.prepareStatement(options.sql(connection) + " AND 1 = 0")) {
            for (int k = 0; k < options.keys().size(); k++) {
                int column = options.schema().indexOf(options.keys().get(k));
                JdbcValues.bindNull(statement, k + 1, options.schema().column(column).type());
            }
            statement.executeQuery().close();
            return "table " + options.table();
        } catch (SQLException why) {
            if (Rejection.of(why) != Rejection.TABLE) {
                throw why;
            }
            throw new HintedException("`table`: " + DatabaseWords.of(why), null,
                    TableNames.missing(connection, options.table()), why);
        }
    }
}
