package io.despina.runtime.deployment;

import io.despina.operator.Operator;
import io.despina.packet.Schema;
import io.despina.spec.OnError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * One operator instance within a task, or a part of one.
 *
 * @param operatorId the operator's id in the graph
 * @param instance   from 0
 * @param operator   makes an instance: the first, and one in its place when buckets of keys move
 * @param onError    what becomes of bad records
 * @param fused      the links into later stages of its task, at most one from each output port
 * @param role       what it is of the operator
 */
public record StageSpec(String operatorId, int instance, int parallelism, Supplier<? extends Operator> operator, Ports ports,
                        OnError onError, List<Fused> fused, Role role) {

    /** An operator that is divided counts its packets where they come, and keeps its state where its rows leave. */
    public enum Role {
        /** All of the operator. */
        WHOLE,
        /** Adds packets up in the task before the link. It has no state in snapshots. */
        PARTIAL,
        /** Takes what these have added up. */
        MERGING
    }

    /**
     * Schemas by port.
     *
     * @param inputs  none for a source
     * @param outputs in the order in which the operator type declares them
     * @param errors  index of the output port {@code errors}, or -1
     */
    public record Ports(List<Schema> inputs, List<Schema> outputs, int errors) {

        public Ports {
            inputs = List.copyOf(inputs);
            outputs = List.copyOf(outputs);
        }

        /** Without a port {@code errors}. */
        public Ports(List<Schema> inputs, List<Schema> outputs) {
            this(inputs, outputs, -1);
        }
    }

    /**
     * A link inside a task, into port 0 of a later stage.
     *
     * @param port output port that it begins at
     * @param to   index of the later stage
     * @param link its name in reports; null if it is in none
     * @param rank of its packets, see {@link io.despina.buffer.Overdraft}
     */
    public record Fused(int port, int to, String link, int rank) {
    }

    public StageSpec {
        fused = List.copyOf(fused);
        if (onError == OnError.DEAD_LETTER && ports.errors() < 0) {
            throw new IllegalArgumentException(operatorId + ": dead_letter needs a port `errors`");
        }
    }

    /** The same with one more link into a later stage. */
    public StageSpec fusedInto(Fused way) {
        List<Fused> ways = new ArrayList<>(fused);
        ways.add(way);
        return new StageSpec(operatorId, instance, parallelism, operator, ports, onError, ways, role);
    }
}
