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
     * @param outside     what it has to do with outside of the job
     */
    public record OperatorFacts(String type, int parallelism, List<Manifest.StateType> states, Outside outside) {
        /** Of one that has nothing to do with outside. */
        public OperatorFacts(String type, int parallelism, List<Manifest.StateType> states) {
            this(type, parallelism, states, Outside.NOTHING);
        }
    }

    /**
     * What an operator has to do with outside of the job.
     *
     * @param path     of the files that a source reads; null if it reads none
     * @param columns  of the rows that a sink gets; null if it is none
     * @param rescales whether its place means the same at another parallelism
     */
    public record Outside(String path, String columns, boolean rescales) {
        /** Nothing. */
        public static final Outside NOTHING = new Outside(null, null, true);
    }
}
