package io.despina.operator.database.sink;

import io.despina.ConnectorCase;
import io.despina.operator.RowChange;
import io.despina.operator.database.TestDatabase;
import io.despina.operator.outbox.MarkedSink;
import io.despina.operator.outbox.MarkedTargetContract;
import java.sql.SQLException;
import java.util.List;

/** A table of SQLite. */
@ConnectorCase("jdbc: empty, ahead")
class JdbcTargetTest extends MarkedTargetContract {
    private final TestDatabase database = TestDatabase.SQLITE;

    @Override
    protected void prepare() throws SQLException {
        database.prepare(folder);
        database.execute("CREATE TABLE t (n INTEGER)");
    }

    @Override
    protected MarkedSink sink() {
        return new JdbcSink(new JdbcSinkOptions(database.options(), new JdbcSinkOptions.To("t", List.of(0), List.of(),
                RowChange.NONE, "despina_epochs"), new JdbcSinkOptions.Batch(2, 0), 60_000));
    }

    @Override
    protected List<Integer> rows() throws SQLException {
        return database.rows("SELECT n FROM t").stream().map(Integer::valueOf).toList();
    }
}
