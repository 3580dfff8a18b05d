package io.despina.placement;

import io.despina.descriptor.Checked;
import io.despina.descriptor.Descriptor;
import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Nearest;
import io.despina.descriptor.Node;
import io.despina.descriptor.Rule;
import io.despina.plan.Plan;
import io.despina.plan.PlannedLink;
import io.despina.plan.PlannedOperator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What operators cost, on the machine of {@link Loops#REFERENCE}: by the report of an earlier run as far as it tells, else by a
 * table.
 *
 * @param nanos  by operator: for each packet that it takes, or as a source makes
 * @param behind operators that ran in the task of the one before, whose time is in that one's
 * @param ratios by link: packets along it for each that its operator takes
 * @param bytes  by link, of a packet; where parts of a sum travel in place of packets, for each that they are of
 * @param rates  by source, in packets per second
 */
public record Costs(Map<String, Double> nanos, Set<String> behind, Map<String, Double> ratios, Map<String, Double> bytes,
        Map<String, Double> rates) {
    public static final Costs UNKNOWN = new Costs(Map.of(), Set.of(), Map.of(), Map.of(), Map.of());

    /** Of a row of a window for each packet that it takes. */
    private static final double WINDOW_RATIO = 0.1;
    private static final double NANOS_PER_MS = 1e6;

    /**
     * Reads a report.
     *
     * @param slowness of the machine that it is of
     */
    public static Checked<Costs> read(String text, String file, Plan plan, double slowness) {
        Checked<Node> read = Descriptor.readAny(text, file);
        if (!read.ok()) {
            return new Checked<>(null, read.diagnostics());
        }
        Diagnostics diagnostics = new Diagnostics(file);
        if (!(member(read.value(), "operators") instanceof Node.Obj operators)
                || !(member(read.value(), "links") instanceof Node.Obj links)) {
            diagnostics.error(read.value().place(), Rule.MISSING_FIELD, "this is no report of a run",
                    "`despina run --report FILE` writes one");
            return Checked.of(null, diagnostics);
        }
        List<String> ids = plan.operators().stream().map(PlannedOperator::id).toList();
        operators.members().forEach((id, counted) -> {
            if (!ids.contains(id)) {
                diagnostics.error(counted.place(), Rule.UNKNOWN_OPERATOR, "the report has costs of `" + id
                        + "`, and the graph has no such operator", Nearest.hint(id, ids));
            }
        });
        Costs costs = new Costs(new HashMap<>(), new HashSet<>(), new HashMap<>(), new HashMap<>(), new HashMap<>());
        double seconds = number(read.value(), "measured_s");
        plan.operators().forEach(each -> costs.add(each, operators.get(each.id()), seconds, slowness));
        plan.links().forEach(each -> costs.add(each, plan, operators.get(each.from()), links.get(each.name())));
        if (costs.nanos.isEmpty() && !diagnostics.hasErrors()) {
            diagnostics.warning(operators.place(), Rule.MISSING_FIELD, "the report says of no operator how long it was busy",
                    "its job took no packets, or was run by a version before this one");
        }
        return Checked.of(costs, diagnostics);
    }

    private void add(PlannedOperator operator, Node counted, double seconds, double slowness) {
        double taken = taken(operator, counted);
        if (taken == 0) {
            return;
        }
        if (operator.type().isSource() && seconds > 0) {
            rates.put(operator.id(), taken / seconds);
        }
        double millis = member(counted, "busy_ms") instanceof Node.Arr tasks
                ? tasks.items().stream().mapToDouble(Costs::number).sum() : 0;
        if (millis > 0 && !operator.blocks()) {     // one that blocks waits more than it works
            nanos.put(operator.id(), millis * NANOS_PER_MS / taken / slowness);
        }
    }

    /** @param from the counters of its operator */
    private void add(PlannedLink link, Plan plan, Node from, Node counted) {
        double taken = taken(plan.operator(link.from()), from);
        // a link that carries parts is its sender's only one; its receiver counts the packets that they are of
        boolean parts = plan.carriesParts(link);
        double packets = parts ? number(from, "packets_out") : number(counted, "packets");
        if (taken > 0) {
            ratios.put(link.name(), packets / taken);
        }
        if (packets > 0 && number(counted, "segments") == 0 && !parts) {
            behind.add(link.to());
        } else if (packets > 0) {
            bytes.put(link.name(), number(counted, "bytes") / packets);
        }
    }

    private static double taken(PlannedOperator operator, Node counted) {
        return number(counted, operator.type().isSource() ? "packets_out" : "packets_in");
    }

    private static Node member(Node of, String name) {
        return of instanceof Node.Obj object ? object.get(name) : null;
    }

    private static double number(Node of, String name) {
        return number(member(of, name));
    }

    private static double number(Node found) {
        return found instanceof Node.Num number ? Double.parseDouble(number.text()) : 0;
    }

    /**
     * What it costs for each packet that it takes, or makes.
     *
     * @param first of those in its task
     */
    double nanos(PlannedOperator operator, boolean first) {
        if (!behind.contains(operator.id())) {
            return nanos.getOrDefault(operator.id(), byTable(operator));
        }
        return first ? byTable(operator) : 0;
    }

    /** Orders of magnitude of a packet of some numbers and texts, docs/design/040. */
    private static double byTable(PlannedOperator operator) {
        return switch (operator.type().family()) {
            case SOURCES, SINKS -> 300;
            case PACKETS -> 60;
            case GROUPS -> 150;
            case WINDOWS -> 100;
            case JOINS -> 250;
            case CLASSES -> 600;
            case EXPERIMENTS -> 25;
        };
    }

    /** Packets along the link for each that its operator takes. */
    double ratio(PlannedOperator from, PlannedLink link) {
        return ratios.getOrDefault(link.name(), switch (from.type().family()) {
            case WINDOWS -> WINDOW_RATIO;
            default -> 1.0;
        });
    }

    /** Of a packet along the link. */
    double bytes(PlannedOperator from, PlannedLink link) {
        return bytes.getOrDefault(link.name(), (double) from.outputs().get(from.outputIndex(link.fromPort())).usualBytes());
    }
}
