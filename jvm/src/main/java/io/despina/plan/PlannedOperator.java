package io.despina.plan;

import io.despina.descriptor.OperatorType;
import io.despina.spec.EventTime;
import io.despina.spec.OnError;
import io.despina.spec.Schedule;
import java.util.List;

/**
 * One operator of a plan.
 *
 * @param doc         empty if it has none
 * @param instances   how many there are
 * @param inputs      in the order of the type's declaration, which gives the operator the port's number
 * @param outputs     likewise
 * @param assigns     the event time that this source sets: it makes watermarks from the packets it emits. Null if it sets none,
 *                    and for other operators, which pass on the watermark of their inputs
 * @param blocks      whether it may block (sleep, network) and so runs in the blocking tier
 */
public record PlannedOperator(String id, OperatorType type, String doc, Instances instances, List<PlannedPort> inputs,
        List<PlannedPort> outputs, EventTime assigns, boolean blocks, Schedule schedule, OnError onError,
        OperatorSpec spec) {

    /**
     * The instances of an operator.
     *
     * @param most  how many there are, at least 1
     * @param start how many of them, from the first on, take packets when a job starts; the others when buckets move to them
     */
    public record Instances(int most, int start) {
    }

    public PlannedOperator {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /** How many instances there are, at least 1. */
    public int parallelism() {
        return instances.most();
    }

    /** A copy with another spec. */
    public PlannedOperator with(OperatorSpec other) {
        return new PlannedOperator(id, type, doc, instances, inputs, outputs, assigns, blocks, schedule, onError, other);
    }

    /** Whether that input's watermark, and its idleness, count for the rows that leave. */
    public boolean goesBy(String port) {
        return spec.goesBy(inputIndex(port));
    }

    /** The index of that output port in {@link #outputs}, or -1. */
    public int outputIndex(String port) {
        return indexOf(outputs, port);
    }

    /** The index of that input port in {@link #inputs}, or -1. */
    public int inputIndex(String port) {
        return indexOf(inputs, port);
    }

    private static int indexOf(List<PlannedPort> ports, String name) {
        for (int k = 0; k < ports.size(); k++) {
            if (ports.get(k).name().equals(name)) {
                return k;
            }
        }
        return -1;
    }
}
