package io.despina.expr;

import io.despina.packet.Schema;
import java.util.List;
import java.util.Set;

/**
 * A checked list of expressions.
 *
 * @param result   schema of the result
 * @param origins  by result column, the ordinal (over all inputs of the scope) of the input column of which it is an unchanged
 *                 copy, or -1; event time and order survive through such columns
 * @param reads    the same ordinals of the input columns that it reads; other columns may hold anything
 * @param compiled makes an instance per task
 */
public record ProjectionPlan(Schema result, List<Integer> origins, Set<Integer> reads, Compiled<Projection> compiled) {

    public ProjectionPlan {
        origins = List.copyOf(origins);
        reads = Set.copyOf(reads);
    }
}
