package io.despina.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.catalogue.Catalogue;
import io.despina.catalogue.JoinDefinition;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Graph;
import io.despina.expr.Expressions;
import io.despina.spec.Matching;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The graphs that people read first are sound, and plan as their authors meant. */
class ProjectGraphsTest {

    static List<Path> graphs() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("graphs"))) {
            return files.filter(f -> f.toString().endsWith(".graph.json")).sorted().toList();
        }
    }

    private static Checked<Plan> plan(Path path, boolean forSpark) throws IOException {
        String text = Files.readString(path);
        Map<String, String> parameters = text.contains("\"input\"") ? Map.of("input", "in", "output", "out")
                : text.contains("\"output\"") ? Map.of("output", "out") : Map.of();
        Graph graph = Catalogue.DESCRIPTOR.load(text, path.toString(), parameters).value();
        return Planner.plan(graph, Catalogue::planner, s -> Expressions.compiler(s.ansi(), s.timeZone()),
                new PlanOptions(forSpark ? Target.SPARK : Target.ENGINE, "/"));
    }

    @ParameterizedTest
    @MethodSource("graphs")
    void isSound(Path path) throws IOException {
        Checked<Plan> plan = plan(path, false);
        assertTrue(plan.ok(), plan.render());
    }

    @Test
    void theManufacturingJobRunsOnSparkAndKeepsItsTypes() throws IOException {
        Checked<Plan> plan = plan(Path.of("graphs/manufacturing.graph.json"), true);
        assertTrue(plan.ok(), plan.render());
        PlannedPort delays = plan.value().operator("delays").inputs().get(0);
        assertEquals("ts TIMESTAMP, pair STRING NOT NULL, edge INT, delay_us BIGINT, n BIGINT NOT NULL, slope DOUBLE, trend_now "
                + "DOUBLE, alarm BOOLEAN", delays.schema().sql());
        assertEquals(0, delays.eventTime().column());
        JoinDefinition.JoinSpec pair = (JoinDefinition.JoinSpec) plan.value().operator("delay_05_08_pair").spec();
        assertEquals(new Matching.AsOf(Matching.AsOf.ANY_AGE, false, true), pair.matching());
    }
}
