package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.catalogue.Catalogue;
import io.despina.catalogue.FileSourceDefinition.FileSourceSpec;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Graph;
import io.despina.expr.Expressions;
import io.despina.json.Json;
import io.despina.operator.OperatorHarness;
import io.despina.operator.source.file.FileSource;
import io.despina.operator.source.file.FileSourceOptions;
import io.despina.plan.Plan;
import io.despina.plan.PlanOptions;
import io.despina.plan.Planner;
import io.despina.plan.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class InferredSchemaTest {

    /** Names of columns that come twice, differ by case alone, are empty, odd, or those that Spark makes up. */
    @Provide
    Arbitrary<List<String>> names() {
        Arbitrary<String> odd = Arbitraries.strings().withChars("aA1 .`\"#;:-_/\\\u00e9\u0130\u00df").ofMaxLength(4);
        return Arbitraries.oneOf(odd, Arbitraries.of("", "v", "V", "v1", "v2", "_c0", "_c1", "ts", " ts", "NULL")).list()
                .ofMinSize(1).ofMaxSize(7);
    }

    private static String header(List<String> names, boolean quoted) {
        return String.join(",", names.stream().map(name -> quoted || name.contains("\"")
                ? '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"' : name).toList());
    }

    @Property(tries = 200)
    void aSourceWithTheSchemaOfAnyHeaderReadsTheFile(@ForAll("names") List<String> names, @ForAll boolean quoted,
            @ForAll boolean trailing) throws Exception {
        String header = header(names, quoted);
        Assume.that(!header.isBlank());
        String row = String.join(",", names.stream().map(name -> "1.5").toList()) + (trailing ? ",\n" : "\n");
        String text = header + "\n" + row + row;
        Path file = Files.createTempFile("header", ".csv");
        try {
            Files.writeString(file, text);
            FileSourceSpec spec = planned(source(file, InferredSchema.of(text, "csv", "{\"header\": \"true\"}")));
            assertEquals(2, rows(spec), text);
        } finally {
            Files.delete(file);
        }
    }

    /** As {@code despina schema --json} prints it. */
    private static ObjectNode source(Path file, JsonNode inferred) {
        ObjectNode source = Json.object().put("type", "file_source").put("path", file.toString()).put("format", "csv")
                .put("schema", inferred.get("schema").asText());
        ObjectNode options = source.putObject("options").put("header", "true");
        if (inferred.get("by_place").asBoolean()) {
            options.put("enforceSchema", "true");
        }
        return inferred.get("extra_columns").asBoolean() ? source.put("extra_columns", "ignore") : source;
    }

    private static FileSourceSpec planned(ObjectNode source) {
        ObjectNode graph = Json.object().put("format", 1).put("name", "inferred");
        ObjectNode operators = graph.putObject("operators");
        operators.set("source", source);
        operators.putObject("sink").put("type", "discard_sink");
        graph.putArray("links").addObject().put("from", "source").put("to", "sink");
        Checked<Graph> read = Catalogue.DESCRIPTOR.load(graph.toString(), "inferred", Map.of());
        assertEquals("", read.render(), source::toString);
        Checked<Plan> plan = Planner.plan(read.value(), Catalogue::planner,
                s -> Expressions.compiler(s.ansi(), s.timeZone()),
                new PlanOptions(Target.ENGINE, "/", Set.of()));
        assertEquals("", plan.render(), source::toString);
        return (FileSourceSpec) plan.value().operator("source").spec();
    }

    private static int rows(FileSourceSpec spec) throws Exception {
        FileSourceOptions options = new FileSourceOptions(spec.path(), spec.records(), spec.reading(), null, Expressions::parser);
        try (OperatorHarness source = OperatorHarness.of(() -> new FileSource(options)).outputs(spec.records().schema()).open()) {
            return source.produceAll().rows(0).size();
        }
    }
}
