package io.despina.runtime.deployment;

import io.despina.operator.Operator;
import io.despina.packet.Schema;
import io.despina.spec.OnError;
import java.util.List;
import java.util.function.Supplier;

/**
 * One operator instance within a task.
 *
 * @param operatorId the operator's id in the graph
 * @param instance   from 0
 * @param operator   makes the instance, once
 * @param inputs     schema per input port; none for a source
 * @param outputs    schema per output port, in the order in which the operator type declares them
 * @param onError    with {@code errorsPort}, what becomes of bad records
 * @param errorsPort index of the output port {@code errors}, or -1
 * @param fused      the output port whose packets go straight into port 0 of the next stage, the link's name, and the rank of
 *                   its packets; null in the last stage
 */
public record StageSpec(String operatorId, int instance, int parallelism, Supplier<? extends Operator> operator,
                        List<Schema> inputs, List<Schema> outputs, OnError onError, int errorsPort, Fused fused) {

    /** A link inside a task. */
    public record Fused(int port, String link, int rank) {
    }

    public StageSpec {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        if (onError == OnError.DEAD_LETTER && errorsPort < 0) {
            throw new IllegalArgumentException(operatorId + ": dead_letter needs a port `errors`");
        }
    }

    /** @param rank of the packets, see {@link io.despina.buffer.Overdraft} */
    public StageSpec fusedInto(int port, String link, int rank) {
        return new StageSpec(operatorId, instance, parallelism, operator, inputs, outputs, onError, errorsPort,
                new Fused(port, link, rank));
    }
}
