package io.despina.plan;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Nearest;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.spec.OnError;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Resolves the ends of every link, reports unlinked ports, and orders the operators. */
final class Wiring {
    private final Graph graph;
    private final Diagnostics diagnostics;
    private final Map<String, Graph.Operator> operators = new LinkedHashMap<>();
    private final List<ResolvedLink> wires = new ArrayList<>();
    /** False after a link with an unknown end; unlinked ports are then not reported. */
    private boolean complete = true;

    Wiring(Graph graph, Diagnostics diagnostics) {
        this.graph = graph;
        this.diagnostics = diagnostics;
        graph.operators().forEach(o -> operators.put(o.id(), o));
    }

    /** One end of a link as written: {@code operator} or {@code operator.port}. */
    private record End(Graph.Operator operator, String port) {
    }

    void connect() {
        Set<String> seen = new TreeSet<>();
        for (Graph.Link link : graph.links()) {
            if (link.fields() == null) {
                complete = false;
                continue;
            }
            End from = end(link.fields().text("from"), true);
            End to = end(link.fields().text("to"), false);
            if (from == null || to == null) {
                complete = false;
            } else if (!seen.add(from.operator().id() + "." + from.port() + " " + to.operator().id() + "." + to.port())) {
                diagnostics.error(link.place(), Rule.DUPLICATE_LINK, "the graph already has a link from "
                        + link.fields().text("from") + " to " + link.fields().text("to") + " already", "leave one of them out");
            } else {
                wires.add(new ResolvedLink(link.index(), link, from.operator(), from.port(), to.operator(), to.port()));
            }
        }
        if (complete) {
            graph.operators().stream().filter(o -> o.type() != null).forEach(this::checkPorts);
        }
    }

    List<ResolvedLink> into(String operator, String port) {
        return wires.stream().filter(w -> w.to().id().equals(operator) && w.toPort().equals(port)).toList();
    }

    List<ResolvedLink> from(String operator, String port) {
        return wires.stream().filter(w -> w.from().id().equals(operator) && w.fromPort().equals(port)).toList();
    }

    List<ResolvedLink> all() {
        return wires;
    }

    private End end(Text written, boolean output) {
        String[] parts = written.value().split("\\.", 2);
        Graph.Operator operator = operators.get(parts[0]);
        if (operator == null) {
            diagnostics.error(written.place(), Rule.UNKNOWN_OPERATOR, "there is no operator `" + parts[0] + "`",
                    Nearest.hint(parts[0], operators.keySet()));
            return null;
        }
        List<String> ports = ports(operator, output);
        if (ports == null) {
            return null;
        }
        String port = parts.length == 2 ? parts[1] : output ? "out" : "in";
        if (ports.contains(port)) {
            return new End(operator, port);
        }
        OperatorType type = operator.type();
        String lacks = " has no " + (output ? "output" : "input") + " `" + port + "`";
        if (!output && type.further() != null && type.further().port().equals(port)) {
            diagnostics.error(written.place(), Rule.UNKNOWN_PORT, "`" + operator.id() + "`" + lacks,
                    type.withArticle() + " has one with `" + type.further().with() + "`");
        } else if (ports.isEmpty() || ports.equals(List.of("errors"))) {
            diagnostics.error(written.place(), Rule.UNKNOWN_PORT, type.withArticle() + lacks,
                    type.word() + " is a " + (output ? "sink" : "source"));
        } else {
            diagnostics.error(written.place(), Rule.UNKNOWN_PORT, type.withArticle() + lacks, parts.length == 2
                    ? Nearest.hint(port, ports)
                    : "write " + String.join(" or ", ports.stream().map(p -> operator.id() + "." + p).toList()));
        }
        return null;
    }

    /** Its ports on that side; null if its fields say which these are, and cannot be read. */
    private static List<String> ports(Graph.Operator operator, boolean output) {
        OperatorType type = operator.type();
        if (type == null) {
            return null;
        }
        if (operator.fields() != null) {
            return output ? type.outputs(operator.fields()) : type.inputs(operator.fields());
        }
        boolean byFields = output ? type.portsOf() != null : type.further() != null || type.inputsOf() != null;
        return byFields ? null : output ? type.outputs() : type.inputs();
    }

    private void checkPorts(Graph.Operator operator) {
        for (String port : operator.fields() == null ? operator.type().inputs() : operator.type().inputs(operator.fields())) {
            if (into(operator.id(), port).isEmpty()) {
                diagnostics.error(operator.place(), Rule.UNLINKED_PORT, "no link leads into `" + operator.id()
                        + (port.equals("in") ? "" : "." + port) + "`", "add one under \"links\"");
            }
        }
        for (String port : neededOutputs(operator)) {
            if (from(operator.id(), port).isEmpty()) {
                diagnostics.error(operator.place(), Rule.UNLINKED_PORT, "no link leads out of `" + operator.id()
                        + (port.equals("out") ? "" : "." + port) + "`: its packets would be lost",
                        "link it, to a discard_sink if they are not wanted");
            }
        }
        boolean errors = !from(operator.id(), "errors").isEmpty();
        boolean deadLetter = operator.fields() != null
                && SettingsDecoder.onError(operator.fields().fields("on_error")) == OnError.DEAD_LETTER;
        if (operator.fields() != null && errors != deadLetter) {
            diagnostics.error(deadLetter ? operator.fields().place("on_error") : operator.place(),
                    deadLetter ? Rule.UNLINKED_PORT : Rule.DEAD_LETTER,
                    deadLetter ? "no link leads out of `" + operator.id() + ".errors`: bad records would be lost"
                            : "nothing leaves by `" + operator.id() + ".errors` under on_error "
                            + operator.fields().fields("on_error").word(),
                    deadLetter ? "link it, or use on_error skip" : "add \"on_error\": {\"type\": \"dead_letter\"}");
        }
    }

    private static List<String> neededOutputs(Graph.Operator operator) {
        if (operator.fields() != null) {
            return operator.type().neededOutputs(operator.fields());
        }
        return operator.type().outputs().contains("out") ? List.of("out") : List.of();
    }

    /** The operators, each after those it reads from. Reports cycles and omits their operators. */
    List<Graph.Operator> order() {
        Map<String, Integer> waiting = new HashMap<>();
        operators.keySet().forEach(id -> waiting.put(id, (int) wires.stream().filter(w -> w.to().id().equals(id)).count()));
        List<Graph.Operator> ordered = new ArrayList<>();
        boolean found = true;
        while (found) {
            found = false;
            for (Graph.Operator operator : operators.values()) {
                if (Integer.valueOf(0).equals(waiting.get(operator.id()))) {
                    waiting.remove(operator.id());
                    ordered.add(operator);
                    wires.stream().filter(w -> w.from() == operator).forEach(w -> waiting.merge(w.to().id(), -1, Integer::sum));
                    found = true;
                }
            }
        }
        if (!waiting.isEmpty()) {
            reportCycle(waiting.keySet());
        }
        return ordered;
    }

    /** Walks back through the remaining operators until one repeats, which is a cycle. */
    private void reportCycle(Set<String> left) {
        List<String> path = new ArrayList<>();
        String at = operators.keySet().stream().filter(left::contains).findFirst().orElseThrow();
        while (!path.contains(at)) {
            path.add(0, at);
            String to = at;
            at = wires.stream().filter(w -> w.to().id().equals(to) && left.contains(w.from().id())).findFirst().orElseThrow()
                    .from().id();
        }
        List<String> cycle = new ArrayList<>(path.subList(0, path.indexOf(at) + 1));
        cycle.add(0, at);
        String last = cycle.get(cycle.size() - 2);
        String first = at;
        ResolvedLink closing = wires.stream().filter(w -> w.from().id().equals(last) && w.to().id().equals(first)).findFirst()
                .orElseThrow();
        diagnostics.error(closing.link().place(), Rule.CYCLE, "links form a cycle: " + String.join(" -> ", cycle),
                "leave one of them out");
    }
}
