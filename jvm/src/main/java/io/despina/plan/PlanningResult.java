package io.despina.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of planning an operator.
 *
 * @param out    the stream at port {@code out}, before the operator's own {@code event_time}; null for sinks
 * @param keys   by input port, the texts of its keys, empty for none; packets with equal keys must reach the same instance
 * @param one    why the operator can only have one instance; null if it may have more
 * @param others by port, the streams at other ports of the type's that differ from that at {@code out}. The graph format says
 *               what leaves by {@code late} and {@code errors}
 */
public record PlanningResult(OperatorSpec spec, Stream out, List<List<String>> keys, String one, Map<String, Stream> others) {

    public PlanningResult(OperatorSpec spec, Stream out, List<List<String>> keys, String one) {
        this(spec, out, keys, one, Map.of());
    }

    public static PlanningResult of(OperatorSpec spec, Stream out) {
        return new PlanningResult(spec, out, List.of(), null);
    }

    /** For a keyed operator with one input: without a key it can only have one instance. */
    public static PlanningResult keyed(OperatorSpec spec, Stream out, List<String> keys) {
        return new PlanningResult(spec, out, List.of(keys), keys.isEmpty() ? "without group_by it has one state" : null);
    }

    /** The same, with another stream at a port. */
    public PlanningResult with(String port, Stream stream) {
        Map<String, Stream> more = new HashMap<>(others);
        more.put(port, stream);
        return new PlanningResult(spec, out, keys, one, Map.copyOf(more));
    }
}
