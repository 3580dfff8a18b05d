package io.despina.descriptor;

import java.util.List;
import java.util.Locale;

/**
 * The words of the graph file: one per operator type, with its ports in the order in which operators number them. The last
 * output of every type is {@code errors}, the dead letters.
 */
public enum OperatorType {
    GENERATOR_SOURCE(List.of(), List.of("out", "errors")),
    FILE_SOURCE(List.of(), List.of("out", "errors")),
    FILE_SINK(List.of("in"), List.of("errors")),
    COLLECT_SINK(List.of("in"), List.of("errors")),
    CONSOLE_SINK(List.of("in"), List.of("errors")),
    DISCARD_SINK(List.of("in"), List.of("errors")),
    RELAY(List.of("in"), List.of("out", "errors")),
    PROJECT(List.of("in"), List.of("out", "errors")),
    FILTER(List.of("in"), List.of("out", "rejected", "errors")),
    EXPLODE(List.of("in"), List.of("out", "errors")),
    UNION(List.of("in"), List.of("out", "errors")),
    SCAN(List.of("in"), List.of("out", "late", "errors")),
    AGGREGATE(List.of("in"), List.of("out", "late", "errors")),
    JOIN(List.of("left", "right"), List.of("out", "late", "errors"));

    private final List<String> inputs;
    private final List<String> outputs;

    OperatorType(List<String> inputs, List<String> outputs) {
        this.inputs = inputs;
        this.outputs = outputs;
    }

    /** As the file writes it, for example {@code file_source}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public List<String> inputs() {
        return inputs;
    }

    public List<String> outputs() {
        return outputs;
    }

    public boolean isSource() {
        return inputs.isEmpty();
    }

    /** Whether only experiments use it: it measures, and does no work of its own. */
    public boolean isForExperiments() {
        return this == RELAY || this == DISCARD_SINK;
    }

    /** The type of that word, or null. */
    public static OperatorType of(String word) {
        for (OperatorType type : values()) {
            if (type.word().equals(word)) {
                return type;
            }
        }
        return null;
    }
}
