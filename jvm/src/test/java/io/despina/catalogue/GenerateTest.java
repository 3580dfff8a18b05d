package io.despina.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.descriptor.Checked;
import io.despina.descriptor.Graph;
import io.despina.expr.Expressions;
import io.despina.plan.Plan;
import io.despina.plan.PlanOptions;
import io.despina.plan.Planner;
import io.despina.plan.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GenerateTest {
    private static final Pattern GRAPH = Pattern.compile("^```json\n(\\{\n  \"format\": 1,.*?)^```$", Pattern.DOTALL
            | Pattern.MULTILINE);
    /** What is spoken there has no servers of one kind. */
    private static final Set<String> SOCKETS = Set.of("docs/sockets.md", "docs/asking.md");

    @Test
    void generatedFilesAreCurrent() throws IOException {
        for (Map.Entry<String, String> file : Generate.files(Path.of("")).entrySet()) {
            assertEquals(file.getValue(), Files.readString(Path.of(file.getKey())),
                    file.getKey() + " is not what the declarations say: run `make generate`");
        }
    }

    static Set<String> connectors() {
        Set<String> pages = new TreeSet<>(PromiseTables.pages());
        pages.removeAll(SOCKETS);
        return pages;
    }

    @ParameterizedTest
    @MethodSource("connectors")
    void aConnectorsPageHasSettingsTrapsAndGraphsThatPassCheck(String page) throws IOException {
        String text = Files.readString(Path.of(page));
        assertTrue(text.contains("\n## Settings of servers\n\n- ") && text.contains("\n## Traps\n\n- "), page);
        List<String> graphs = GRAPH.matcher(text).results().map(found -> found.group(1))
                .filter(each -> each.contains("\"operators\"")).toList();
        assertFalse(graphs.isEmpty(), page);
        for (String each : graphs) {
            Checked<Graph> graph = Catalogue.DESCRIPTOR.load(each, page, Map.of());
            assertTrue(graph.ok(), graph.render());
            Checked<Plan> plan = Planner.plan(graph.value(), Catalogue::planner, s -> Expressions.compiler(s.ansi(),
                    s.timeZone()), new PlanOptions(Target.ENGINE, "/"));
            assertTrue(plan.ok(), plan.render());
        }
    }
}
