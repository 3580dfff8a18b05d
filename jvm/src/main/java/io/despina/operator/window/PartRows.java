package io.despina.operator.window;

import io.despina.operator.order.Keys;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.Partition;
import io.despina.state.KeyBuckets;

/**
 * The rows that a {@link PartialAggregate} sends in place of packets: what some packets of one group and one window (or pane)
 * have added up to. They travel only between tasks of one job, which run the same version, so the bytes are as they lie in
 * memory.
 */
public final class PartRows {
    /** The column with the start of the window, or of the pane. */
    static final int START = 0;
    /** The column with the group's key: a whole packet, its length included. */
    static final int KEY = 1;
    /** The column with a {@link PartFormat.PartView}. */
    static final int PART = 2;

    /** Of the rows, whatever is aggregated. */
    public static final Schema SCHEMA = Schema.of(new Column("start", Type.Simple.BIGINT, false),
            new Column("key", Type.Simple.BINARY, false), new Column("part", Type.Simple.BINARY, false));

    private PartRows() {
    }

    /** Deals rows out as the link would deal out the packets. */
    public static Partition.KeyHash dealing(Keys keys) {
        return () -> {
            KeyBuckets buckets = keys.dealing();
            Packet key = new Packet(keys.schema().layout());
            return row -> buckets.of(key(row, key));
        };
    }

    /** Moves {@code into} to the row's key. */
    static Packet key(Packet row, Packet into) {
        int from = row.valueStart(KEY);
        into.wrap(row.bytes(), from, row.valueEnd());
        return into;
    }
}
