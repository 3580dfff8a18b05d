package io.despina.expr;

import io.despina.packet.Schema;

/**
 * A checked select list with aggregates.
 *
 * @param keySchema schema of the group's key, floats normalised; null without groups
 * @param keys      projects a packet to its key; null without groups
 * @param result    schema of the rows
 * @param compiled  makes an instance per task
 */
public record AggregationPlan(Schema keySchema, ProjectionPlan keys, Schema result, Compiled<Aggregation> compiled) {
}
