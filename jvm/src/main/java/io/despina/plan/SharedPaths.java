package io.despina.plan;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Rule;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Refuses sinks that write where another sink of the graph writes or a source reads. */
final class SharedPaths {
    private SharedPaths() {
    }

    /**
     * Two file sinks with one path would replace each other's files; a sink that writes where a source reads would replace the
     * input.
     */
    static void refuse(List<Graph.Operator> operators, Map<String, PlannedOperator> planned, Diagnostics diagnostics) {
        Map<String, String> writers = new HashMap<>();
        for (Graph.Operator operator : operators) {
            if (planned.containsKey(operator.id()) && planned.get(operator.id()).spec() instanceof WritesFiles sink) {
                refuseOwnInput(operator, sink, planned.values(), diagnostics);
                String other = writers.putIfAbsent(sink.path().replaceFirst("^file:", ""), operator.id());
                if (other != null) {
                    diagnostics.error(operator.fields().place("path"), Rule.PATH, "`" + operator.id() + "` writes where `" + other
                            + "` does", "give each file_sink a path of its own, or link both streams to one");
                }
            }
        }
    }

    private static void refuseOwnInput(Graph.Operator operator, WritesFiles sink, Collection<PlannedOperator> planned,
            Diagnostics diagnostics) {
        for (PlannedOperator other : planned) {
            String found = other.spec() instanceof ReadsFiles source ? Overlap.words(other.id(), source, sink) : null;
            if (found != null) {
                diagnostics.error(operator.fields().place("path"), Rule.PATH, "`" + operator.id() + "` " + found, Overlap.HINT);
            }
        }
    }
}
