package io.despina.operator.database.sink;

import io.despina.operator.RowChange;
import io.despina.operator.record.NewestRows;
import io.despina.packet.Packet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Writes rows by statements, many in a batch. Of several rows with one key the last is written. */
final class StatementRows implements TableWriter {
    /** Rows of which the driver keeps the values, before it sends them. */
    private static final int BATCH = 1_000;

    private final TargetTable table;
    private final JdbcSinkOptions.To to;
    private final ColumnValues values;
    private final String puts;
    private final String deletes;
    /** Null to append. */
    private final NewestRows newest;
    private Connection prepared;
    private PreparedStatement put;
    private PreparedStatement delete;

    StatementRows(TargetTable table, JdbcSinkOptions.To to, Dialect dialect, ColumnValues values) {
        this.table = table;
        this.to = to;
        this.values = values;
        puts = to.upserts() ? dialect.upsert(table, "?") : dialect.insert(table, "?");
        deletes = to.op() == RowChange.NONE ? null : dialect.delete(table);
        newest = to.upserts() ? new NewestRows(table.keys().stream().mapToInt(TargetTable.Target::ordinal).toArray()) : null;
    }

    @Override
    public void write(Connection connection, PendingRows rows, int from, int to) throws SQLException {
        prepare(connection);
        if (newest == null) {
            append(rows, from, to);
            return;
        }
        newest.find(rows, from, to);
        change(put, rows, from, to);
        if (delete != null) {
            change(delete, rows, from, to);
        }
    }

    private void prepare(Connection connection) throws SQLException {
        if (connection == prepared) {
            put.clearBatch();
            if (delete != null) {
                delete.clearBatch();
            }
            return;
        }
        put = connection.prepareStatement(puts);
        delete = deletes == null ? null : connection.prepareStatement(deletes);
        prepared = connection;
    }

    private void append(PendingRows rows, int from, int to) throws SQLException {
        int batched = 0;
        for (int k = from; k < to; k++) {
            bind(put, rows.row(k), table.columns());
            batched++;
            if (batched == BATCH) {
                put.executeBatch();
                batched = 0;
            }
        }
        if (batched > 0) {
            put.executeBatch();
        }
    }

    /** Executes one of the two statements for the rows that are newest of their keys. */
    private void change(PreparedStatement statement, PendingRows rows, int from, int end) throws SQLException {
        boolean deleting = statement == delete;
        List<TargetTable.Target> columns = deleting ? table.keys() : table.columns();
        int batched = 0;
        for (int k = from; k < end; k++) {
            if (!newest.isNewest(k - from)) {
                continue;
            }
            Packet row = rows.row(k);
            if (RowChange.deletes(row, to.op()) != deleting) {
                continue;
            }
            bind(statement, row, columns);
            batched++;
            if (batched == BATCH) {
                statement.executeBatch();
                batched = 0;
            }
        }
        if (batched > 0) {
            statement.executeBatch();
        }
    }

    private void bind(PreparedStatement statement, Packet row, List<TargetTable.Target> columns) throws SQLException {
        for (int k = 0; k < columns.size(); k++) {
            values.bind(statement, k + 1, row, columns.get(k));
        }
        statement.addBatch();
    }
}
