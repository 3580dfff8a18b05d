package io.despina.plan;

import io.despina.descriptor.Graph;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.spec.EventTime;
import io.despina.spec.Partition;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Holds streams with time per key to what their clocks need: that the packets of a key come to each operator that goes by its
 * clock in the order in which a source instance made them. So they must not part on their way, or take two ways.
 */
final class KeyPaths {
    private final Planning planning;
    private final Graph graph;
    private final Map<String, PlannedOperator> planned;
    private final List<PlannedLink> links;
    /** By operator, the sources of its packets. */
    private final Map<String, Set<String>> sources = new HashMap<>();
    /** Operators whose links have been looked at. */
    private final Set<String> seen = new HashSet<>();

    KeyPaths(Planning planning, Graph graph, Map<String, PlannedOperator> planned, List<PlannedLink> links) {
        this.planning = planning;
        this.graph = graph;
        this.planned = planned;
        this.links = links;
    }

    /** Whether the operator can take this stream; reports it if not. */
    static boolean allows(PlanningContext context, OperatorSpec spec) {
        for (Stream stream : context.inputs()) {
            if (stream.time() != null && stream.time().isPerKey() && !context.operator().type().isSink()
                    && spec.timePerKey() == TimePerKey.REFUSED) {
                context.refuse(context.operator().place(), Rule.EVENT_TIME, "`" + context.operator().id() + "` needs one clock "
                        + "for all packets, and its stream has one for each value of " + KeyClocks.names(stream),
                        "the reference lists, under time per key, what can follow such a stream; else leave `per` out of the "
                        + "source's event_time");
                return false;
            }
        }
        return true;
    }

    /** Refuses what mixes the order of a key's packets. */
    void check() {
        for (Graph.Operator operator : graph.operators()) {
            PlannedOperator result = planned.get(operator.id());
            if (result != null && result.spec().timePerKey() == TimePerKey.KEPT && isPerKey(result)) {
                sources(operator.id());
                links.stream().filter(link -> link.to().equals(operator.id())).forEach(link -> checkAbove(link.from()));
            }
        }
    }

    private static boolean isPerKey(PlannedOperator operator) {
        return operator.inputs().stream().anyMatch(port -> port.eventTime() != null && port.eventTime().isPerKey());
    }

    /**
     * The sources of an operator's packets; reports it if two of its links lead back to the same. The ports of a join have clocks
     * of their own, so the same source may lead to both.
     */
    private Set<String> sources(String id) {
        Set<String> known = sources.get(id);
        if (known != null) {
            return known;
        }
        Map<String, Set<String>> byPort = new HashMap<>();
        boolean twice = false;
        for (PlannedLink link : links) {
            if (link.to().equals(id)) {
                Set<String> found = byPort.computeIfAbsent(link.toPort(), port -> new HashSet<>());
                Set<String> more = sources(link.from());
                twice |= !Collections.disjoint(found, more);
                found.addAll(more);
            }
        }
        Set<String> all = new HashSet<>();
        byPort.values().forEach(all::addAll);
        if (planned.get(id).inputs().isEmpty()) {
            all.add(id);
        }
        sources.put(id, all);
        if (twice) {
            planning.diagnostics().error(place(id), Rule.EVENT_TIME, "packets of one source come to `" + id + "` by more than "
                    + "one link, which mixes the order of those of a key, and with `per` each key has a clock of its own",
                    "let one link lead there, or leave `per` out of the source's event_time");
        }
        return all;
    }

    /** Reports links, to this operator and on the way to it, that deal the packets of a key out to several instances. */
    private void checkAbove(String id) {
        if (!seen.add(id)) {
            return;
        }
        PlannedOperator operator = planned.get(id);
        for (PlannedLink link : links) {
            if (link.to().equals(id) && deals(link, operator)) {
                planning.diagnostics().error(graph.links().get(link.index()).place(), Rule.PARTITION, "the link `" + link.name()
                        + "` gives the packets of a key to several instances, which mixes their order, and with `per` each key "
                        + "has a clock of its own", "use a partition `hash` by the columns of `per`, or give `" + id
                        + "` parallelism 1");
            }
        }
        links.stream().filter(link -> link.to().equals(id)).forEach(link -> checkAbove(link.from()));
    }

    private static boolean deals(PlannedLink link, PlannedOperator to) {
        if (to.parallelism() == 1 || link.partition() instanceof Partition.Forward) {
            return false;
        }
        PlannedPort port = to.inputs().get(to.inputIndex(link.toPort()));
        return !(link.partition() instanceof Partition.Hash hash && port.eventTime() != null
                && names(port.eventTime(), port).containsAll(hash.by().stream().map(KeyPaths::bare).toList()));
    }

    private static List<String> names(EventTime time, PlannedPort port) {
        return time.per().stream().map(k -> port.schema().column(k).name().toLowerCase(Locale.ROOT)).toList();
    }

    private static String bare(String text) {
        String name = text.startsWith("`") && text.endsWith("`") ? text.substring(1, text.length() - 1).replace("``", "`") : text;
        return name.toLowerCase(Locale.ROOT);
    }

    private Place place(String id) {
        return graph.operators().stream().filter(each -> each.id().equals(id)).findFirst().orElseThrow().place();
    }
}
