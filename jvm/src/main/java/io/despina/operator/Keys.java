package io.despina.operator;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.KeyBuckets;
import java.util.List;

/**
 * The keys of an operator's state.
 *
 * @param schema     schema of a key
 * @param projection a packet to its key; null if all packets belong together
 * @param buckets    how many buckets the graph deals keys out to
 * @param dealt      ordinals of the key's columns by which it is dealt out; empty for all
 */
public record Keys(Schema schema, Compiled<Projection> projection, int buckets, List<Integer> dealt) {
    private static final Schema ONE = Schema.of(new Column("all", Type.Simple.TINYINT, false));

    public Keys {
        dealt = List.copyOf(dealt);
    }

    /** Dealt out by the whole key. */
    public Keys(Schema schema, Compiled<Projection> projection, int buckets) {
        this(schema, projection, buckets, List.of());
    }

    /** The same keys, dealt out by some of their columns. */
    public Keys dealtBy(List<Integer> columns) {
        return new Keys(schema, projection, buckets, columns);
    }

    /** The buckets of the keys. */
    public KeyBuckets dealing() {
        return dealt.isEmpty() ? new KeyBuckets(schema, buckets) : new KeyBuckets(schema, buckets, dealt);
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
