package io.despina.control.epoch;

import io.despina.snapshot.Manifest;
import java.util.List;
import java.util.Map;

/**
 * What a graph's plan says about the states of its operators.
 *
 * @param graph     its name
 * @param buckets   its number of buckets for keys
 * @param operators by id
 */
public record PlanFacts(String graph, int buckets, Map<String, OperatorFacts> operators) {

    /**
     * An operator.
     *
     * @param type        as in the graph file
     * @param parallelism its instances
     * @param states      what they will keep; empty if that is only known when they run
     */
    public record OperatorFacts(String type, int parallelism, List<Manifest.StateType> states) {
    }
}
