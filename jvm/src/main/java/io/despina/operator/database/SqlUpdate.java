package io.despina.operator.database;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Executes a statement that gives no rows for each packet, several in one transaction, and passes packets on once they are
 * committed. No packet waits for others to come: what is there makes a transaction. If one fails, each of its packets gets a
 * transaction of its own, so that only the bad ones go to {@code on_error}. Ports: in; out.
 */
public final class SqlUpdate implements Operator {
    private final StatementOptions options;
    private final int most;
    private final int[] columns;

    private OperatorContext context;
    private Database database;
    private JdbcValues values;
    private Connection prepared;
    private PreparedStatement statement;
    private final List<Packet> batch = new ArrayList<>();
    /** Committed, of which those before {@link #next} have left. */
    private final List<Packet> written = new ArrayList<>();
    private int next;

    /** @param most packets in a transaction */
    public SqlUpdate(StatementOptions options, int most) {
        this.options = options;
        this.most = most;
        columns = options.columns();
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        database = new Database(options.database(), opened);
        values = new JdbcValues(options.database().zone());
        database.call(this::statement);     // a statement that is wrong is an error at once
    }

    private PreparedStatement statement(Connection connection) throws SQLException {
        if (connection != prepared) {
            statement = connection.prepareStatement(options.sql());
            GivenColumns.check(statement, 0);
            connection.setAutoCommit(false);
            prepared = connection;
        }
        return statement;
    }

    /** The last packet of a transaction stays in the cursor until all have left, so no snapshot is taken before. */
    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (next < written.size()) {
            if (!passOn()) {
                return;
            }
            packets.next();
        }
        while (context.hasRoom() && !packets.isEmpty()) {
            while (batch.size() < most && !packets.isEmpty()) {
                batch.add(packets.next().kept());
            }
            try {
                write();
            } finally {
                batch.clear();
            }
            if (!passOn()) {
                packets.unread();
                return;
            }
        }
    }

    private boolean passOn() {
        while (next < written.size()) {
            if (!context.hasRoom()) {
                return false;
            }
            context.output(0).writer().copy(written.get(next++));
        }
        written.clear();
        next = 0;
        return true;
    }

    private void write() throws Exception {
        try {
            commit(batch);
        } catch (SQLException | RuntimeException bad) {
            if (batch.size() == 1) {
                context.badRecord(bad, batch.get(0));
                return;
            }
            for (Packet each : batch) {
                try {
                    commit(List.of(each));
                } catch (SQLException | RuntimeException why) {
                    context.badRecord(why, each);
                }
            }
        }
    }

    private void commit(List<Packet> packets) throws SQLException, InterruptedException {
        database.call(connection -> {
            PreparedStatement prepared = statement(connection);
            try {
                prepared.clearBatch();
                for (Packet each : packets) {
                    for (int k = 0; k < columns.length; k++) {
                        values.bind(prepared, k + 1, each, columns[k]);
                    }
                    prepared.addBatch();
                }
                prepared.executeBatch();
                connection.commit();
            } catch (SQLException | RuntimeException bad) {
                undo(connection, bad);
                throw bad;
            }
            return null;
        });
        written.addAll(packets);
    }

    private static void undo(Connection connection, Exception why) {
        try {
            connection.rollback();
        } catch (SQLException lost) {
            why.addSuppressed(lost);
        }
    }

    @Override
    public void close() {
        if (database != null) {
            database.close();
        }
    }
}
