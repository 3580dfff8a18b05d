package io.despina.operator.order;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.KeyBuckets;

/**
 * The keys of an operator's state.
 *
 * @param schema     schema of a key
 * @param projection a packet to its key; null if all packets belong together
 * @param buckets    how many buckets the graph deals keys out to
 * @param clocks     by which the groups of these keys go, with time per key; else null
 */
public record Keys(Schema schema, Compiled<Projection> projection, int buckets, Clocks clocks) {
    private static final Schema ONE = Schema.of(new Column("all", Type.Simple.TINYINT, false));

    /** Keys whose groups have common time. */
    public Keys(Schema schema, Compiled<Projection> projection, int buckets) {
        this(schema, projection, buckets, null);
    }

    /** The same keys, whose groups go by these clocks. */
    public Keys with(Clocks others) {
        return new Keys(schema, projection, buckets, others);
    }

    /** The buckets of the keys: by the clock of a group, if it has one, because all groups of a clock stay together. */
    public KeyBuckets dealing() {
        return clocks == null ? new KeyBuckets(schema, buckets) : new KeyBuckets(schema, buckets, clocks.columns());
    }

    /** @param plan a packet to its key, or null if all packets belong together */
    public static Keys of(ProjectionPlan plan, int buckets) {
        return plan == null ? none() : new Keys(plan.result(), plan.compiled(), buckets);
    }

    /** All packets belong together. */
    public static Keys none() {
        return new Keys(ONE, null, 1);
    }

    public boolean isNone() {
        return projection == null;
    }
}
