package io.despina.plan;

import io.despina.descriptor.Graph;
import io.despina.descriptor.Rule;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Warns of exploded elements with a time of their own, where what follows goes by the time of the packet that brought them. */
final class ElementTimes {
    /** What to do about it. */
    static final String INSTEAD = "only a source sets event time: let each element come as a record (each element of a JSON "
            + "array is one), or write the rows with a sink and let the source of a second graph name that time";

    private final Planning planning;
    private final Map<String, PlannedOperator> planned;
    private final List<PlannedLink> links;

    ElementTimes(Planning planning, Map<String, PlannedOperator> planned, List<PlannedLink> links) {
        this.planning = planning;
        this.planned = planned;
        this.links = links;
    }

    void warn(List<Graph.Operator> operators) {
        for (Graph.Operator written : operators) {
            PlannedOperator exploding = planned.get(written.id());
            String time = exploding == null ? null : exploding.spec().ownTime();
            PlannedPort out = time == null ? null : exploding.outputs().get(exploding.outputIndex("out"));
            if (out != null && out.eventTime() != null) {
                Set<String> readers = new TreeSet<>();
                collect(written.id(), readers, new HashSet<>());
                if (!readers.isEmpty()) {
                    planning.diagnostics().warning(written.place(), Rule.ELEMENT_TIME, "each element has a time of its own, `"
                            + time + "`, and " + String.join(", ", readers) + (readers.size() == 1 ? " goes by `" : " go by `")
                            + out.schema().column(out.eventTime().column()).name() + "`, the time of the packet that brought it",
                            INSTEAD + "; if the packet's is right, write \"accept\": [\"element_time\"]");
                }
            }
        }
    }

    /** The first operators behind that go by event time. */
    private void collect(String id, Set<String> readers, Set<String> seen) {
        for (PlannedLink link : links) {
            if (link.from().equals(id) && seen.add(link.to())) {
                if (Lateness.dropsLate(planned.get(link.to()))) {
                    readers.add("`" + link.to() + "`");
                } else {
                    collect(link.to(), readers, seen);
                }
            }
        }
    }
}
