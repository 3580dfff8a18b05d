package io.despina.operator.database.sink;

import io.despina.operator.Probe;
import io.despina.operator.database.DatabaseTry;
import io.despina.packet.Schema;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Tries what a {@link JdbcSink} writes to: the table can hold the rows, and may be written.
 *
 * @param in    the packets
 * @param marks whether it keeps the last epoch in a table beside it
 */
public record SinkProbe(JdbcSinkOptions options, Schema in, boolean marks) implements Probe {

    @Override
    public String run(long millis) throws IOException {
        return DatabaseTry.words(options.database(), millis, this::look);
    }

    private String look(Connection connection) throws SQLException, IOException {
        Dialect dialect = Dialect.of(connection);
        TargetTable table = TargetTable.of(connection, options.to(), in);
        TableRights.check(connection, dialect, table, options.to().upserts());
        boolean made = marks && new Marks(options.to().marks(), "").isToBeMade(connection, dialect);
        return "table " + table.name() + (made ? ", beside which a job with a state makes " + options.to().marks() + "," : "");
    }
}
