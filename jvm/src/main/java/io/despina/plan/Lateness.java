package io.despina.plan;

import io.despina.descriptor.Graph;
import io.despina.descriptor.Rule;
import io.despina.spec.EventTime;
import java.util.List;
import java.util.Map;

/** Warns where packets can arrive too late for an operator, which drops them. */
final class Lateness {
    private final Planning planning;
    private final Map<String, PlannedOperator> planned;
    private final List<PlannedLink> links;

    Lateness(Planning planning, Map<String, PlannedOperator> planned, List<PlannedLink> links) {
        this.planning = planning;
        this.planned = planned;
        this.links = links;
    }

    /** Whether the operator drops late packets. */
    static boolean dropsLate(PlannedOperator operator) {
        return operator.outputs().stream().anyMatch(p -> p.name().equals("late"))
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

    /** One warning for all ports {@code late} without a link. */
    void warnOfUnlinked(List<Graph.Operator> operators) {
        List<Graph.Operator> late = operators.stream().filter(o -> planned.containsKey(o.id())
                && !planning.diagnostics().accepts(o.id(), Rule.LATE) && dropsUnseen(planned.get(o.id()))).toList();
        if (!late.isEmpty()) {
            planning.diagnostics().warning(late.get(0).place(), Rule.LATE, "packets that come too late for "
                    + String.join(", ", late.stream().map(Graph.Operator::id).toList()) + " are dropped and counted",
                    "link port `late` to keep them, or write \"accept\": [\"late\"]");
        }
    }

    private boolean dropsUnseen(PlannedOperator operator) {
        return operator.outputs().stream().anyMatch(p -> p.name().equals("late") && !p.linked()) && dropsLate(operator)
                && !isInOrder(operator.id());
    }

    /**
     * Whether each instance of the preceding sources makes packets in order of event time, and no operator between holds packets
     * back, so that no packet arrives after its watermark.
     */
    private boolean isInOrder(String id) {
        return links.stream().filter(link -> link.to().equals(id)).allMatch(link -> {
            PlannedOperator from = planned.get(link.from());
            return from.inputs().isEmpty() ? rises(from)
                    : from.spec().passesOn() && !link.fromPort().equals("errors") && isInOrder(from.id());
        });
    }

    /** Whether its event time never falls. Others do not wait for a source that may be idle. */
    private boolean rises(PlannedOperator source) {
        EventTime time = source.assigns();
        return time != null && time.idleAfterNanos() == EventTime.NEVER && planning.settings().ansi()
                && source.spec().rising(planning.expressions()).contains(time.column());
    }
}
