package io.despina.plan;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The input of planning besides the graph.
 *
 * @param target    what cannot run there is an error
 * @param directory absolute path of the folder for relative paths
 * @param inputs    ids of sources that get their packets from the user's program, instead of the graph's input
 * @param output    null unless programs read rows of sinks from disk
 * @param functions by {@code module:name}, what is known of Python functions; of others nothing is said before they are opened
 */
public record PlanOptions(Target target, String directory, Set<String> inputs, Output output,
        Map<String, FunctionFacts> functions) {
    public PlanOptions {
        inputs = Set.copyOf(inputs);
        functions = Map.copyOf(functions);
    }

    /**
     * The sinks whose rows programs read, in place of what the graph says.
     *
     * @param toItsEnd whether the programs wait for the end, so there must be one
     * @param alone    whether nobody asked for what other sinks do: they drop what they get
     */
    public record Output(List<String> sinks, boolean toItsEnd, boolean alone) {
    }

    public PlanOptions(Target target, String directory, Set<String> inputs) {
        this(target, directory, inputs, null, Map.of());
    }

    public PlanOptions(Target target, String directory) {
        this(target, directory, Set.of(), null, Map.of());
    }
}
