package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.AggregationPlan;
import io.despina.expr.Hash;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.WindowNames;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.analysis.ScopePlan;
import io.despina.expr.catalyst.analysis.SelectList;
import io.despina.expr.catalyst.codegen.Binder;
import io.despina.expr.catalyst.codegen.Interpreted;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule after analysis is needed: what it is for works with it, and does not without it. */
class RulesTest {
    private static final Analysis ALL = new Analysis(true, "UTC");
    private static final Schema SCHEMA = Packets.schema("a INT, s STRING, m MAP<STRING, INT>, b DOUBLE NOT NULL");
    private static final Packet PACKET = Packets.of(SCHEMA, 3, "x", null, -0.0);

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
            SpecialDatetimeValues | cast('epoch' AS DATE)
            RewriteWithExpression | a BETWEEN 1 AND 5
            RewriteWithExpression | nullif(a + 1, 4)
            ConstantFolding       | typeof(a)
            """)
    void isNeeded(String rule, String text) {
        assertDoesNotThrow(() -> project(ALL, text), text);
        assertThrows(Throwable.class, () -> project(ALL.without(rule), text), text + " without " + rule);
    }

    /** One that shares its operand (NULLIF, BETWEEN) within another, wherever Spark takes one. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            nullif(nullif(a, 1), 2)                                                  | 3
            nullif(nullif(nullif(a + 1, 1), 2), 4)                                   | NULL
            nullif(a + 1 BETWEEN 1 AND 5, false)                                     | true
            nullif(a BETWEEN 1 AND nullif(a + 1, 2), false)                          | true
            if(nullif(nullif(a + 1, 4), 5) IS NULL, nullif(nullif(a + 1, 7), 8), 2)  | 4
            CASE WHEN a > 2 THEN nullif(nullif(a + 1, 7), 8) END                     | 4
            coalesce(nullif(nullif(a + 1, 4), 2), nullif(nullif(a + 1, 7), 8))       | 4
            transform(array(a, 1), e -> nullif(nullif(e + 1, 3), 4))[0]              | NULL
            exists(array(a), e -> nullif(nullif(e, 1), 3) IS NULL)                   | true
            named_struct('p', nullif(nullif(a + 1, 3), 9)).p                         | 4
            equal_null(nullif(a, 3), nullif(nullif(a, 1), 3))                        | true
            nullif(nullif(rand(), 2.0D), 3.0D) < 1                                  | true
            """)
    void operandsAreSharedWithinOneAnother(String text, String expected) throws Exception {
        assertEquals(expected, project(ALL, "nvl(cast(" + text + " AS STRING), 'NULL')").get(0).toString());
        assertEquals(true, project(ALL, "(" + text + ") IS NOT DISTINCT FROM (" + text + ")").get(0));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            s                          | sum(nullif(nullif(a + 1, 1), 2))                                | 4
            s                          | nullif(nullif(sum(a + 1), 1), 2)                                | 4
            s                          | nullif(nullif(sum(nullif(nullif(a, 1), 2)), 1), 2)              | 3
            s                          | sum(a) FILTER (WHERE nullif(nullif(a, 1), 2) BETWEEN 1 AND 3)   | 3
            s                          | count(DISTINCT nullif(nullif(a, 1), 2))                         | 1
            nullif(nullif(a, 1), 2)    | nullif(nullif(a, 1), 2) + 1                                     | 4
            nullif(nullif(a, 1), 2)    | nullif(nullif(nullif(nullif(a, 1), 2), 5), 6) + max(a)          | 6
            """)
    void operandsAreSharedWithinOneAnotherInAggregates(String key, String text, String expected) throws Exception {
        assertEquals(expected, repeated(ALL, key, text));
    }

    @Test
    void operandsAreSharedWithinOneAnotherInConditionsAndKeys() throws Exception {
        CatalystCompiler compiler = new CatalystCompiler(ALL);
        String text = "nullif(nullif(a + 1, 1), 2)";
        assertTrue(compiler.predicate(Scope.of(SCHEMA), text + " BETWEEN 1 AND 4").instance(0).test(new Packet[] {PACKET}));
        assertEquals(project(ALL, "hash(4)").get(0),
                compiler.hash(Scope.of(SCHEMA), List.of(text)).instance(0).hash(new Packet[] {PACKET}));
    }

    @Test
    void currentTimeIsOneForTheJob() throws Exception {
        assertEquals(Set.of(7L), times(ALL.at(7)));
        assertNotEquals(1, times(ALL.without("JobInstant")).size());
    }

    /** What a hundred calls in one list give. */
    private static Set<Object> times(Analysis analysis) throws Exception {
        List<String> select = IntStream.range(0, 100).mapToObj(k -> "now() AS c" + k).toList();
        return new TreeSet<>(Packets.apply(new CatalystCompiler(analysis).project(Scope.of(SCHEMA), select), PACKET));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            a + 1 BETWEEN 1 AND 5     | NOT (a + 1 BETWEEN 1 AND 5)               | false
            nullif(a, 1)              | nullif(a, 1) + 1                          | 4
            nvl(a, 1)                 | nvl(a, 1) + count(*)                      | 4
            1 + 2 + a                 | 1 + 2 + a                                 | 6
            (a + 1) * 2               | (a + 1) * 2 - max(a)                      | 5
            named_struct('x', a)      | named_struct('x', a).x                    | 3
            map('x', a)               | map('x', a)['x']                          | 3
            named_struct('m', map('x', a)) | named_struct('m', map('x', a)).m['x'] | 3
            if(true, a, 2)            | if(true, a, 2) + 1                        | 4
            typeof(a)                 | upper(typeof(a))                          | INT
            b                         | b                                         | 0.0
            b + 0                     | 1 / (b + 0 + 1)                           | 1.0
            array(b)                  | array(b)[0]                               | 0.0
            round(b)                  | round(b) + 1                              | 1.0
            bround(b + 2.675, 2)      | bround(b + 2.675, 2) * 2 + round(max(a) / 2) | 7.36
            a NOT BETWEEN 1 AND 5     | if(a NOT BETWEEN 1 AND 5, 1, 2)           | 2
            CASE WHEN true THEN s END | concat(CASE WHEN true THEN s END, '!')    | x!
            """)
    void groupsMayBeRepeatedInResults(String key, String text, String expected) throws Exception {
        assertEquals(expected, repeated(ALL, key, text));
    }

    @Test
    void betweenIsKnownAgainInResults() {
        Analysis without = ALL.without("PullOutGroupingExpressions");
        assertThrows(NullPointerException.class, () -> repeated(without, "nullif(a, 1)", "nullif(a, 1) + 1"));
        assertThrows(NullPointerException.class,
                () -> repeated(without, "a + 1 BETWEEN 1 AND 5", "NOT (a + 1 BETWEEN 1 AND 5)"));
    }

    /** The result for a group, which has its key but no packet. */
    private static String repeated(Analysis analysis, String key, String text) throws Exception {
        AggregationPlan plan = aggregate(analysis, key, "cast(" + text + " AS STRING) AS r");
        Packet group = projected(plan.keys(), PACKET);
        Aggregation aggregation = plan.compiled().instance(0);
        Accumulator accumulator = aggregation.create();
        aggregation.update(accumulator, PACKET);
        PacketWriter out = Packets.writer(plan.result());
        out.begin();
        aggregation.evaluate(accumulator, group, null, null, out);
        out.commit();
        return Packets.values(packet(plan.result(), out), plan.result()).get(0).toString();
    }

    private static Packet projected(ProjectionPlan plan, Packet of) {
        PacketWriter out = Packets.writer(plan.result());
        out.begin();
        plan.compiled().instance(0).apply(new Packet[] {of}, out);
        out.commit();
        return packet(plan.result(), out);
    }

    private static Packet packet(Schema schema, PacketWriter out) {
        Packet packet = new Packet(schema.layout());
        packet.wrap(out.bytes(), 0, out.position());
        return packet;
    }

    /** Without CollapseProject the operand of BETWEEN would be boxed into a row for each packet. */
    @Test
    void projectionsAreOne() throws Exception {
        assertEquals(0, stages(ALL));
        assertNotEquals(0, stages(ALL.without("CollapseProject")));
    }

    private static int stages(Analysis analysis) {
        return analysis.under(() -> {
            ScopePlan inputs = new ScopePlan(Scope.of(SCHEMA));
            Expression text = SelectList.alias(analysis.parse("a + 1 BETWEEN 1 AND 5"), "r");
            Project checked = (Project) analysis.check(new Project(Scala.seq((NamedExpression) text), inputs.plan()));
            return new Binder(inputs).bind(analysis.finish(checked)).stages().length;
        });
    }

    private static final double OTHER_NAN = Double.longBitsToDouble(0xfff8000000000001L);

    private static Packet b(double value) {
        return Packets.of(SCHEMA, 3, "x", null, value);
    }

    /** The key's bytes, and what its hash is. */
    @ParameterizedTest
    @ValueSource(strings = {"b", "array(b)", "named_struct('x', b)", "cast(b AS FLOAT)"})
    void zeroesAndNaNsAreOneGroupEach(String key) throws Exception {
        Hash hash = new CatalystCompiler(ALL).hash(Scope.of(SCHEMA), List.of(key)).instance(0);
        Projection keys = aggregate(ALL, key + " AS k", "count(*) AS n").keys().compiled().instance(0);
        Schema schema = aggregate(ALL, key + " AS k", "count(*) AS n").keySchema();
        assertEquals(bytes(keys, schema, b(0.0)), bytes(keys, schema, b(-0.0)));
        assertEquals(bytes(keys, schema, b(Double.NaN)), bytes(keys, schema, b(OTHER_NAN)));
        assertNotEquals(bytes(keys, schema, b(0.0)), bytes(keys, schema, b(Double.NaN)));
        assertEquals(hash.hash(new Packet[] {b(0.0)}), hash.hash(new Packet[] {b(-0.0)}));
        assertEquals(hash.hash(new Packet[] {b(Double.NaN)}), hash.hash(new Packet[] {b(OTHER_NAN)}));
        for (double value : new double[] {0.0, -0.0, Double.NaN, OTHER_NAN, 1.5}) {
            assertEquals(sparks(key, value), hash.hash(new Packet[] {b(value)}), key + " of " + value);
        }
    }

    /** Spark's own hash of a constant. */
    private static int sparks(String key, double value) throws Exception {
        String constant = Double.isNaN(value) ? "double('NaN')" : "double('" + value + "')";
        return (int) project(ALL, "hash(" + key.replaceAll("\\bb\\b", constant) + ")").get(0);
    }

    @Test
    void zeroesAndNaNsAreDistinctOnce() throws Exception {
        AggregationPlan plan = new CatalystCompiler(ALL).aggregate(SCHEMA, List.of(), List.of("count(DISTINCT b) AS n"), false,
                WindowNames.NONE, List.of());
        Aggregation aggregation = plan.compiled().instance(0);
        Accumulator accumulator = aggregation.create();
        for (double value : new double[] {0.0, -0.0, Double.NaN, OTHER_NAN}) {
            aggregation.update(accumulator, b(value));
        }
        PacketWriter out = Packets.writer(plan.result());
        out.begin();
        aggregation.evaluate(accumulator, null, null, null, out);
        out.commit();
        assertEquals(List.of(2L), Packets.values(packet(plan.result(), out), plan.result()));
    }

    @Test
    void mapsAreKeysWhateverTheOrderOfTheirEntries() throws Exception {
        assertEquals(key(ALL, "map('x', a, 'y', 1)"), key(ALL, "map('y', 1, 'x', a)"));
        Analysis without = ALL.without("InsertMapSortInAggregate");
        assertNotEquals(key(without, "map('x', a, 'y', 1)"), key(without, "map('y', 1, 'x', a)"));
    }

    private static AggregationPlan aggregate(Analysis analysis, String key, String select) throws Exception {
        return new CatalystCompiler(analysis).aggregate(SCHEMA, List.of(key), List.of(select), false, WindowNames.NONE,
                List.of());
    }

    /** The bytes of the packet's key. */
    private static List<Byte> key(Analysis analysis, String text) throws Exception {
        AggregationPlan plan = aggregate(analysis, text + " AS k", "count(*) AS n");
        return bytes(plan.keys().compiled().instance(0), plan.keySchema(), PACKET);
    }

    private static List<Byte> bytes(Projection keys, Schema schema, Packet of) {
        PacketWriter out = Packets.writer(schema);
        out.begin();
        keys.apply(new Packet[] {of}, out);
        out.commit();
        List<Byte> bytes = new ArrayList<>();
        for (int k = 0; k < out.position(); k++) {
            bytes.add(out.bytes()[k]);
        }
        return bytes;
    }
}
