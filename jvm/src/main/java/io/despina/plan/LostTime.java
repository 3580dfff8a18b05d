package io.despina.plan;

import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where a stream without event time has lost it, for hints: the operator at which it ends, and what can be done there. And from
 * which sources a stream comes.
 *
 * @param planned all operators that lead to the one that is planned, by id
 */
record LostTime(Wiring wiring, Map<String, PlannedOperator> planned) {

    /** What to do about a stream without event time at that port; null if no source on its way has any. */
    String hint(String operator, String port) {
        return hint(operator, port, new HashSet<>());
    }

    /** @param seen ports that were looked at: many ways may lead to one */
    private String hint(String operator, String port, Set<String> seen) {
        if (!seen.add(operator + "." + port)) {
            return null;
        }
        List<ResolvedLink> wires = wiring.into(operator, port);
        for (ResolvedLink wire : wires) {
            PlannedOperator from = planned.get(wire.from().id());
            String hint = port(wire).eventTime() != null ? null
                    : from.inputs().stream().anyMatch(in -> in.eventTime() != null) ? ends(from, wire.fromPort())
                    : from.inputs().stream().map(in -> hint(from.id(), in.name(), seen)).filter(each -> each != null).findFirst()
                            .orElse(null);
            if (hint != null) {
                return hint;
            }
        }
        return wires.stream().allMatch(wire -> port(wire).eventTime() != null) ? "event time ends at port `" + port + "` of `"
                + operator + "`: the streams that meet there must have the same column as event time, and the same `per`" : null;
    }

    /** The sources whose packets come to an input port. */
    Set<String> sources(String operator, String port) {
        return before(operator, port).stream().filter(each -> each.inputs().isEmpty()).map(PlannedOperator::id)
                .collect(Collectors.toSet());
    }

    /** Whether exploded elements with a time of their own come to an input port. */
    boolean isOfElements(String operator, String port) {
        return before(operator, port).stream().anyMatch(each -> each.spec().ownTime() != null);
    }

    /** The operators whose packets, or what becomes of them, come to an input port. */
    private Collection<PlannedOperator> before(String operator, String port) {
        Map<String, PlannedOperator> found = new LinkedHashMap<>();
        Deque<ResolvedLink> ways = new ArrayDeque<>(wiring.into(operator, port));
        while (!ways.isEmpty()) {
            PlannedOperator from = planned.get(ways.poll().from().id());
            if (found.put(from.id(), from) == null) {
                from.inputs().forEach(in -> ways.addAll(wiring.into(from.id(), in.name())));
            }
        }
        return found.values();
    }

    private PlannedPort port(ResolvedLink wire) {
        PlannedOperator from = planned.get(wire.from().id());
        return from.outputs().get(from.outputIndex(wire.fromPort()));
    }

    private static String ends(PlannedOperator operator, String port) {
        String where = "event time ends at `" + operator.id() + "` (" + operator.type().word() + "): ";
        if (!port.equals("out")) {
            return where + "what leaves by port `" + port + "` has none";
        }
        String why = operator.spec().losesTime();
        return where + (why != null ? why + "; an operator that needs event time must stand before it" : select(operator));
    }

    /** What its select list lacks. */
    private static String select(PlannedOperator operator) {
        List<String> times = new ArrayList<>();
        List<String> wanted = new ArrayList<>();
        for (PlannedPort in : operator.inputs()) {
            EventTime time = in.eventTime();
            Schema schema = in.schema();
            times.add(time == null ? "" : schema.column(time.column()).name());
            if (time != null) {
                time.per().forEach(column -> wanted.add(schema.column(column).name()));
            }
        }
        wanted.add(0, operator.spec().selectsTime(times));
        return "select " + String.join(", ", wanted.stream().distinct().map(each -> "`" + each + "`").toList())
                + " there, unchanged";
    }
}
