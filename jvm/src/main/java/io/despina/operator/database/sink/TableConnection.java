package io.despina.operator.database.sink;

import io.despina.connect.Marker;
import io.despina.connect.RefusedException;
import io.despina.operator.OperatorContext;
import io.despina.operator.database.Database;
import io.despina.operator.database.DatabaseWords;
import io.despina.operator.database.JdbcValues;
import io.despina.operator.database.Rejection;
import io.despina.packet.Schema;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;

/** The connection of a sink to its table. It knows how rows are written there. */
final class TableConnection {
    private final JdbcSinkOptions options;
    private final Schema in;
    private final Database database;
    private final Marks marks;
    private Connection checked;
    private Dialect dialect;
    private TableWriter writer;
    /** The last that {@link #isPassing}: its connection may be gone, by which it was known. */
    private SQLException passed;

    /** @param marks whether the table with marks is needed */
    TableConnection(JdbcSinkOptions options, OperatorContext context, boolean marks) {
        this.options = options;
        in = context.input(0);
        database = new Database(options.database(), context).with("reWriteBatchedInserts", "true").with("tcpKeepAlive", "true");
        this.marks = marks ? new Marks(options.to().marks(), context.operatorId()) : null;
    }

    /** Connects, if there is no connection, and looks whether the table is as it must be. */
    void check() throws SQLException, IOException {
        Connection connection = database.connection();
        if (connection == checked) {
            return;
        }
        try {
            look(connection);
            checked = connection;
        } catch (SQLException | IOException | RuntimeException wrong) {
            database.drop();        // and its locks with it
            throw wrong;
        }
    }

    private void look(Connection connection) throws SQLException, IOException {
        connection.setAutoCommit(false);
        dialect = Dialect.of(connection);
        TargetTable table = TargetTable.of(connection, options.to(), in);
        TableRights.check(connection, dialect, table, options.to().upserts());
        writer = writer(connection, table);
        connection.commit();
        if (marks != null) {
            marks.make(connection);
        }
    }

    private TableWriter writer(Connection connection, TargetTable table) throws SQLException {
        if (dialect == Dialect.POSTGRESQL && !options.to().upserts()) {
            TableWriter copied = CopiedRows.of(connection, table, BinaryRows.of(table, options.to().columns().stream()
                    .map(ordinal -> in.column(ordinal).type()).toList(), options.database().zone()));
            if (copied != null) {
                return copied;
            }
        }
        return new StatementRows(table, options.to(), dialect, new ColumnValues(new JdbcValues(options.database().zone()),
                dialect));
    }

    void write(PendingRows rows, int from, int to) throws SQLException {
        writer.write(checked, rows, from, to);
    }

    /** Writes them within the transaction: if they cannot be written, the rest of it stays. */
    void writeApart(PendingRows rows, int from, int to) throws SQLException {
        Savepoint before = checked.setSavepoint();
        try {
            writer.write(checked, rows, from, to);
            checked.releaseSavepoint(before);
        } catch (SQLException | RuntimeException why) {
            try {
                checked.rollback(before);
            } catch (SQLException lost) {
                why.addSuppressed(lost);
            }
            throw why;
        }
    }

    /**
     * Begins a transaction that has the mark of that epoch.
     *
     * @param early whether what the table checks at the end of a transaction is to be checked row by row
     */
    Marker claim(String sink, long epoch, boolean early) throws SQLException, RefusedException {
        Marker claim = marks.claim(checked, sink, epoch);
        if (claim != Marker.ABSENT) {
            checked.rollback();
        } else if (early && dialect == Dialect.POSTGRESQL) {
            try (Statement statement = checked.createStatement()) {
                statement.execute("SET CONSTRAINTS ALL IMMEDIATE");
            }
        }
        return claim;
    }

    void commit() throws SQLException {
        checked.commit();
        if (marks != null) {
            marks.committed();
        }
    }

    void undo(Exception why) {
        try {
            if (checked != null && !checked.isClosed()) {
                checked.rollback();
            }
        } catch (SQLException lost) {
            why.addSuppressed(lost);
        }
    }

    /** Whether it may work when it is tried again. If the connection is lost, it is given up. */
    boolean isPassing(SQLException why) {
        boolean passing = why == passed || database.isLost(Rejection.cause(why)) || Rejection.of(why) == Rejection.LATER;
        if (passing && why != passed) {
            undo(why);
            passed = why;
        }
        return passing;
    }

    /** What to say of a table that does not take rows as it did: what is missing now, if that can be seen. */
    Exception changed(SQLException why) {
        undo(why);
        try {
            checked = null;
            check();
        } catch (IOException | SQLException clearer) {
            return clearer;
        }
        return new IOException("`table`: " + DatabaseWords.of(why), why);
    }

    void cut() {
        database.cut();
    }

    void close() {
        database.close();
    }
}
