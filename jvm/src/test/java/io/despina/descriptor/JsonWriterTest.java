package io.despina.descriptor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.catalogue.Catalogue;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class JsonWriterTest {
    private static final Place NOWHERE = new Place(0, 1, 1, "");

    @Test
    void theGraphsOfTheProjectAreCanonical() throws IOException {
        try (DirectoryStream<Path> graphs = Files.newDirectoryStream(Path.of("graphs"), "*.{graph,deploy}.json")) {
            for (Path path : graphs) {
                String text = Files.readString(path);
                assertEquals(text, Catalogue.DESCRIPTOR.format(text, path.toString()).value(), path.toString());
            }
        }
    }

    @Test
    void ordersFieldsByDeclarationAndKeepsUnknownOnesAsTheyStood() {
        String text = """
                {"zebra": 1, "links": [{"to": "b", "from": "a"}], "operators": {"b": {"select": ["x"], "odd": [],
                 "type": "project", "doc": "d"}, "a": {"type": "nonsense", "x": 1.50e3, "doc": "e"}},
                 "name": "n", "apple": {}, "format": 1}""";
        assertEquals("""
                {
                  "format": 1,
                  "name": "n",
                  "operators": {
                    "b": {"doc": "d", "type": "project", "select": ["x"], "odd": []},
                    "a": {"type": "nonsense", "x": 1.50e3, "doc": "e"}
                  },
                  "links": [
                    {"from": "a", "to": "b"}
                  ],
                  "zebra": 1,
                  "apple": {}
                }
                """, Catalogue.DESCRIPTOR.format(text, "g").value());
    }

    @Test
    void theEditorsSchemaIsKeptInFrontAndPassedOver() {
        String text = """
                {"format": 1, "name": "g", "operators": {}, "links": [], "$schema": "graph.schema.json"}""";
        assertTrue(Catalogue.DESCRIPTOR.load(text, "g", Map.of()).ok());
        assertEquals("""
                {
                  "$schema": "graph.schema.json",
                  "format": 1,
                  "name": "g",
                  "operators": {},
                  "links": []
                }
                """, Catalogue.DESCRIPTOR.format(text, "g").value());
    }

    @Test
    void whatIsNotJsonIsNotFormatted() {
        assertFalse(Catalogue.DESCRIPTOR.format("{\"a\": 1, \"a\": 2}", "g").ok());
    }

    @Property(tries = 300)
    void writingTwiceIsWritingOnce(@ForAll("documents") Node.Obj document) {
        String once = JsonWriter.write(document, Catalogue.DESCRIPTOR.format.graph());
        assertEquals(once, Catalogue.DESCRIPTOR.format(once, "g").value());
    }

    @Property(tries = 300)
    void nothingIsLostAndNothingIsAdded(@ForAll("documents") Node.Obj document) {
        String once = JsonWriter.write(document, Catalogue.DESCRIPTOR.format.graph());
        assertEquals(plain(document), plain(new JsonReader(new FileText(once), new Diagnostics("g")).read()));
    }

    @Provide
    Arbitrary<Node.Obj> documents() {
        Arbitrary<Node> values = values(3);
        Arbitrary<String> names = Arbitraries.oneOf(Arbitraries.of("format", "name", "doc", "operators", "links", "type", "from",
                "to", "select", "partition", "parallelism"), Arbitraries.strings().ofMaxLength(6));
        return Arbitraries.maps(names, values).ofMaxSize(7).map(m -> new Node.Obj(NOWHERE, m));
    }

    private static Arbitrary<Node> values(int depth) {
        Arbitrary<Node> leaf = Arbitraries.oneOf(
                Arbitraries.oneOf(Arbitraries.of("project", "filter", "hash"), Arbitraries.strings().ofMaxLength(60))
                        .map(s -> new Node.Str(NOWHERE, s)),
                Arbitraries.of("0", "-1", "1.50", "2E+9", "9007199254740993").map(n -> new Node.Num(NOWHERE, n)),
                Arbitraries.of(true, false).map(b -> new Node.Bool(NOWHERE, b)));
        if (depth == 0) {
            return leaf;
        }
        Arbitrary<String> names = Arbitraries.oneOf(Arbitraries.of("type", "doc", "where", "by"),
                Arbitraries.strings().ofMaxLength(4));
        return Arbitraries.oneOf(leaf, values(depth - 1).list().ofMaxSize(5).map(l -> new Node.Arr(NOWHERE, l)),
                Arbitraries.maps(names, values(depth - 1)).ofMaxSize(5).map(m -> new Node.Obj(NOWHERE, m)));
    }

    private static Object plain(Node node) {
        if (node instanceof Node.Obj object) {
            Map<String, Object> members = new LinkedHashMap<>();
            object.members().forEach((k, v) -> members.put(k, plain(v)));
            return members;
        }
        if (node instanceof Node.Arr array) {
            List<Object> items = array.items().stream().map(JsonWriterTest::plain).toList();
            return items;
        }
        return node instanceof Node.Str s ? "\"" + s.value() : node instanceof Node.Num n ? n.text() : node.what();
    }
}
