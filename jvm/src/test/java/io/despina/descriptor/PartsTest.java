package io.despina.descriptor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.catalogue.Catalogue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PartsTest {
    /** Where `${}` is a parameter of the graph and where it is one of a part, numbers, defaults, ports with several ends. */
    private static final String GRAPH = """
            {
              "format": 1, "name": "g",
              "parameters": {"dir": {}, "n": {"default": "3"}},
              "parts": {
                "kept": {
                  "type": "inline",
                  "parameters": {"limit": {}, "count": {"default": "2"}, "plain": {"default": "a${b}"}},
                  "inputs": {"in": ["all", "some"]},
                  "outputs": {"out": "some", "rest": "some.rejected"},
                  "operators": {
                    "all": {"type": "file_sink", "path": "${limit}", "format": "text"},
                    "some": {"doc": "${limit}", "type": "filter", "parallelism": "${count}",
                             "where": ["value > '${limit}'", "AND value <> '${plain} $${x}'"]}
                  },
                  "links": []
                },
                "twice": {
                  "type": "inline",
                  "parameters": {"by": {}},
                  "inputs": {"in": ["one"]},
                  "outputs": {"out": "two"},
                  "operators": {
                    "one": {"type": "part", "part": "kept", "parameters": {"limit": "${by}1"}},
                    "two": {"type": "part", "part": "kept", "parameters": {"limit": "${by}2", "count": "1"}}
                  },
                  "links": [{"from": "one", "to": "two", "fuse": false}]
                }
              },
              "operators": {
                "a": {"type": "file_source", "path": "${dir}", "format": "text"},
                "p": {"type": "part", "part": "twice", "parameters": {"by": "${dir}/"}},
                "q": {"type": "part", "part": "kept", "parameters": {"limit": "q", "count": "${n}"}},
                "z": {"type": "discard_sink"}
              },
              "links": [{"from": "a", "to": "p"}, {"from": "p", "to": "q"},
                        {"from": "q.rest", "to": "z"}, {"from": "q", "to": "z"}]
            }
            """;

    @Test
    void theOperatorsOfAPartStandInThePlaceOfEachUse() {
        Graph graph = load(GRAPH);
        assertEquals(List.of("a", "p_one_all", "p_one_some", "p_two_all", "p_two_some", "q_all", "q_some", "z"),
                graph.operators().stream().map(Graph.Operator::id).toList());
        assertEquals(List.of("a>p_one_all", "a>p_one_some", "p_two_some>q_all", "p_two_some>q_some", "q_some.rejected>z",
                "q_some>z", "p_one_some>p_two_all", "p_one_some>p_two_some"), links(graph));
        assertEquals(List.of(false, false), graph.links().subList(6, 8).stream().map(l -> l.fields().flag("fuse")).toList());
        assertEquals("in/1", graph.operators().get(1).fields().string("path", ""));
        Values some = graph.operators().get(2).fields();
        assertEquals("value > 'in/1'\nAND value <> 'a${b} ${x}'", some.text("where").value());
        assertEquals(2, some.whole("parallelism", 0));
        assertEquals(3, graph.operators().get(6).fields().whole("parallelism", 0));
    }

    @Test
    void theGraphWithoutPartsIsTheSame() {
        Checked<WholeGraph> whole = Catalogue.DESCRIPTOR.expand(GRAPH, "g");
        Checked<Graph> again = Catalogue.DESCRIPTOR.load(whole.value().text(), "g", Map.of("dir", "in"));
        assertTrue(again.diagnostics().isEmpty(), again.render());
        assertEquals(plain(load(GRAPH)), plain(again.value()));
        assertEquals(links(load(GRAPH)), links(again.value()));
        Place used = whole.value().places().get("/operators/p_two_some");
        assertEquals("/operators/p", used.pointer());
        assertEquals(place(GRAPH, "{\"type\": \"part\", \"part\": \"twice\""), used.line() + ":" + used.column());
        assertEquals("/links/1", whole.value().places().get("/links/3").pointer());
        assertTrue(whole.value().text().contains("\"parallelism\": 2"), whole.value().text());
        assertTrue(whole.value().text().contains("\"${dir}/1\""), whole.value().text());
    }

    @Test
    void aGraphThatHasNoPartsIsLeftAlone() {
        assertNull(Catalogue.DESCRIPTOR.expand("{\"operators\": {}}", "g").value());
        assertNull(Catalogue.DESCRIPTOR.expand("[", "g").value());
    }

    @Test
    void anErrorHasItsPlaceInThePartAndThoseOfItsUses() {
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load(GRAPH.replace("$${x}", "${x}"), "g.json", Map.of("dir", "in"));
        assertEquals(1, graph.diagnostics().size(), graph.render());
        Diagnostic found = graph.diagnostics().get(0);
        assertEquals(place(GRAPH.replace("$${x}", "${x}"), "${x}"), found.place().line() + ":" + found.place().column());
        assertEquals("p_one_some", found.place().operatorId());
        assertEquals(2, found.more());
        assertEquals(List.of("/parts/twice/operators/one", "/operators/p"),
                found.used().stream().map(u -> u.place().pointer()).toList());
        assertTrue(found.render().contains("(at /parts/kept/operators/some/where/1, operator p_one_some, used at g.json:"),
                found.render());
        assertTrue(found.render().contains(", and in 2 more uses)"), found.render());
    }

    @Test
    void aPartInAFileIsFoundFromTheFolderOfTheFileThatNamesIt() {
        String inner = part("\"parts\": {\"deep\": {\"type\": \"file\", \"path\": \"../b/deep.json\"}}, "
                + "\"outputs\": {\"out\": \"d\"}, \"operators\": {\"d\": {\"type\": \"part\", \"part\": \"deep\"}}");
        String deep = part("\"outputs\": {\"out\": \"s\"}, \"operators\": {\"s\": {\"type\": \"file_source\", \"path\": 3, "
                + "\"format\": \"text\"}}");
        String text = using("a/inner.json") + files(Map.of("a/inner.json", inner, "b/deep.json", deep));
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load(text, "at/g.json", Map.of());
        assertEquals(List.of("u_d_s", "z"), graph.value().operators().stream().map(Graph.Operator::id).toList());
        assertEquals("at/b/deep.json:1:" + (deep.indexOf(": 3") + 3) + ": error[wrong_type]: found the number 3 where a string "
                + "should be (at /operators/s/path, operator u_d_s, used at at/a/inner.json:1:"
                + (inner.indexOf("{\"type\": \"part\"") + 1) + ", used at at/g.json:1:"
                + (text.indexOf("{\"type\": \"part\"") + 1) + ")\n  hint: put it in quotes", graph.render());
    }

    @Test
    void aFileThatIsNoPartIsToldWithItsPlace() {
        assertTrue(refused("{", "p.json").contains("at/p.json:1:2: error[syntax]"));
        assertTrue(refused("[]", "p.json").contains("at/p.json:1:1: error[wrong_type]: found an array where an object should"));
        assertTrue(refused("{\"format\": 1, \"operators\": {}}", "p.json")
                .contains("error[missing_field]: field `links` is missing"));
        String other = using("q.json") + files(Map.of("p.json", part("\"operators\": {}")));
        assertTrue(Catalogue.DESCRIPTOR.load(other, "at/g.json", Map.of()).render()
                .contains("error[unknown_part]: the file `q.json` cannot be read: it did not come with the graph"));
        String unread = using("p.json") + "\u001e{\"p.json\": {\"problem\": \"no part file here\"}}";
        assertTrue(Catalogue.DESCRIPTOR.load(unread, "at/g.json", Map.of()).render()
                .contains("cannot be read: no part file here"));
    }

    @Test
    void filesThatNameEachOtherAreACircle() {
        String one = part("\"parts\": {\"two\": {\"type\": \"file\", \"path\": \"two.json\"}}, \"outputs\": {\"out\": \"x\"}, "
                + "\"operators\": {\"x\": {\"type\": \"part\", \"part\": \"two\"}}");
        String two = one.replace("two", "one");
        String found = Catalogue.DESCRIPTOR.load(using("one.json") + files(Map.of("one.json", one, "two.json", two)), "g.json",
                Map.of()).render();
        assertTrue(found.contains("two.json:1:"), found);
        assertTrue(found.contains("error[part_cycle]: the part `one` uses itself: p -> two -> one"), found);
    }

    /** Twice as many with each part: 2 to the power of 40 operators. */
    @Test
    void partsThatDoubleAreRefusedBeforeTheyFillTheMemory() {
        StringBuilder parts = new StringBuilder("\"p0\": {\"type\": \"inline\", \"operators\": {\"r\": {\"type\": \"relay\"}}, "
                + "\"links\": []}");
        for (int k = 1; k <= 40; k++) {
            String use = "{\"type\": \"part\", \"part\": \"p" + (k - 1) + "\"}";
            parts.append(", \"p").append(k).append("\": {\"type\": \"inline\", \"operators\": {\"a\": ").append(use)
                    .append(", \"b\": ").append(use).append("}, \"links\": []}");
        }
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load("{\"format\": 1, \"name\": \"g\", \"parts\": {" + parts
                + "}, \"operators\": {\"u\": {\"type\": \"part\", \"part\": \"p40\"}}, \"links\": []}", "g", Map.of());
        assertEquals(1, graph.diagnostics().stream().filter(d -> d.rule().equals("out_of_range")).count());
        assertTrue(graph.value().operators().size() <= 10_000);
    }

    @Test
    void theFormIsKept() {
        Checked<String> once = Catalogue.DESCRIPTOR.format(GRAPH + "\u001e{}", "g");
        assertTrue(once.value().contains("    \"kept\": {\n      \"type\": \"inline\",\n      \"parameters\": {\n"
                + "        \"limit\": {},\n"), once.value());
        assertTrue(once.value().contains("      \"operators\": {\n        \"one\": {\"type\": \"part\""), once.value());
        assertTrue(once.value().contains("        {\"from\": \"one\", \"to\": \"two\", \"fuse\": false}\n"), once.value());
        assertEquals(once.value(), Catalogue.DESCRIPTOR.format(once.value(), "g").value());
        String inFile = "{\"links\": [], \"operators\": {\"r\": {\"type\": \"relay\"}}, \"inputs\": {\"in\": [\"r\"]}, "
                + "\"format\": 1}";
        assertEquals("{\n  \"format\": 1,\n  \"inputs\": {\"in\": [\"r\"]},\n  \"operators\": {\n    \"r\": {\"type\": "
                + "\"relay\"}\n  },\n  \"links\": []\n}\n", Catalogue.DESCRIPTOR.format(inFile, "p").value());
    }

    @Property
    void aGraphWithPartsThatIsCutAnywhereIsRefusedWithoutAnException(@ForAll @IntRange(min = 0, max = 2200) int from,
            @ForAll @IntRange(min = 1, max = 40) int length) {
        String cut = GRAPH.substring(0, Math.min(from, GRAPH.length()))
                + GRAPH.substring(Math.min(from + length, GRAPH.length()));
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load(cut, "g", Map.of("dir", "in"));
        assertFalse(graph.value() == null && graph.diagnostics().isEmpty());
        Catalogue.DESCRIPTOR.expand(cut, "g");
    }

    private static Graph load(String text) {
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load(text, "g", Map.of("dir", "in"));
        assertTrue(graph.diagnostics().isEmpty(), graph.render());
        return graph.value();
    }

    private static List<String> links(Graph graph) {
        return graph.links().stream().map(l -> l.fields().string("from", "") + ">" + l.fields().string("to", "")).toList();
    }

    private static Map<String, String> plain(Graph graph) {
        Map<String, String> all = new LinkedHashMap<>();
        graph.operators().forEach(o -> all.put(o.id(), o.fields().word()
                + new JsonPrinter().print(o.fields().plain(List.of()))));
        return all;
    }

    /** Line and column of the first such words. */
    private static String place(String text, String words) {
        String before = text.substring(0, text.indexOf(words));
        return before.split("\n", -1).length + ":" + (before.length() - before.lastIndexOf('\n'));
    }

    private static String part(String members) {
        return "{\"format\": 1, " + members + ", \"links\": []}";
    }

    /** A graph that uses the part `p` of that file. */
    private static String using(String path) {
        return "{\"format\": 1, \"name\": \"g\", \"parts\": {\"p\": {\"type\": \"file\", \"path\": \"" + path + "\"}}, "
                + "\"operators\": {\"u\": {\"type\": \"part\", \"part\": \"p\"}, \"z\": {\"type\": \"discard_sink\"}}, "
                + "\"links\": [{\"from\": \"u\", \"to\": \"z\"}]}";
    }

    private static String files(Map<String, String> texts) {
        Map<String, Object> files = new LinkedHashMap<>();
        texts.forEach((path, text) -> files.put(path, Map.of("text", text)));
        return "\u001e" + new JsonPrinter().print(files);
    }

    private static String refused(String text, String path) {
        return Catalogue.DESCRIPTOR.load(using(path) + files(Map.of(path, text)), "at/g.json", Map.of()).render();
    }
}
