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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** Twice as much with each part, 2 to the power of 40: operators, uses of nothing, ends of links, texts. */
    @Test
    void partsThatDoubleAreRefusedBeforeTheyFillTheMemory() {
        String uses = "\"operators\": {\"a\": {\"type\": \"part\", \"part\": \"p%1$d\"}, \"b\": {\"type\": \"part\", \"part\": "
                + "\"p%1$d\"}}";
        String relay = "\"operators\": {\"r\": {\"type\": \"relay\"}}";
        assertTrue(doubled(relay, uses, "").contains("more than 10000 operators and uses of parts"));
        assertTrue(doubled("\"operators\": {}", uses, "").contains("more than 10000 operators and uses of parts"));
        String ends = "\"operators\": {\"a\": {\"type\": \"part\", \"part\": \"p%1$d\"}}, \"inputs\": {\"in\": [\"a\", \"a\"]}";
        String into = "{\"from\": \"z\", \"to\": \"u\"}";
        assertTrue(doubled(relay + ", \"inputs\": {\"in\": [\"r\"]}", ends, into).contains("more than 200000 ends of links"));
        assertTrue(doubled(relay + ", \"inputs\": {\"in\": [\"lost\"]}", ends, into).contains("more than 200000 ends of links"));
        String text = "\"parameters\": {\"x\": {\"default\": \"0123456789\"}}, \"operators\": {\"a\": {\"type\": \"part\", "
                + "\"part\": \"p%1$d\", \"parameters\": {\"x\": \"${x}${x}\"}}}";
        assertTrue(doubled("\"parameters\": {\"x\": {}}, " + relay, text, "")
                .contains("a text of more than 1048576 characters"));
        // of which nothing is left once the graph's parameter is filled in
        String unseen = text.replace("0123456789", "");
        assertTrue(doubled("\"parameters\": {\"x\": {}}, " + relay, unseen, "\"parameters\": {\"x\": \"${long}\"}")
                .contains("a text of more than 1048576 characters"));
    }

    @Test
    void aTextThatParametersMakeTooLongIsRefused() {
        String graph = "{\"format\": 1, \"name\": \"g\", \"parameters\": {\"x\": {}}, \"operators\": {\"r\": {\"type\": "
                + "\"filter\", \"where\": \"" + "${x}".repeat(1025) + "\"}}, \"links\": []}";
        assertTrue(Catalogue.DESCRIPTOR.load(graph, "g", Map.of("x", "1".repeat(1024))).render().contains("error[parameter]: "
                + "with its parameters the text has more than 1048576 characters (at /operators/r/where, operator r)"));
        String many = graph.replace("${x}".repeat(1025), "${x}").replace("\"where\": \"${x}\"", "\"where\": [\"${x}\""
                + ", \"${x}\"".repeat(16) + "]");
        assertTrue(Catalogue.DESCRIPTOR.load(many, "g", Map.of("x", "1".repeat(1 << 20))).render().contains(
                "error[out_of_range]: with this the graph has texts of more than 16777216 characters"));
    }

    /** What is told of a graph that uses the last of 41 parts, the one of which uses the one before. */
    private static String doubled(String first, String each, String more) {
        StringBuilder parts = new StringBuilder("\"p0\": {\"type\": \"inline\", " + first + ", \"links\": []}");
        for (int k = 1; k <= 40; k++) {
            parts.append(", \"p").append(k).append("\": {\"type\": \"inline\", ").append(String.format(each, k - 1))
                    .append(", \"links\": []}");
        }
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load("{\"format\": 1, \"name\": \"g\", \"parameters\": {\"long\": "
                + "{\"default\": \"\"}}, \"parts\": {" + parts + "}, \"operators\": {\"z\": {\"type\": \"relay\"}, "
                + "\"u\": {\"type\": \"part\", \"part\": \"p40\"" + (more.startsWith("\"") ? ", " + more : "") + "}}, "
                + "\"links\": [" + (more.startsWith("{") ? more : "") + "]}", "g", Map.of());
        assertTrue(graph.value().operators().size() <= 10_000);
        return graph.render();
    }

    @Test
    void partsWithinTooManyPartsAreRefused() {
        StringBuilder parts = new StringBuilder("\"p0\": {\"type\": \"inline\", \"operators\": {}, \"links\": []}");
        for (int k = 1; k <= 64; k++) {
            parts.append(", \"p").append(k).append("\": {\"type\": \"inline\", \"operators\": {\"u\": {\"type\": \"part\", ")
                    .append("\"part\": \"p").append(k - 1).append("\"}}, \"links\": []}");
        }
        String graph = "{\"format\": 1, \"name\": \"g\", \"parts\": {" + parts + "}, \"operators\": {\"u\": {\"type\": \"part\", "
                + "\"part\": \"p%d\"}}, \"links\": []}";
        assertFalse(Catalogue.DESCRIPTOR.load(String.format(graph, 63), "g", Map.of()).render().contains("error["));
        assertTrue(Catalogue.DESCRIPTOR.load(String.format(graph, 64), "g", Map.of()).render()
                .contains("error[out_of_range]: the part `p0` would be within more than 64 others"));
    }

    /** The graph without parts keeps its parameters, and a link of it would be lost. */
    @Test
    void aLinkOfAPartThatAParameterOfTheGraphLeadsIsRefused() {
        String led = GRAPH.replace("{\"from\": \"one\", \"to\": \"two\", \"fuse\": false}",
                "{\"from\": \"${by}\", \"to\": \"two\"}").replace("\"${dir}/\"", "\"${dir}\"");
        assertTrue(Catalogue.DESCRIPTOR.load(led, "g", Map.of("dir", "one")).render().contains("error[parameter]: where a link "
                + "leads to, in or at a part, a parameter of the graph cannot say (at /parts/twice/links/0/from, used at g:"));
        String at = GRAPH.replace("{\"from\": \"p\", \"to\": \"q\"}", "{\"from\": \"${dir}\", \"to\": \"q\"}");
        assertTrue(Catalogue.DESCRIPTOR.load(at, "g", Map.of("dir", "p")).render().contains("cannot say (at /links/1/from)"));
        String own = led.replace("\"by\": \"${dir}\"", "\"by\": \"one\"");
        assertEquals(plain(load(own)), plain(Catalogue.DESCRIPTOR.load(Catalogue.DESCRIPTOR.expand(own, "g").value().text(), "g",
                Map.of("dir", "in")).value()));
    }

    @ParameterizedTest
    @CsvSource({"x$, '{y}'", "x$, '${n}'"})
    void aParameterThatWouldBeginAnotherIsRefused(String limit, String behind) {
        String joined = GRAPH.replace("\"path\": \"${limit}\"", "\"path\": \"${limit}${count}\"").replace(
                "\"limit\": \"q\", \"count\": \"${n}\"", "\"limit\": \"" + limit + "\", \"count\": \"" + behind + "\"");
        String found = Catalogue.DESCRIPTOR.load(joined, "g", Map.of("dir", "in")).render();
        assertTrue(found.contains("error[parameter]: a parameter ends with `$` in front of `{` or of another parameter, and `${` "
                + "begins a parameter (at /parts/kept/operators/all/path, operator q_all, used at g:"), found);
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
