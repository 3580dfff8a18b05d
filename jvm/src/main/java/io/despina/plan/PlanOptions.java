package io.despina.plan;

import java.util.Set;

/**
 * The input of planning besides the graph.
 *
 * @param forSpark  whether operators that cannot run on Spark are errors
 * @param directory absolute path of the folder for relative paths
 * @param inputs    ids of sources that get their packets from the user's program, instead of the graph's input
 */
public record PlanOptions(boolean forSpark, String directory, Set<String> inputs) {
    public PlanOptions {
        inputs = Set.copyOf(inputs);
    }

    public PlanOptions(boolean forSpark, String directory) {
        this(forSpark, directory, Set.of());
    }
}
