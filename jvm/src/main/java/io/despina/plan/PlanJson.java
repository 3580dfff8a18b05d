package io.despina.plan;

import static io.despina.descriptor.JsonPrinter.object;

import io.despina.descriptor.Graph;
import io.despina.descriptor.JsonPrinter;
import io.despina.descriptor.Values;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import io.despina.spec.Partition;
import io.despina.spec.Schedule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The checked plan as JSON, for {@code check}, {@code draw} and the Spark back end:
 *
 * <pre>
 * {"name", "doc", "settings": {"time_zone", "ansi", "buckets"}, "unbounded",
 *  "operators": [{"id", "type", "doc", "parallelism", "most_instances", "blocks", "on_error", "schedule", "assigns_event_time",
 *                 "line", "column", "inputs": [PORT], "outputs": [PORT], "fields": {…}}],          in the plan's order
 *  "links"    : [{"name", "doc", "from", "from_port", "to", "to_port", "partition", "by", "fused", "columns",
 *                  "parts", "shared"}],
 *  "chains"   : [["operator", …]]}
 * PORT = {"name", "schema": DDL, "linked", "event_time": null | {"column": name, "max_delay_ms", "order_by": [name],
 *                                                                            "per": [name]},
 *         "defaults": {name: SQL}, "declared": DDL}               these two only of a source's columns that have defaults
 * </pre>
 *
 * A link with {@code parts} carries partial aggregates ({@link Plan#carriesParts}). The process of the operator before one that
 * is {@code shared} may do the work of that behind it too ({@link Plan#sharing}). {@code fields} are the operator's own fields
 * as in the file, with parameters and defaults filled in, absolute paths, and each expression as one string. A join also has
 * {@code "keys": {"left": [text], "right": [text]}}, the expressions that must be equal; an as-of join has {@code
 * "compare_order"}, whether {@code order_by} breaks ties between the sides. A csv source may have {@code "unread": [column]},
 * which it need not parse.
 */
public final class PlanJson {
    private static final long MICROS_PER_MS = 1_000;
    private static final long NANOS_PER_MS = 1_000_000;

    private PlanJson() {
    }

    /** @param graph the one that was planned */
    public static String write(Plan plan, Graph graph) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", plan.name());
        json.put("doc", plan.doc());
        json.put("settings", object("time_zone", plan.settings().timeZone(), "ansi", plan.settings().ansi(), "buckets",
                plan.settings().buckets()));
        json.put("unbounded", plan.unbounded());
        json.put("operators", plan.operators().stream().map(o -> operator(o, graph)).toList());
        json.put("links", plan.links().stream().map(link -> link(plan, link)).toList());
        json.put("chains", plan.chains().stream().map(PlannedChain::operators).toList());
        return new JsonPrinter().print(json);
    }

    private static Map<String, Object> operator(PlannedOperator operator, Graph graph) {
        Graph.Operator written = graph.operators().stream().filter(o -> o.id().equals(operator.id())).findFirst().orElseThrow();
        Values values = written.fields();
        Map<String, Object> fields = values.plain(
                List.of("doc", "parallelism", "most_instances", "on_error", "schedule", "event_time"));
        fields.putAll(operator.spec().resolved());
        Map<String, Object> json = object("id", operator.id(), "type", operator.type().word(), "doc", operator.doc(),
                "parallelism", operator.instances().start(), "most_instances", operator.parallelism(), "blocks",
                operator.blocks(), "on_error", operator.onError().name().toLowerCase(Locale.ROOT), "schedule",
                schedule(operator.schedule()), "assigns_event_time", operator.assigns() != null, "is_fold",
                operator.spec().isFold(), "keeps_state", operator.spec().keepsState(), "line", written.place().inGraph().line(),
                "column", written.place().inGraph().column());
        json.put("inputs", operator.inputs().stream().map(PlanJson::port).toList());
        json.put("outputs", operator.outputs().stream().map(PlanJson::port).toList());
        json.put("fields", fields);
        return json;
    }

    private static Map<String, Object> port(PlannedPort port) {
        Map<String, Object> json = object("name", port.name(), "schema", port.schema().sql(), "linked", port.linked(),
                "event_time", port.eventTime() == null ? null : eventTime(port.eventTime(), port.schema()));
        if (!port.defaults().isEmpty()) {
            json.put("defaults", port.defaults().stream().collect(Collectors.toMap(Column::name, Column::absent)));
            json.put("declared", port.declared().sql());
        }
        return json;
    }

    private static Map<String, Object> eventTime(EventTime time, Schema schema) {
        return object("column", schema.column(time.column()).name(), "max_delay_ms", time.maxDelayMicros() / MICROS_PER_MS,
                "order_by", names(time.orderBy(), schema), "per", names(time.per(), schema));
    }

    private static List<String> names(List<Integer> columns, Schema schema) {
        return columns.stream().map(k -> schema.column(k).name()).toList();
    }

    private static Map<String, Object> link(Plan plan, PlannedLink link) {
        Partition partition = link.partition();
        String word = partition instanceof Partition.Hash ? "hash" : partition instanceof Partition.Broadcast ? "broadcast"
                : partition instanceof Partition.RoundRobin ? "round_robin" : partition instanceof Partition.LeastLoaded
                ? "least_loaded" : partition instanceof Partition.Custom ? "custom" : "forward";
        return object("name", link.name(), "doc", link.doc(), "from", link.from(), "from_port", link.fromPort(), "to", link.to(),
                "to_port", link.toPort(), "partition", word, "by", partition instanceof Partition.Hash hash ? hash.by()
                        : List.of(), "fused", link.fused(), "columns", link.columns(),
                "parts", plan.carriesParts(link), "shared", link.shared());
    }

    private static Map<String, Object> schedule(Schedule schedule) {
        if (schedule instanceof Schedule.Periodic periodic) {
            return object("type", "periodic", "every_ms", periodic.everyNanos() / NANOS_PER_MS);
        }
        if (schedule instanceof Schedule.Count count) {
            return object("type", "count", "packets", count.packets());
        }
        return schedule instanceof Schedule.Any any
                ? object("type", "any", "of", any.of().stream().map(PlanJson::schedule).toList()) : object("type", "data");
    }
}
