package io.despina.plan;

import java.util.List;

/**
 * Operators that run as one task per instance, each reading what the one before it writes.
 *
 * @param operators    ids, first to last, at least one
 * @param parallelism  of each operator
 */
public record PlannedChain(List<String> operators, int parallelism) {

    public PlannedChain {
        operators = List.copyOf(operators);
    }

    /** The first operator's id, which names the chain. */
    public String id() {
        return operators.get(0);
    }

    public String last() {
        return operators.get(operators.size() - 1);
    }
}
