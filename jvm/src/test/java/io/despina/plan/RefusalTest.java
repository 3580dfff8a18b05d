package io.despina.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.catalogue.Catalogue;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Rule;
import io.despina.expr.Expressions;
import io.despina.placement.Deployment;
import io.despina.placement.Placement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every graph in {@code graphs/invalid} is refused (or warned of) with exactly the words beside it. A graph called
 * {@code spark_…} is checked for Spark; one with a deployment beside it is placed; one with a list of {@code inputs} is given
 * rows for these operators; one with {@code functions} knows what the texts of these say. With {@code -Ddespina.record=true}
 * the words are written down anew. What is no UTF-8 never comes this far: Python reads the files, and its tests hold that one.
 */
class RefusalTest {
    private static final Path FOLDER = Path.of("graphs/invalid");
    /** Before the name of a function that waits. */
    private static final String ASYNC = "async ";

    static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(f -> f.getFileName().toString()).filter(f -> f.endsWith(".graph.json"))
                    .map(f -> f.substring(0, f.length() - ".graph.json".length()))
                    .filter(name -> !name.equals("encoding")).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void saysExactlyThis(String name) throws IOException {
        String said = check(name) + "\n";
        Path expected = FOLDER.resolve(name + ".expected");
        if (Boolean.getBoolean("despina.record")) {
            Files.writeString(expected, said);
        }
        assertEquals(Files.readString(expected), said);
    }

    @Test
    void everyRuleIsBrokenSomewhere() throws IOException {
        StringBuilder all = new StringBuilder();
        for (String name : names()) {
            all.append(Files.readString(FOLDER.resolve(name + ".expected")));
        }
        List<String> unbroken = Arrays.stream(Rule.values()).map(Rule::code)
                .filter(code -> all.indexOf("[" + code + "]") < 0).toList();
        assertTrue(unbroken.isEmpty(), "no graph in " + FOLDER + " breaks " + unbroken);
    }

    /** Spark's parser tells of an expression that is too deep for it; what comes after the parser does not. */
    @Test
    void anExpressionThatNestsTooDeepIsRefusedAtItsPlace() throws IOException {
        String file = "nesting.graph.json";
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load(Files.readString(FOLDER.resolve(file)), file, Map.of());
        Checked<Plan> plan = Planner.plan(graph.value(), Catalogue::planner, s -> {
            throw new StackOverflowError();
        }, new PlanOptions(Target.ENGINE, "/", Set.of()));
        assertEquals(Files.readString(FOLDER.resolve("nesting.expected")), plan.render() + "\n");
    }

    private static Target target(String name) {
        return name.startsWith("spark_streaming_") ? Target.SPARK_STREAMING
                : name.startsWith("spark_") ? Target.SPARK : Target.ENGINE;
    }

    private static Set<String> inputs(String name) throws IOException {
        Path inputs = FOLDER.resolve(name + ".inputs");
        return Files.exists(inputs) ? Set.copyOf(Files.readAllLines(inputs)) : Set.of();
    }

    /** The sink whose rows are read to their end. */
    private static PlanOptions.Output output(String name) throws IOException {
        Path output = FOLDER.resolve(name + ".output");
        return Files.exists(output) ? new PlanOptions.Output(List.of(Files.readString(output).strip()), true, true) : null;
    }

    /**
     * What the texts of functions say: name, parameters, problem, hint, methods and, where it is known, whether options reach it,
     * in a line with tabs between them.
     */
    private static Map<String, FunctionFacts> functions(String name) throws IOException {
        Map<String, FunctionFacts> facts = new HashMap<>();
        Path functions = FOLDER.resolve(name + ".functions");
        for (String line : Files.exists(functions) ? Files.readAllLines(functions) : List.<String>of()) {
            String[] parts = line.split("\t", -1);
            boolean waits = parts[0].startsWith(ASYNC);
            String function = waits ? parts[0].substring(ASYNC.length()) : parts[0];
            facts.put(function, new FunctionFacts(part(parts, 2), part(parts, 3), List.of(parts[1].split(" ")), List.of(), false,
                    waits, part(parts, 4) == null ? List.of() : List.of(part(parts, 4).split(" ")),
                    part(parts, 5) == null ? null : Boolean.valueOf(part(parts, 5))));
        }
        return facts;
    }

    private static String part(String[] parts, int k) {
        return k < parts.length && !parts[k].isEmpty() ? parts[k] : null;
    }

    private static String check(String name) throws IOException {
        String file = name + ".graph.json";
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load(Files.readString(FOLDER.resolve(file)), file, Map.of());
        if (graph.value() == null) {
            return graph.render();
        }
        Checked<Plan> plan = Planner.plan(graph.value(), Catalogue::planner, s -> Expressions.compiler(s.ansi(), s.timeZone()),
                new PlanOptions(target(name), "/", inputs(name), output(name), functions(name)));
        Path deploy = FOLDER.resolve(name + ".deploy.json");
        if (!Files.exists(deploy)) {
            List<Diagnostic> alone = plan.ok() && target(name) == Target.ENGINE ? alone(plan.value(), graph.value()) : List.of();
            return alone.isEmpty() ? plan.render() : new Checked<>(null, alone).render();
        }
        Checked<Deployment> deployment = Deployment.load(Files.readString(deploy), deploy.getFileName().toString());
        return deployment.value() == null ? deployment.render()
                : Placement.place(plan.value(), deployment.value(), graph.value()).render();
    }

    private static List<Diagnostic> alone(Plan plan, Graph graph) {
        List<Diagnostic> placed = Placement.place(plan, Deployment.single(Deployment.LOCAL), graph).diagnostics();
        return placed.isEmpty() ? Guarantees.of(plan, UserPromises.NONE).weaker(graph) : placed;
    }
}
