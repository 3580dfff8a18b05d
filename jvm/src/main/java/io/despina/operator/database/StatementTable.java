package io.despina.operator.database;

import io.despina.operator.OperatorContext;
import io.despina.operator.lookup.FoundRows;
import io.despina.operator.lookup.Table;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The rows that a statement gives for a packet's parameters. */
public final class StatementTable implements Table {
    private final StatementOptions options;
    private final Schema schema;
    private final int[] columns;
    private Database database;
    private ResultRows results;
    private Connection prepared;
    private PreparedStatement statement;
    private long held;

    /** @param schema of its rows */
    public StatementTable(StatementOptions options, Schema schema) {
        this.options = options;
        this.schema = schema;
        columns = options.columns();
    }

    @Override
    public void open(OperatorContext context) throws Exception {
        database = new Database(options.database(), context);
        results = new ResultRows(schema, options.database().zone(), context);
        database.call(this::statement);     // a statement that is wrong is an error at once
    }

    private PreparedStatement statement(Connection connection) throws SQLException {
        if (connection != prepared) {
            statement = connection.prepareStatement(options.sql());
            GivenColumns.check(statement, schema.size());
            prepared = connection;
        }
        return statement;
    }

    @Override
    public void refresh() {
        // every packet asks
    }

    @Override
    public FoundRows find(Packet key) throws SQLException, InterruptedException {
        FoundRows rows = database.call(connection -> results.ask(statement(connection), key, columns));
        held = rows.held();
        return rows;
    }

    @Override
    public long bytes() {
        return held;
    }

    @Override
    public void close() {
        if (database != null) {
            database.close();
        }
    }
}
