package io.despina.plan;

import java.util.Set;

/**
 * What planning needs besides the graph.
 *
 * @param forSpark  what cannot run on Spark is an error
 * @param directory absolute path that relative paths are of
 * @param inputs    ids of sources that get their packets from the user's program, in place of what the graph says
 */
public record PlanOptions(boolean forSpark, String directory, Set<String> inputs) {
    public PlanOptions {
        inputs = Set.copyOf(inputs);
    }

    public PlanOptions(boolean forSpark, String directory) {
        this(forSpark, directory, Set.of());
    }
}
