package io.despina.expr.catalyst.codegen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.AggregationPlan;
import io.despina.expr.Compiled;
import io.despina.expr.Equalities;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.Hash;
import io.despina.expr.Playback;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Recorder;
import io.despina.expr.Scope;
import io.despina.expr.WindowNames;
import io.despina.expr.catalyst.CatalystCompiler;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a recorder has heard, played again elsewhere. */
class PlaybackTest {
    private static final ExpressionCompiler COMPILER = new CatalystCompiler(true, "UTC");
    private static final Schema SCHEMA = Packets.schema("a INT, s STRING, l ARRAY<INT>, d DECIMAL(20, 2), t TIMESTAMP NOT NULL");
    private static final Scope SCOPE = Scope.of(SCHEMA);
    private static final Packet ROW = Packets.of(SCHEMA, 3, "x", null, new java.math.BigDecimal("1.25"), 7L);

    private final Recorder recorder = new Recorder(COMPILER);
    private final AtomicInteger asked = new AtomicInteger();

    private Playback playback() {
        return playback(recorder);
    }

    private Playback playback(Recorder recorder) {
        return new Playback(recorder.answers(), () -> {
            asked.incrementAndGet();
            return COMPILER;
        });
    }

    @Test
    void typesTravelAndCodeIsCompiledWhereItRuns() throws Exception {
        List<String> select = List.of("*", "a / 2 AS half", "concat(s, '-', a) AS c", "array(a, a + 1) AS two", "d + 1 AS e",
                "named_struct('x', a) AS st", "map('k', a) AS m", "CAST(a AS INTERVAL HOUR) AS h",
                "array(CAST(a AS INTERVAL YEAR)) AS y", "t - t AS ds");
        ProjectionPlan plan = recorder.project(SCOPE, select);
        Hash hash = recorder.hash(SCOPE, List.of("a", "s")).instance(0);
        recorder.predicate(SCOPE, "a % 2 = 1 AND s LIKE 'x%'");
        Playback playback = playback();
        ProjectionPlan again = playback.project(SCOPE, select);
        assertEquals(plan.result().columns(), again.result().columns());
        assertEquals(plan.origins(), again.origins());
        assertEquals(plan.reads(), again.reads());
        Compiled<Hash> hashAgain = playback.hash(SCOPE, List.of("a", "s"));
        Compiled<Predicate> predicateAgain = playback.predicate(SCOPE, "a % 2 = 1 AND s LIKE 'x%'");
        assertEquals(0, asked.get());
        assertEquals(Packets.apply(plan, ROW).toString(), Packets.apply(again, ROW).toString());
        assertEquals(hash.hash(new Packet[] {ROW}), hashAgain.instance(0).hash(new Packet[] {ROW}));
        assertTrue(predicateAgain.instance(0).test(new Packet[] {ROW}));
        assertEquals(1, asked.get());
    }

    @Test
    void copiesNeedNoCompiler() throws Exception {
        List<List<String>> lists = List.of(List.of("*"), List.of("t", "s AS a", "d", "l"), List.of("s AS x", "s AS y"));
        List<ProjectionPlan> plans = new java.util.ArrayList<>();
        for (List<String> select : lists) {
            plans.add(recorder.project(SCOPE, select));
        }
        Playback playback = playback();
        for (int k = 0; k < lists.size(); k++) {
            assertEquals(Packets.apply(plans.get(k), ROW), Packets.apply(playback.project(SCOPE, lists.get(k)), ROW));
        }
        assertEquals(List.of(7L, org.apache.spark.unsafe.types.UTF8String.fromString("x")),
                Packets.apply(plans.get(1), ROW).subList(0, 2));
        assertEquals(0, asked.get());
    }

    @Test
    void copiesFromTwoInputs() throws Exception {
        Scope two = new Scope(List.of(new Scope.Input("left", SCHEMA), new Scope.Input("right", SCHEMA)));
        Packet other = Packets.of(SCHEMA, 4, "y", null, null, 8L);
        ProjectionPlan plan = COMPILER.project(two, List.of("right.t AS r", "left.t AS l", "right.d AS d"));
        assertEquals(java.util.Arrays.asList(8L, 7L, null), Packets.apply(plan.compiled().instance(0), plan.result(),
                ROW, other));
    }

    @Test
    void aggregatesAndEqualities() throws Exception {
        List<String> keys = List.of("s");
        List<String> select = List.of("s", "count(*) AS n", "max(a) AS most");
        AggregationPlan plan = recorder.aggregate(SCHEMA, keys, select, false, WindowNames.NONE, List.of());
        Scope two = new Scope(List.of(new Scope.Input("left", SCHEMA), new Scope.Input("right", SCHEMA)));
        Equalities equalities = recorder.equalities(two, "left.a = right.a AND left.t > right.t");
        Playback playback = playback();
        AggregationPlan again = playback.aggregate(SCHEMA, keys, select, false, WindowNames.NONE, List.of());
        assertEquals(plan.result(), again.result());
        assertEquals(plan.keySchema(), again.keySchema());
        assertEquals(plan.reads(), again.reads());
        assertEquals(equalities, playback.equalities(two, "left.a = right.a AND left.t > right.t"));
        assertEquals(0, asked.get());
        assertEquals(Packets.apply(plan.keys(), ROW), Packets.apply(again.keys(), ROW));
        assertNotNull(again.compiled().instance(0).create());
        assertEquals(1, asked.get());
    }

    @Test
    void keysWithFloatsAreNormalisedNotCopied() throws Exception {
        Schema schema = Packets.schema("d DOUBLE, f FLOAT, st STRUCT<x: DOUBLE>, n INT");
        Packet row = Packets.of(schema, -0.0, -0.0f, null, 1);
        for (String key : List.of("d", "f", "st", "n")) {
            Recorder one = new Recorder(COMPILER);
            AggregationPlan plan = one.aggregate(schema, List.of(key), List.of("count(*) AS n"), false, WindowNames.NONE,
                    List.of());
            AggregationPlan again = playback(one).aggregate(schema, List.of(key), List.of("count(*) AS n"), false,
                    WindowNames.NONE, List.of());
            List<Integer> copied = List.of(key.equals("n") ? 3 : -1);
            assertEquals(copied, plan.keys().origins());
            assertEquals(copied, again.keys().origins());
            Object value = Packets.apply(again.keys(), row).get(0);
            assertEquals(Packets.apply(plan.keys(), row).get(0), value);
            if (key.matches("[df]")) {
                assertEquals(0, Double.doubleToRawLongBits(((Number) value).doubleValue()));
            }
            assertEquals(key.equals("n") ? 0 : 1, asked.getAndSet(0));
        }
    }

    @Test
    void keysOfJoinsAreNormalisedToo() throws Exception {
        Scope left = new Scope(List.of(new Scope.Input("left", Packets.schema("d DOUBLE, f FLOAT, l ARRAY<DOUBLE>, n INT"))));
        List<String> keys = List.of("(left.d) AS k0", "(left.f) AS k1", "(left.l) AS k2", "(left.n) AS k3");
        ProjectionPlan plan = recorder.keys(left, keys);
        ProjectionPlan again = playback().keys(left, keys);
        assertEquals(List.of(-1, -1, -1, 3), plan.origins());
        assertEquals(plan.origins(), again.origins());
        assertEquals(plan.result(), again.result());
        Schema schema = left.inputs().get(0).schema();
        double otherNaN = Double.longBitsToDouble(0xfff8_0000_0000_0001L);
        Packet negative = Packets.of(schema, -0.0, Float.intBitsToFloat(0xffc0_0001), null, 1);
        Packet positive = Packets.of(schema, 0.0, Float.NaN, null, 1);
        assertEquals(bits(plan, positive), bits(plan, negative));
        assertEquals(bits(plan, positive), bits(again, negative));
        assertEquals(bits(plan, Packets.of(schema, Double.NaN, 0f, null, 1)),
                bits(again, Packets.of(schema, otherNaN, -0f, null, 1)));
        ProjectionPlan unchanged = COMPILER.project(left, keys);
        assertNotEquals(bits(unchanged, positive), bits(unchanged, negative));
    }

    private static List<Object> bits(ProjectionPlan plan, Packet row) {
        List<Object> values = Packets.apply(plan, row);
        return java.util.Arrays.asList(Double.doubleToRawLongBits((Double) values.get(0)),
                Float.floatToRawIntBits((Float) values.get(1)), values.get(2), values.get(3));
    }

    @Test
    void refusesOtherQuestions() throws Exception {
        recorder.hash(SCOPE, List.of("a"));
        Playback playback = playback();
        assertThrows(IllegalArgumentException.class, () -> playback.predicate(SCOPE, "a = 1"));
        assertThrows(IllegalArgumentException.class, () -> new Playback(new byte[0], () -> COMPILER).hash(SCOPE, List.of("a")));
        assertFalse(asked.get() > 0);
    }
}
