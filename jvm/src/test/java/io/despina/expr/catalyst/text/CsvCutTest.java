package io.despina.expr.catalyst.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class CsvCutTest {
    private static String first(int columns, String line, String... options) {
        Map<String, String> named = options.length == 0 ? Map.of() : Map.of(options[0], options[1]);
        return new CsvCut(LineParser.csvOptions(named, "UTC"), columns, true).text(line);
    }

    @Test
    void cutsBeforeTheSeparatorThatFollows() {
        assertEquals("a,b", first(2, "a,b,c,d"));
        assertEquals("a,b", first(2, "a,b"));
        assertEquals("a", first(2, "a"));
        assertEquals(",", first(2, ",,"));
        assertEquals("", first(1, ",x"));
    }

    @Test
    void separatorsInQuotesDoNotCount() {
        assertEquals("\"a,b\",c", first(2, "\"a,b\",c,d"));
        assertEquals("\"a\\\",b\"", first(1, "\"a\\\",b\",c"));
        assertEquals("a\"b", first(1, "a\"b,c\""));
        assertEquals("\"a\"\"b,c\"", first(1, "\"a\"\"b,c\",d", "escape", "\""));
    }

    @Test
    void separatorsAndQuotesAreTheOptions() {
        assertEquals("a\tb", first(2, "a\tb\tc", "SEP", "\\t"));
        assertEquals("a|b||", first(2, "a|b||||c", "sep", "||"));
        assertEquals("'a,b'", first(1, "'a,b',c", "quote", "'"));
        assertEquals("\"a", first(1, "\"a,b\"", "quote", ""));
    }

    @Property(tries = 300)
    void whatWasWrittenIsCutWhereItWasJoined(@ForAll("cells") List<String> cells) {
        for (int columns = 1; columns <= cells.size(); columns++) {
            assertEquals(joined(cells.subList(0, columns)), first(columns, joined(cells)));
        }
    }

    private static String joined(List<String> cells) {
        return cells.stream().map(cell -> '"' + cell.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .collect(Collectors.joining(","));
    }

    @Provide
    Arbitrary<List<String>> cells() {
        return Arbitraries.strings().withChars('a', 'ü', ',', '"', '\\').ofMaxLength(6).list().ofMinSize(1).ofMaxSize(5);
    }
}
