package io.despina.operator.database.sink;

import io.despina.operator.database.DatabaseOptions;
import java.util.List;

/**
 * What a {@link JdbcSink} writes, and where to.
 *
 * @param retryMillis how long it tries again while the database is away or fails
 */
public record JdbcSinkOptions(DatabaseOptions database, To to, Batch batch, long retryMillis) {

    /**
     * A table, and what of a packet becomes a row of it.
     *
     * @param table   as the graph has it: {@code table} or {@code schema.table}
     * @param columns ordinals of the packet's columns, each with a column of its name in the table
     * @param keys    those of them that say which row it is; empty to append
     * @param op      ordinal of the column that says what a packet does, or {@link io.despina.operator.RowChange#NONE}
     * @param marks   the table with the last epoch of each sink
     */
    public record To(String table, List<Integer> columns, List<Integer> keys, int op, String marks) {
        public To {
            columns = List.copyOf(columns);
            keys = List.copyOf(keys);
        }

        boolean upserts() {
            return !keys.isEmpty();
        }
    }

    /**
     * How much is written at once.
     *
     * @param flushMillis when a row has waited so long, it is written
     */
    public record Batch(int rows, long flushMillis) {
    }
}
