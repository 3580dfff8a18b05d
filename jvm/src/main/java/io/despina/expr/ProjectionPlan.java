package io.despina.expr;

import io.despina.packet.Schema;
import java.util.List;
import java.util.Set;

/**
 * A checked list of expressions.
 *
 * @param result   schema of what it gives
 * @param origins  per result column, the ordinal (counted over all inputs of the scope) of the input column that it is
 *                 an unchanged copy of, or -1; event time and order survive through these
 * @param reads    the ordinals, counted likewise, of the input columns that it reads; all others may hold anything
 * @param compiled makes an instance per task
 */
public record ProjectionPlan(Schema result, List<Integer> origins, Set<Integer> reads, Compiled<Projection> compiled) {

    public ProjectionPlan {
        origins = List.copyOf(origins);
        reads = Set.copyOf(reads);
    }
}
