package io.despina.expr.catalyst.codegen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.despina.expr.PlainSplit;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.catalyst.CatalystCompiler;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Schema;
import java.util.List;
import org.apache.spark.sql.catalyst.util.ArrayData;
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

    private static Projection projection(String array) throws Exception {
        return plan(array).compiled().instance(0);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', delimiter = '|', value = {
        "split(line, ' ')|32", "split(line, ',', -1)|44", "split(line, ',', 0)|44", "split(lower(trim(line)), ';')|59",
        "split(line, '\\\\.')|46", "split(line, '\t')|9", "split(cast(n AS STRING), '0')|48", "split(line, ']')|93"})
    void aSplitAtOneCharacterHasItsText(String array, int delimiter) throws Exception {
        assertEquals(delimiter, assertInstanceOf(PlainSplit.class, projection(array)).delimiter());
    }

    @ParameterizedTest
    @ValueSource(strings = {"split(line, '.')", "split(line, ' +')", "split(line, '')", "split(line, ', ')",
        "split(line, ' ', 2)",
        "split(line, '\\\\s')", "split(line, 'ü')", "split(line, line)", "split(line, ' ', n)",
        "array(line)", "transform(split(line, ' '), w -> upper(w))", "split(line, cast(NULL AS STRING))"})
    void anyOtherArrayHasNone(String array) throws Exception {
        assertFalse(projection(array) instanceof PlainSplit);
    }

    @Test
    void itIsAnArrayAllTheSame() throws Exception {
        assertEquals("words ARRAY<STRING>", plan("split(line, ' ')").result().sql());
        ArrayData words = (ArrayData) Packets.apply(plan("split(line, ' ')"), Packets.of(LINE, "a b", 1)).get(0);
        assertEquals(List.of("a", "b"), List.of(words.getUTF8String(0).toString(), words.getUTF8String(1).toString()));
        assertNull(Packets.apply(plan("split(line, ' ')"), Packets.of(LINE, null, 1)).get(0));
    }
}
