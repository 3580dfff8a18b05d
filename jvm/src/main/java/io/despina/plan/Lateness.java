package io.despina.plan;

import io.despina.descriptor.Graph;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Scope;
import io.despina.spec.EventTime;
import io.despina.spec.Window;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Warns where packets can come too late for an operator, and are dropped. */
final class Lateness {
    /** What hands on packets and watermarks as they come. */
    private static final Set<OperatorType> STATELESS = Set.of(OperatorType.PROJECT, OperatorType.FILTER, OperatorType.EXPLODE,
            OperatorType.UNION, OperatorType.RELAY);

    private final Planning planning;
    private final Map<String, Graph.Operator> written;
    private final Map<String, PlannedOperator> planned;
    private final List<PlannedLink> links;

    Lateness(Planning planning, Graph graph, Map<String, PlannedOperator> planned, List<PlannedLink> links) {
        this.planning = planning;
        this.planned = planned;
        this.links = links;
        written = graph.operators().stream().collect(Collectors.toMap(Graph.Operator::id, Function.identity()));
    }

    /** Whether packets that are late for it would be dropped. */
    static boolean dropsLate(PlannedOperator operator) {
        return operator.outputs().stream().anyMatch(p -> p.name().equals("late"))
                && operator.inputs().stream().anyMatch(p -> p.eventTime() != null) && !isFinal(operator.spec());
    }

    private static boolean isFinal(OperatorSpec spec) {
        return spec instanceof OperatorSpec.Aggregate aggregate && aggregate.window() instanceof Window.Final;
    }

    /** Warns if one of these sources repeats the times that the operator has seen. */
    void warnOfRepeats(Graph.Operator operator, List<PlannedOperator> sources) {
        for (PlannedOperator source : sources) {
            if (source.assigns() != null && source.spec() instanceof OperatorSpec.FileSource file && file.repeat() != 1) {
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
     * Whether each instance of the sources before it makes its packets in order of event time, and nothing between them holds
     * packets back: then none comes behind its watermark.
     */
    private boolean isInOrder(String id) {
        return links.stream().filter(link -> link.to().equals(id)).allMatch(link -> {
            PlannedOperator from = planned.get(link.from());
            return from.inputs().isEmpty() ? rises(from)
                    : STATELESS.contains(from.type()) && !link.fromPort().equals("errors") && isInOrder(from.id());
        });
    }

    /** Whether it is a generator whose event time never falls. One that may be idle is waited for by nobody. */
    private boolean rises(PlannedOperator source) {
        EventTime time = source.assigns();
        if (time == null || time.idleAfterNanos() != EventTime.NEVER || !planning.settings().ansi()
                || !(source.spec() instanceof OperatorSpec.GeneratorSource made)
                || !(made.rows() instanceof OperatorSpec.Rows.Select rows)) {
            return false;
        }
        Values fields = written.get(source.id()).fields().fields("rows");
        return planning.expressions().rising(Scope.of(rows.input()), Snippet.of(fields.texts("select"))).contains(time.column());
    }
}
