package io.despina.plan;

import java.util.Set;

/**
 * The input of planning besides the graph.
 *
 * @param target    what cannot run there is an error
 * @param directory absolute path of the folder for relative paths
 * @param inputs    ids of sources that get their packets from the user's program, instead of the graph's input
 * @param output    null unless a program reads one sink's rows from disk
 */
public record PlanOptions(Target target, String directory, Set<String> inputs, Output output) {
    public PlanOptions {
        inputs = Set.copyOf(inputs);
    }

    /**
     * The sink whose rows a program reads, in place of what the graph says. Nobody asked for what other sinks do: they drop
     * what they get.
     *
     * @param toItsEnd whether the program waits for the end, so there must be one
     */
    public record Output(String sink, boolean toItsEnd) {
    }

    public PlanOptions(Target target, String directory, Set<String> inputs) {
        this(target, directory, inputs, null);
    }

    public PlanOptions(Target target, String directory) {
        this(target, directory, Set.of(), null);
    }
}
