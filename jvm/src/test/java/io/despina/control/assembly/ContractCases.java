package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.catalogue.Catalogue;
import io.despina.catalogue.UserCode;
import io.despina.descriptor.Checked;
import io.despina.expr.Expressions;
import io.despina.json.Json;
import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.packet.Schema;
import io.despina.plan.Graphs;
import io.despina.plan.Plan;
import io.despina.plan.PlanOptions;
import io.despina.plan.PlannedLink;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlannedPort;
import io.despina.plan.Planner;
import io.despina.plan.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The cases of {@code tests/cases}, as single operators are given them. */
final class ContractCases {
    private static final Path ALL = Path.of("tests/cases").toAbsolutePath();

    /** Each plan has it, as each attempt of a job has its first one's. */
    private static final long NOW = 1_700_000_000_000_000L;

    private ContractCases() {
    }

    /** Every {@code step}-th of those that do not fail; {@code DESPINA_EVERY_CASE=1} takes all. @param without folders */
    static Stream<Path> folders(Set<String> without, int step) throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(ALL)) {
            for (Path graph : (Iterable<Path>) files.filter(file -> file.endsWith("case.graph.json")).sorted()::iterator) {
                Path expected = graph.resolveSibling("expected.json");
                if (!without.contains(graph.getParent().getParent().getFileName().toString())
                        && !(Files.exists(expected) && Files.readString(expected).contains("\"fails\""))) {
                    found.add(ALL.relativize(graph.getParent()));
                }
            }
        }
        assertTrue(found.size() > 200, "cases are missing");
        int each = System.getenv("DESPINA_EVERY_CASE") == null ? step : 1;
        return IntStream.range(0, found.size()).filter(k -> k % each == 0).mapToObj(found::get);
    }

    static Plan plan(Path folder) throws IOException {
        return Graphs.sound(checked(ALL.resolve(folder), text(folder)));
    }

    private static String text(Path folder) throws IOException {
        return Files.readString(ALL.resolve(folder).resolve("case.graph.json"));
    }

    /** The same with so many instances of an operator; null if the graph may not have them. */
    static Plan plan(Path folder, String operator, int parallelism) throws IOException {
        ObjectNode graph = (ObjectNode) Json.tree(text(folder));
        ((ObjectNode) graph.get("operators").get(operator)).put("parallelism", parallelism);
        Checked<Plan> planned = checked(ALL.resolve(folder), Json.text(graph));
        return planned.ok() ? planned.value() : null;
    }

    private static Checked<Plan> checked(Path folder, String text) {
        Map<String, String> parameters = text.contains("\"parameters\"") ? Map.of("folder", folder.toString()) : Map.of();
        return Planner.plan(Catalogue.DESCRIPTOR.load(text, "g", parameters).value(), Catalogue::planner,
                s -> Expressions.compiler(s.ansi(), s.timeZone(), NOW), new PlanOptions(Target.ENGINE, "/", Set.of()));
    }

    private static Schema[] schemas(List<PlannedPort> ports) {
        return ports.stream().map(PlannedPort::schema).toArray(Schema[]::new);
    }

    static OperatorHarness.Setup setup(Plan plan, PlannedOperator operator) {
        var made = new OperatorFactory(plan, null, new UserCode(ContractCases.class.getClassLoader(), null)).supplier(operator);
        return OperatorHarness.of(made).inputs(schemas(operator.inputs())).outputs(schemas(operator.outputs()))
                .skippingBadRecords().room(1 << 16, 2);
    }

    /** What a source brings, in order. */
    private static List<Event> brought(Plan plan, PlannedOperator source) throws Exception {
        try (OperatorHarness opened = setup(plan, source).open()) {
            return opened.produceAll().events(0);
        }
    }

    /** Feeds an operator. */
    interface Trial {
        void feed(PlannedOperator operator, List<Step> steps) throws Exception;
    }

    /** Each operator that reads nothing but sources, and is no sink. */
    static void eachFed(Plan plan, Trial trial) throws Exception {
        Map<String, List<Event>> sources = new HashMap<>();
        for (PlannedOperator operator : plan.operators()) {
            if (operator.inputs().isEmpty()) {
                sources.put(operator.id(), brought(plan, operator));
            }
        }
        for (PlannedOperator operator : plan.operators()) {
            List<PlannedLink> links = links(plan, operator, sources);
            if (!links.isEmpty() && !operator.type().word().endsWith("_sink")) {
                trial.feed(operator, steps(operator, links, sources));
            }
        }
    }

    /** Something that comes at a port, by one of the links into the operator. */
    record Step(int link, int port, Event event) {
    }

    /** The links into an operator that reads nothing but sources; none for any other. */
    private static List<PlannedLink> links(Plan plan, PlannedOperator operator, Map<String, List<Event>> sources) {
        List<PlannedLink> links = plan.links().stream().filter(link -> link.to().equals(operator.id())).toList();
        return links.stream().allMatch(link -> sources.containsKey(link.from()) && link.fromPort().equals("out"))
                ? links : List.of();
    }

    /** What comes by the links, from each in turn. */
    private static List<Step> steps(PlannedOperator operator, List<PlannedLink> links, Map<String, List<Event>> sources) {
        List<String> ports = operator.inputs().stream().map(PlannedPort::name).toList();
        List<Step> steps = new ArrayList<>();
        int most = links.stream().mapToInt(link -> sources.get(link.from()).size()).max().orElse(0);
        for (int k = 0; k < most; k++) {
            for (int link = 0; link < links.size(); link++) {
                List<Event> events = sources.get(links.get(link).from());
                if (k < events.size()) {
                    steps.add(new Step(link, ports.indexOf(links.get(link).toPort()), aligned(events.get(k), links.get(link))));
                }
            }
        }
        return steps;
    }

    /** A row with its columns in the order of the port. */
    private static Event aligned(Event event, PlannedLink link) {
        return event.row() == null || link.columns().isEmpty() ? event
                : Event.of(link.columns().stream().map(event.row()::get).toArray());
    }
}
