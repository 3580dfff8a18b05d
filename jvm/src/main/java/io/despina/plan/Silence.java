package io.despina.plan;

import static io.despina.spec.Never.NEVER;

import io.despina.descriptor.Graph;
import io.despina.descriptor.Rule;
import io.despina.spec.EventTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Warns of sources without an end whose silence would hold back, for as long as it lasts, what waits for their watermark. An
 * idle source is not waited for while another one is active, so {@code idle_after_ms} helps where several meet; one that is alone
 * must go on with the clock.
 */
final class Silence {
    private final Planning planning;
    private final Map<String, PlannedOperator> planned;
    private final List<PlannedLink> links;

    Silence(Planning planning, Map<String, PlannedOperator> planned, List<PlannedLink> links) {
        this.planning = planning;
        this.planned = planned;
        this.links = links;
    }

    /** @param unbounded by operator, whether its packets may have no end */
    void warn(List<Graph.Operator> operators, Map<String, Boolean> unbounded) {
        for (Graph.Operator written : operators) {
            PlannedOperator source = planned.get(written.id());
            if (source != null && source.assigns() != null && unbounded.get(source.id()) && source.spec().canBeSilent()
                    && !source.assigns().advances()) {
                warn(written, source, unbounded);
            }
        }
    }

    private void warn(Graph.Operator written, PlannedOperator source, Map<String, Boolean> unbounded) {
        EventTime time = source.assigns();
        boolean isIdle = time.idleAfterNanos() != NEVER;
        List<String> alone = new ArrayList<>();
        List<String> waiting = new ArrayList<>();
        for (PlannedOperator operator : planned.values()) {
            Set<String> sources = Lateness.dropsLate(operator) ? Upstream.of(operator.id(), planned::get, links).sources()
                    : Set.of();
            if (sources.contains(source.id())) {
                boolean one = sources.stream().filter(unbounded::get).mapToInt(id -> planned.get(id).parallelism()).sum() == 1;
                (one ? alone : waiting).add("`" + operator.id() + "`");
            }
        }
        if (isIdle && (time.isPerKey() || alone.isEmpty()) || alone.isEmpty() && waiting.isEmpty()) {
            return;
        }
        List<String> held = alone.isEmpty() ? waiting : alone;
        planning.diagnostics().warning(written.fields().place("event_time"), Rule.SILENT, "`" + source.id() + "` has no end, and "
                + (time.isPerKey() ? "while a key of it is silent, what waits for the key's clock in "
                : "while it is silent, what waits for its watermark in ") + String.join(", ", held) + " does not leave",
                hint(time.isPerKey(), alone.isEmpty(), isIdle) + "; if that is right, write \"accept\": [\"silent\"]");
    }

    private static String hint(boolean perKey, boolean meet, boolean isIdle) {
        String advance = "\"advance\": {\"after_ms\": …}";
        return perKey ? "add `idle_after_ms` to its event_time: after that silence a key ends what it has begun"
                : meet ? "add `idle_after_ms` to its event_time: after that silence the others do not wait for it; or `advance`, "
                + "if all may be silent at once"
                : isIdle ? "add " + advance + " to its event_time: `idle_after_ms` helps only where another source is active"
                : "add " + advance + " to its event_time: after that silence its watermark goes on with the wall clock";
    }
}
