package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.expr.AggregationPlan;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each rule after analysis is needed: what it is for works with it, and does not without it. */
class RulesTest {
    private static final Analysis ALL = new Analysis(true, "UTC");
    private static final Schema SCHEMA = Packets.schema("a INT, s STRING, m MAP<STRING, INT>");
    private static final Packet PACKET = Packets.of(SCHEMA, 3, "x", null);

    private static List<Object> project(Analysis analysis, String text) throws Exception {
        ProjectionPlan plan = new CatalystCompiler(analysis).project(Scope.of(SCHEMA), List.of(text + " AS r"));
        if (plan.compiled().instance(0) instanceof Interpreted) {
            throw new IllegalStateException("does not compile");
        }
        return Packets.apply(plan, PACKET);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ReplaceExpressions    | nvl(a, 1)
            ReplaceExpressions    | try_add(a, 1)
            ReplaceCurrentLike    | current_database()
            SpecialDatetimeValues | cast('today' AS DATE)
            RewriteWithExpression | a BETWEEN 1 AND 5
            RewriteWithExpression | nullif(a + 1, 4)
            ConstantFolding       | typeof(a)
            """)
    void isNeeded(String rule, String text) {
        assertDoesNotThrow(() -> project(ALL, text), text);
        assertThrows(Throwable.class, () -> project(ALL.without(rule), text), text + " without " + rule);
    }

    @Test
    void currentTimeIsOneForTheJob() throws Exception {
        assertEquals(1, times(ALL).size());
        assertNotEquals(1, times(ALL.without("ComputeCurrentTime")).size());
    }

    /** What a hundred calls in one list give. */
    private static Set<Object> times(Analysis analysis) throws Exception {
        List<String> select = IntStream.range(0, 100).mapToObj(k -> "now() AS c" + k).toList();
        return new TreeSet<>(Packets.apply(new CatalystCompiler(analysis).project(Scope.of(SCHEMA), select), PACKET));
    }

    @Test
    void groupsMayBeRepeatedInResults() {
        assertDoesNotThrow(() -> instance(ALL, "a + 1 BETWEEN 1 AND 5", "NOT (a + 1 BETWEEN 1 AND 5) AS r"));
    }

    @Test
    void mapsAreKeysWhateverTheOrderOfTheirEntries() throws Exception {
        assertEquals(key(ALL, "map('x', a, 'y', 1)"), key(ALL, "map('y', 1, 'x', a)"));
        Analysis without = ALL.without("InsertMapSortInAggregate");
        assertNotEquals(key(without, "map('x', a, 'y', 1)"), key(without, "map('y', 1, 'x', a)"));
    }

    private static Object instance(Analysis analysis, String key, String select) throws Exception {
        AggregationPlan plan = aggregate(analysis, key, select);
        plan.keys().compiled().instance(0);
        return plan.compiled().instance(0);
    }

    private static AggregationPlan aggregate(Analysis analysis, String key, String select) throws Exception {
        return new CatalystCompiler(analysis).aggregate(SCHEMA, List.of(key), List.of(select), false, false);
    }

    /** The bytes of the packet's key. */
    private static List<Byte> key(Analysis analysis, String text) throws Exception {
        AggregationPlan plan = aggregate(analysis, text + " AS k", "count(*) AS n");
        io.despina.packet.PacketWriter out = Packets.writer(plan.keySchema());
        out.begin();
        plan.keys().compiled().instance(0).apply(new Packet[] {PACKET}, out);
        out.commit();
        List<Byte> bytes = new java.util.ArrayList<>();
        for (int k = 0; k < out.position(); k++) {
            bytes.add(out.bytes()[k]);
        }
        return bytes;
    }
}
