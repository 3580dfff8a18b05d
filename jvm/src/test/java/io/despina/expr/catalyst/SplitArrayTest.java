package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.despina.expr.PlainSplit;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Schema;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SplitArrayTest {
    private static final CatalystCompiler ANSI = new CatalystCompiler(true, "UTC");
    private static final Schema LINE = Packets.schema("line STRING, n INT");

    private static ProjectionPlan plan(String array) throws Exception {
        return ANSI.project(Scope.of(LINE), List.of(array + " AS words"));
    }

    private static PlainSplit split(String array) throws Exception {
        return plan(array).compiled().instance(0).split();
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', delimiter = '|', value = {
        "split(line, ' ')|32", "split(line, ',', -1)|44", "split(line, ',', 0)|44", "split(lower(trim(line)), ';')|59",
        "split(line, '\\\\.')|46", "split(line, '\t')|9", "split(cast(n AS STRING), '0')|48", "split(line, ']')|93"})
    void aSplitAtOneCharacterHasItsText(String array, int delimiter) throws Exception {
        assertEquals(delimiter, split(array).delimiter());
    }

    @ParameterizedTest
    @ValueSource(strings = {"split(line, '.')", "split(line, ' +')", "split(line, '')", "split(line, ', ')", "split(line, ' ', 2)",
        "split(line, '\\\\s')", "split(line, 'ü')", "split(line, line)", "split(line, ' ', n)",
        "array(line)", "transform(split(line, ' '), w -> upper(w))", "split(line, cast(NULL AS STRING))"})
    void anyOtherArrayHasNone(String array) throws Exception {
        assertNull(split(array));
    }

    @Test
    void itIsAnArrayAllTheSame() throws Exception {
        assertEquals("words ARRAY<STRING>", plan("split(line, ' ')").result().sql());
        assertEquals(1, Packets.apply(plan("split(line, ' ')"), Packets.of(LINE, "a b", 1)).size());
        assertNull(Packets.apply(plan("split(line, ' ')"), Packets.of(LINE, null, 1)).get(0));
    }
}
