package io.despina.descriptor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.catalogue.Catalogue;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DescriptorTest {
    private static final String GRAPH = """
            {
              "format": 1, "name": "g",
              "parameters": {"n": {"default": "3"}, "dir": {}},
              "operators": {
                "a": {"type": "file_source", "path": "${dir}/$${x}", "format": "text", "parallelism": "${n}"},
                "b": {"type": "project", "select": ["value", ["upper(", "\\tvalue${n}) AS u"]]}
              },
              "links": [{"from": "a", "to": "b"}]
            }
            """;

    @Test
    void fillsInParametersAndDefaults() {
        Values source = load(Map.of("dir", "in")).operators().get(0).fields();
        assertEquals("in/${x}", source.text("path").value());
        assertEquals(3, source.whole("parallelism", 0));
        assertEquals("error", source.string("extra_columns", ""));
        assertEquals("as_fast_as_possible", source.fields("replay").word());
        assertEquals(Map.of(), source.strings("options"));
        assertNull(source.fields("event_time"));
    }

    @Test
    void placesInAnExpressionMindLinesEscapesAndParameters() {
        Text lines = load(Map.of("dir", "in", "n", "1234")).operators().get(1).fields().texts("select").get(1);
        assertEquals("upper(\n\tvalue1234) AS u", lines.value());
        assertEquals(new Place(318, 6, 52, "/operators/b/select/1/0"), with(lines.place(0), 318));
        Place tab = lines.place(lines.value().indexOf('\t'));
        Place value = lines.place(lines.value().indexOf("value"));
        assertEquals(2, value.column() - tab.column());
        Place parameter = lines.place(lines.value().indexOf("1234"));
        assertEquals(parameter, lines.place(lines.value().indexOf("234")));
        assertEquals("${n}".length(), lines.place(lines.value().indexOf(") AS")).column() - parameter.column());
    }

    @Test
    void columnsCountCharacters() {
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load(
                "{\"format\": 1, \"name\": \"𝄞\", \"x\": 1, \"operators\": {}, \"links\": []}", "g",
                Map.of());
        Diagnostic unknown = graph.diagnostics().stream().filter(d -> d.rule().equals("unknown_field")).findFirst().orElseThrow();
        assertEquals("{\"format\": 1, \"name\": \"?\", \"x\": ".length() + 1, unknown.place().column());
    }

    @Test
    void aBrokenOperatorHidesNoOther() {
        String broken = GRAPH.replace("\"format\": \"text\"", "\"format\": \"texts\"").replace("\"select\"", "\"selekt\"");
        List<String> rules = Catalogue.DESCRIPTOR.load(broken, "g", Map.of("dir", "in")).diagnostics().stream()
                .map(Diagnostic::rule).toList();
        assertEquals(List.of("unknown_word", "unknown_field"), rules);
    }

    @Test
    void valuesForUnknownParametersAreErrors() {
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load(GRAPH, "g", Map.of("dri", "in", "dir", "in"));
        assertEquals("did you mean `dir`?", graph.diagnostics().get(0).hint());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"a": 1, // one       | JSON has no comments: use "doc"
            {"a": 1 "b": 2}       | put a comma between the two
            {"a": 1,}             | leave out the comma before it
            {"a": [1, 2,]}        | leave out the comma before it
            {a: 1}                | put the name in double quotes
            {"a": }               |
            """)
    void whatIsMostOftenMeantByBrokenJson(String text, String hint) {
        Diagnostic syntax = Catalogue.DESCRIPTOR.load(text, "g", Map.of()).diagnostics().get(0);
        assertEquals("syntax", syntax.rule());
        assertEquals(hint, syntax.hint());
        assertFalse(syntax.message().contains("Feature"), syntax.message());
    }

    @Test
    void deepNestingIsAnErrorNotAnOverflow() {
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load("[".repeat(200_000), "g", Map.of());
        assertEquals("syntax", graph.diagnostics().get(0).rule());
    }

    @Property(tries = 300)
    void anyTextGivesDiagnosticsNeverAnException(@ForAll String text) {
        assertTrue(!Catalogue.DESCRIPTOR.load(text, "g", Map.of()).diagnostics().isEmpty());
    }

    @Property(tries = 500)
    void aGraphCutAnywhereIsRefusedWithoutAnException(@ForAll @IntRange(min = 0, max = 420) int from,
            @ForAll @IntRange(min = 1, max = 30) int length) {
        int to = Math.min(GRAPH.length(), from + length);
        Checked<Graph> cut = Catalogue.DESCRIPTOR.load(GRAPH.substring(0, Math.min(from, to)) + GRAPH.substring(to), "g",
                Map.of("dir", "in"));
        cut.diagnostics().forEach(d -> assertTrue(d.place().line() >= 1 && d.place().column() >= 1, d.render()));
    }

    private static Graph load(Map<String, String> parameters) {
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load(GRAPH, "g", parameters);
        assertEquals("", graph.render());
        return graph.value();
    }

    private static Place with(Place place, int offset) {
        return new Place(offset, place.line(), place.column(), place.pointer());
    }
}
