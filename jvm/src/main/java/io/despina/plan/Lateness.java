package io.despina.plan;

import static io.despina.spec.Never.NEVER;

import io.despina.descriptor.Graph;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.spec.EventTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Warns where packets can arrive too late for an operator, which drops them. */
final class Lateness {
    private static final int MOST_NAMED = 3;
    private final Planning planning;
    private final Map<String, PlannedOperator> planned;
    private final List<PlannedLink> links;
    /** Sources that say how late their packets may be. */
    private final Set<String> known = new HashSet<>();
    /** Answers of {@link #isInOrder}: many ways may lead to one operator. */
    private final Map<String, Boolean> inOrder = new HashMap<>();

    Lateness(Planning planning, Map<String, PlannedOperator> planned, List<PlannedLink> links) {
        this.planning = planning;
        this.planned = planned;
        this.links = links;
    }

    /** Whether the operator drops late packets. */
    static boolean dropsLate(PlannedOperator operator) {
        return operator.outputs().stream().anyMatch(p -> operator.type().isForLate(p.name()))
                && operator.inputs().stream().anyMatch(p -> p.eventTime() != null) && operator.spec().canBeLate();
    }

    /** Warns if one of these sources repeats event times that the operator has seen. */
    void warnOfRepeats(Graph.Operator operator, List<PlannedOperator> sources) {
        for (PlannedOperator source : sources) {
            if (source.assigns() != null && source.spec().repeats()) {
                planning.diagnostics().warning(operator.place(), Rule.LATE, "`" + source.id() + "` repeats, and watermarks do not"
                        + " go back: from its second round on packets are late for `" + operator.id() + "`",
                        "leave `repeat` out where event time matters");
            }
        }
    }

    /**
     * One warning for all ports {@code late} without a link, where packets can be late and the author of the graph has not said
     * how late: who writes {@code max_delay_ms} knows.
     */
    void warnOfUnlinked(List<Graph.Operator> operators) {
        operators.stream().filter(o -> planned.containsKey(o.id()) && saysHowLate(o)).map(Graph.Operator::id).forEach(known::add);
        List<Graph.Operator> late = operators.stream().filter(o -> planned.containsKey(o.id())
                && !planning.diagnostics().accepts(o.id(), Rule.LATE) && dropsUnseen(planned.get(o.id()))).toList();
        if (!late.isEmpty()) {
            planning.diagnostics().warning(late.get(0).place(), Rule.LATE, "packets that come too late for "
                    + named(late.stream().map(Graph.Operator::id).toList()) + " are dropped and counted",
                    "say in the source's event_time how late they may be: \"max_delay_ms\", 0 where they come in order; or link "
                    + "port `late` to keep them; or write \"accept\": [\"late\"]");
        }
    }

    private static boolean saysHowLate(Graph.Operator operator) {
        Values time = operator.type().isSource() ? operator.fields().fields("event_time") : null;
        return time != null && time.isWritten("max_delay_ms");
    }

    private static String named(List<String> ids) {
        return ids.size() <= MOST_NAMED ? String.join(", ", ids)
                : String.join(", ", ids.subList(0, MOST_NAMED)) + " and " + (ids.size() - MOST_NAMED) + " more";
    }

    private boolean dropsUnseen(PlannedOperator operator) {
        return operator.outputs().stream().anyMatch(p -> operator.type().isForLate(p.name()) && !p.linked())
                && dropsLate(operator)
                && !isInOrder(operator.id());
    }

    /**
     * Whether no packet arrives after its watermark that the author does not know of: each instance of the preceding sources
     * makes packets in order of event time, or says how late they are, and what stands between passes them on, or has put them
     * in order and dropped the late ones itself.
     */
    private boolean isInOrder(String id) {
        Boolean before = inOrder.get(id);
        boolean found = before == null ? areInOrder(id) : before;
        inOrder.put(id, found);
        return found;
    }

    private boolean areInOrder(String id) {
        return links.stream().filter(link -> link.to().equals(id)).allMatch(link -> {
            PlannedOperator from = planned.get(link.from());
            if (from.inputs().isEmpty()) {
                return known.contains(from.id()) || rises(from);
            }
            return link.fromPort().equals("out") && ordersOut(from)
                    || from.spec().passesOn() && !link.fromPort().equals("errors") && isInOrder(from.id());
        });
    }

    /** Whether it has one watermark, and its rows the time by which that goes. */
    private static boolean ordersOut(PlannedOperator operator) {
        return operator.spec().ordersOut() && operator.assigns() == null
                && operator.inputs().stream().allMatch(in -> in.eventTime() != null && in.eventTime().per().isEmpty());
    }

    /** Whether its event time never falls. Others do not wait for a source that may be idle. */
    private boolean rises(PlannedOperator source) {
        EventTime time = source.assigns();
        return time != null && time.idleAfterNanos() == NEVER && !time.advances() && planning.settings().ansi()
                && source.spec().rising(planning.expressions()).contains(time.column());
    }
}
