package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.catalogue.Catalogue;
import io.despina.descriptor.Checked;
import io.despina.expr.Expressions;
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
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract cases, restored after every packet, or after every k-th where they are many: operators that read a case's
 * sources give the same rows from every port, and count as many late packets, as where nothing stops them.
 */
class CaseRestoreTest {
    private static final Path CASES = Path.of("tests/cases").toAbsolutePath();
    private static final int RESTARTS = 40;
    /** Every third case runs; {@code DESPINA_EVERY_CASE=1} runs all. */
    private static final int SHARE = 3;
    /** Cases of what keeps nothing between two packets, and of sinks. */
    private static final Set<String> WITHOUT_STATE = Set.of("file_source", "generator_source", "project", "filter", "route",
            "explode", "relay", "lookup", "collect_sink");

    static Stream<Path> cases() throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(CASES)) {
            for (Path graph : (Iterable<Path>) files.filter(file -> file.endsWith("case.graph.json")).sorted()::iterator) {
                Path expected = graph.resolveSibling("expected.json");
                if (!WITHOUT_STATE.contains(graph.getParent().getParent().getFileName().toString())
                        && !(Files.exists(expected) && Files.readString(expected).contains("\"fails\""))) {
                    found.add(CASES.relativize(graph.getParent()));
                }
            }
        }
        assertTrue(found.size() > 200, "cases are missing");
        int step = System.getenv("DESPINA_EVERY_CASE") == null ? SHARE : 1;
        return IntStream.range(0, found.size()).filter(k -> k % step == 0).mapToObj(found::get);
    }

    private static Plan plan(Path folder) throws IOException {
        String text = Files.readString(folder.resolve("case.graph.json"));
        Map<String, String> parameters = text.contains("\"parameters\"") ? Map.of("folder", folder.toString()) : Map.of();
        Checked<Plan> planned = Planner.plan(Catalogue.DESCRIPTOR.load(text, "g", parameters).value(), Catalogue::planner,
                s -> Expressions.compiler(s.ansi(), s.timeZone()), new PlanOptions(Target.ENGINE, "/", Set.of()));
        return Graphs.sound(planned);
    }

    private static Schema[] schemas(List<PlannedPort> ports) {
        return ports.stream().map(PlannedPort::schema).toArray(Schema[]::new);
    }

    private static OperatorHarness open(Plan plan, PlannedOperator operator) throws Exception {
        var made = new OperatorFactory(plan, null, CaseRestoreTest.class.getClassLoader()).supplier(operator);
        return OperatorHarness.of(made).inputs(schemas(operator.inputs())).outputs(schemas(operator.outputs()))
                .skippingBadRecords().room(1 << 16, 2).open();
    }

    /** What a source brings, in order. */
    private static List<Event> brought(Plan plan, PlannedOperator source) throws Exception {
        try (OperatorHarness opened = open(plan, source)) {
            return opened.produceAll().events(0);
        }
    }

    /** Something that comes at a port, by one of the links into the operator. */
    private record Step(int link, int port, Event event) {
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

    /** The rows of each port. @param every how many packets come between two restarts; 0 for none */
    private static List<String> run(Plan plan, PlannedOperator operator, List<Step> steps, int every) throws Exception {
        List<String> given = new ArrayList<>();
        long[] watermarks = new long[steps.stream().mapToInt(Step::link).max().orElse(0) + 1];
        Arrays.fill(watermarks, Long.MIN_VALUE);
        long passed = Long.MIN_VALUE;
        int packets = 0;
        try (OperatorHarness opened = open(plan, operator)) {
            for (Step step : steps) {
                if (step.event.row() != null) {
                    opened.feed(step.port, List.of(step.event.row()));
                    if (every > 0 && ++packets % every == 0) {
                        opened.restart();
                    }
                } else if (step.event.watermark() != null) {
                    watermarks[step.link] = step.event.watermark();
                    if (operator.inputs().size() == watermarks.length) {
                        opened.inputWatermark(step.port, step.event.watermark());
                    }
                    long least = Arrays.stream(watermarks).min().orElseThrow();
                    if (least > passed) {
                        passed = least;
                        opened.watermark(least);
                    }
                }
            }
            opened.end();
            for (int port = 0; port < operator.outputs().size(); port++) {
                String name = operator.outputs().get(port).name();
                opened.rows(port).forEach(row -> given.add(name + " " + row));
            }
            given.add("late " + opened.lateCount + ", bad " + opened.badRecords);
        }
        Collections.sort(given);
        return given;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void goesOnAfterEveryPacket(Path folder) throws Exception {
        Plan plan = plan(CASES.resolve(folder));
        Map<String, List<Event>> sources = new HashMap<>();
        for (PlannedOperator operator : plan.operators()) {
            if (operator.inputs().isEmpty()) {
                sources.put(operator.id(), brought(plan, operator));
            }
        }
        int tried = 0;
        for (PlannedOperator operator : plan.operators()) {
            List<PlannedLink> links = links(plan, operator, sources);
            if (!links.isEmpty() && !operator.type().word().endsWith("_sink")) {
                List<Step> steps = steps(operator, links, sources);
                int every = Math.max(1, steps.size() / RESTARTS);
                assertEquals(run(plan, operator, steps, 0), run(plan, operator, steps, every), operator.id());
                tried++;
            }
        }
        assertTrue(tried > 0);
    }
}
