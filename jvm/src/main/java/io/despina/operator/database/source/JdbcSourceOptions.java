package io.despina.operator.database.source;

import io.despina.operator.database.DatabaseOptions;
import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import java.util.concurrent.Executor;

/**
 * What a {@link JdbcSource} reads.
 *
 * @param schema      of its rows
 * @param times       how often it asks, and how long it waits
 * @param eventTime   or null
 * @param retryMillis how long it tries again while the database is away
 * @param threads     that may block: one reads
 */
public record JdbcSourceOptions(DatabaseOptions database, From from, Schema schema, Times times, EventTime eventTime,
        long retryMillis, Executor threads) {

    /**
     * Where rows are.
     *
     * @param table     its name, or null
     * @param query     if it is none
     * @param column    ordinal of the column that rises, or {@link #NONE}
     * @param fetchRows that the driver fetches at once
     */
    public record From(String table, String query, int column, int fetchRows) {
        /** No column: the rows are read once. */
        public static final int NONE = -1;

        String text() {
            return table != null ? table : "(" + query + ") q";
        }

        /** The field of the graph. */
        String field() {
            return table != null ? "`table`" : "`query`";
        }
    }

    /**
     * How often it asks.
     *
     * @param follow       whether it asks again
     * @param settleMillis how old rows must be, by the column; 0 for any age
     * @param pollMillis   between two times
     */
    public record Times(boolean follow, long settleMillis, long pollMillis) {
    }
}
