package io.despina.expr;

import io.despina.packet.Schema;
import java.util.List;
import java.util.Set;

/**
 * A checked select list with aggregates.
 *
 * @param keySchema schema of the group's key, floats normalised; null without groups
 * @param keys      projects a packet to its key; null without groups
 * @param result    schema of the rows
 * @param origins   by result column, the ordinal of the input column (the current packet's, if rows are per packet) of which it
 *                  is an unchanged copy, {@link #WINDOW_TIME} for {@code window_time}, or -1
 * @param reads     ordinals of the input columns that it reads, including keys; other columns may hold anything
 * @param compiled  makes an instance per task
 * @param mergeable whether a group's packets may be aggregated in parts, in any order, and the parts merged: accumulators are
 *                  then a few bytes ({@link Aggregation#flat})
 */
public record AggregationPlan(Schema keySchema, ProjectionPlan keys, Schema result, List<Integer> origins,
        Set<Integer> reads, Compiled<Aggregation> compiled, boolean mergeable) {
    /** The origin of a copy of {@code window_time}, the window's end less one microsecond. */
    public static final int WINDOW_TIME = -2;

    public AggregationPlan {
        origins = List.copyOf(origins);
        reads = Set.copyOf(reads);
    }
}
