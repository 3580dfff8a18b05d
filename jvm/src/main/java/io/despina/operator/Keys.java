package io.despina.operator;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;

/**
 * The keys of an operator's state.
 *
 * @param schema     schema of a key
 * @param projection a packet to its key; null if all packets belong together
 * @param buckets    how many buckets the graph deals keys out to
 */
public record Keys(Schema schema, Compiled<Projection> projection, int buckets) {
    private static final Schema ONE = Schema.of(new Column("all", Type.Simple.TINYINT, false));

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
