package io.despina.plan;

import java.util.List;

/**
 * What planning an operator gave.
 *
 * @param out  the stream at port {@code out}, before the operator's own {@code event_time}; null for sinks
 * @param keys per input port the texts of its keys, empty where it has none; packets with equal keys must reach one instance
 * @param one  why the operator can have but one instance; null if it may have more
 */
public record PlanningResult(OperatorSpec spec, Stream out, List<List<String>> keys, String one) {

    public static PlanningResult of(OperatorSpec spec, Stream out) {
        return new PlanningResult(spec, out, List.of(), null);
    }

    /** Of a keyed operator with one input: without a key it can have but one instance. */
    public static PlanningResult keyed(OperatorSpec spec, Stream out, List<String> keys) {
        return new PlanningResult(spec, out, List.of(keys), keys.isEmpty() ? "without group_by it has one state" : null);
    }
}
