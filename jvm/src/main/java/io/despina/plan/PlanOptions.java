package io.despina.plan;

/**
 * What planning needs besides the graph.
 *
 * @param forSpark  what cannot run on Spark is an error
 * @param directory absolute path that relative paths are of
 */
public record PlanOptions(boolean forSpark, String directory) {
}
