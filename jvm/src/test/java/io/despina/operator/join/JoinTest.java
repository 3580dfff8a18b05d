package io.despina.operator.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.Matching;
import io.despina.state.EventOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class JoinTest {
    private static final Schema NULLABLE = new Schema(
            Timed.SCHEMA.columns().stream().map(c -> new Column(c.name(), c.type(), true)).toList());
    private static final Schema RESULT = Schema.of(new Column("ts", Simple.TIMESTAMP, true),
            new Column("v", Simple.BIGINT, true), new Column("other_ts", Simple.TIMESTAMP, true),
            new Column("other_k", Simple.STRING, true), new Column("other_v", Simple.BIGINT, true));
    private static final Projection SELECT = (inputs, out) -> {
        out.setColumn(0, inputs[0], 0);
        out.setColumn(1, inputs[0], 3);
        out.setColumn(2, inputs[1], 0);
        out.setColumn(3, inputs[1], 2);
        out.setColumn(4, inputs[1], 3);
    };
    private static final long BAD = -13;
    private static final Predicate NOT_BOTH_ODD = inputs -> {
        if (inputs[0].getLong(3) == BAD) {
            throw new ArithmeticException("a bad pair");
        }
        return inputs[0].getLong(3) % 2 == 0 || inputs[1].getLong(3) % 2 == 0;
    };

    private static JoinOptions options(EventOrder order, Keys keys, boolean outer, Predicate condition) {
        return options(order, keys, outer ? JoinOptions.How.LEFT : JoinOptions.How.INNER, condition);
    }

    private static JoinOptions options(EventOrder order, Keys keys, JoinOptions.How how, Predicate condition) {
        JoinOptions.Side side = new JoinOptions.Side(order, keys);
        return new JoinOptions(side, side, how.keepsLeft() ? NULLABLE : Timed.SCHEMA, condition == null ? null : p -> condition,
                p -> SELECT, how);
    }

    private static List<Object> joined(List<Object> left, List<Object> right) {
        return right == null ? Rows.row(left.get(0), left.get(3), null, null, null)
                : left == null ? Rows.row(null, null, right.get(0), right.get(2), right.get(3))
                : Rows.row(left.get(0), left.get(3), right.get(0), right.get(2), right.get(3));
    }

    private static boolean isKeyEqual(Keys keys, List<Object> left, List<Object> right) {
        return keys.isNone() || Timed.key(left) != null && Timed.key(left).equals(Timed.key(right));
    }

    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream().map(List::toString).sorted().toList();
    }

    private static void assertLate(List<Step> steps, OperatorHarness harness) {
        List<List<Object>> late = new ArrayList<>(Timed.packets(steps, 0, true));
        late.addAll(Timed.packets(steps, 1, true));
        assertEquals(sorted(late), sorted(harness.rows(1)));
        assertEquals(late.size(), harness.lateCount);
    }

    // ---- as of

    @Property(tries = 500)
    void theLatestAtOrBefore(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Keys keys = random.nextInt(4) == 0 ? Keys.none() : Timed.BY_K;
        Matching.AsOf asOf = new Matching.AsOf(random.nextBoolean() ? Matching.AsOf.ANY_AGE : random.nextInt(12),
                random.nextInt(3) == 0, random.nextBoolean());
        boolean outer = random.nextBoolean();
        List<Step> steps = Timed.stream(random, 2);
        try (OperatorHarness harness = Timed.room(asOf(options(Timed.ORDER, keys, outer, null), asOf), random).open()) {
            Timed.play(harness, steps, random);
            assertEquals(asOfOracle(keys, asOf, outer, steps), harness.rows(0), asOf + " " + steps);
            assertLate(steps, harness);
        }
    }

    private static OperatorHarness.Setup asOf(JoinOptions options, Matching.AsOf asOf) {
        return OperatorHarness.of(() -> new AsOfJoin(options, asOf)).inputs(Timed.SCHEMA, Timed.SCHEMA)
                .outputs(RESULT, Timed.SCHEMA);
    }

    private static List<List<Object>> asOfOracle(Keys keys, Matching.AsOf asOf, boolean outer, List<Step> steps) {
        List<List<Object>> lefts = new ArrayList<>(Timed.packets(steps, 0, false));
        lefts.sort(Timed.IN_ORDER);
        List<List<Object>> rights = Timed.packets(steps, 1, false);
        List<List<Object>> rows = new ArrayList<>();
        Comparator<List<Object>> between = asOf.strict() || !asOf.compareOrder()
                ? Comparator.comparingLong(Timed::time) : Timed.IN_ORDER;
        for (List<Object> left : lefts) {
            List<Object> best = null;
            for (List<Object> right : rights) {
                int c = between.compare(right, left);
                if (isKeyEqual(keys, left, right) && (asOf.strict() ? c < 0 : c <= 0)
                        && (best == null || Timed.IN_ORDER.compare(right, best) >= 0)) {
                    best = right;
                }
            }
            boolean matches = best != null && (asOf.maxAge() == Matching.AsOf.ANY_AGE
                    || Timed.time(left) - Timed.time(best) <= asOf.maxAge());
            if (matches || outer) {
                rows.add(joined(left, matches ? best : null));
            }
        }
        return rows;
    }

    @Test
    void aLeftPacketWaitsForItsPeersOnTheRight() throws Exception {
        Matching.AsOf asOf = new Matching.AsOf(Matching.AsOf.ANY_AGE, false, true);
        try (OperatorHarness harness = asOf(options(Timed.ORDER, Timed.BY_K, true, null), asOf).open()) {
            harness.feedRow(0, 5L, 2, "a", 1L).watermark(5).feedRow(1, 5L, 3, "a", 2L).feedRow(1, 5L, 1, "a", 3L);
            assertEquals(List.of(), harness.rows(0));
            harness.watermark(6);
            assertEquals(List.of(Rows.row(5L, 1L, 5L, "a", 3L)), harness.rows(0));
        }
    }

    @Test
    void rightPacketsThatAreTooOldAreForgotten() throws Exception {
        Matching.AsOf asOf = new Matching.AsOf(100, false, false);
        try (OperatorHarness harness = asOf(options(Timed.ORDER, Timed.BY_K, false, null), asOf).open()) {
            for (long v = 0; v < 1000; v++) {
                harness.feedRow(1, v, null, "key " + v, v);
            }
            harness.watermark(1000);
            long held = harness.stateBytes;
            for (long v = 1000; v < 10000; v++) {
                harness.feedRow(1, v, null, "key " + v, v).watermark(v);
            }
            long later = harness.stateBytes;
            assertTrue(later <= held * 1.2, () -> held + " bytes have become " + later);
        }
    }

    @Test
    void lateRightPacketsUnderOtherNamesAreCounted() throws Exception {
        Schema other = new Schema(Timed.SCHEMA.columns().stream().map(c -> new Column("r_" + c.name(), c.type(), c.nullable()))
                .toList());
        try (OperatorHarness harness = OperatorHarness.of(() -> new AsOfJoin(options(Timed.ORDER, Timed.BY_K, false, null),
                new Matching.AsOf(Matching.AsOf.ANY_AGE, false, false)))
                .inputs(Timed.SCHEMA, other).outputs(RESULT, Timed.SCHEMA).open()) {
            harness.watermark(5).feedRow(1, 4L, null, "a", 1L).feedRow(0, 4L, null, "a", 2L).end();
            assertEquals(2, harness.lateCount);
            assertEquals(List.of(Rows.row(4L, null, "a", 2L)), harness.rows(1));
        }
    }

    @Test
    void lateRightPacketsOfAnotherSchemaAreCounted() throws Exception {
        Schema other = Schema.of(new Column("ts", Simple.TIMESTAMP, false), new Column("k", Simple.STRING, true));
        JoinOptions options = new JoinOptions(new JoinOptions.Side(EventOrder.by(0), Timed.BY_K),
                new JoinOptions.Side(EventOrder.by(0), new Keys(Timed.KEY, Timed.columns(1), 256)), other, null,
                p -> (inputs, out) -> out.setColumn(0, inputs[1], 1), JoinOptions.How.INNER);
        try (OperatorHarness harness = OperatorHarness
                .of(() -> new AsOfJoin(options, new Matching.AsOf(Matching.AsOf.ANY_AGE, false, false)))
                .inputs(Timed.SCHEMA, other).outputs(Timed.KEY, Timed.SCHEMA).open()) {
            harness.feedRow(1, 4L, "a").watermark(5).feedRow(1, 4L, "b").feedRow(0, 4L, null, "a", 1L)
                    .feedRow(0, 5L, null, "a", 1L).end();
            assertEquals(2, harness.lateCount);
            assertEquals(List.of(Rows.row(4L, null, "a", 1L)), harness.rows(1));
            assertEquals(List.of(Rows.row("a")), harness.rows(0));
        }
    }

    // ---- intervals

    @Property(tries = 500)
    void everyPairWithin(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Keys keys = random.nextInt(4) == 0 ? Keys.none() : Timed.BY_K;
        long from = random.nextInt(30) - 15;
        Matching.Between between = new Matching.Between(from, from + random.nextInt(20));
        JoinOptions.How how = JoinOptions.How.values()[random.nextInt(4)];
        Predicate condition = random.nextBoolean() ? NOT_BOTH_ODD : null;
        List<Step> steps = Timed.stream(random, 2);
        try (OperatorHarness harness = Timed.room(within(options(Timed.ORDER, keys, how, condition), between), random)
                .open()) {
            Timed.play(harness, steps, random);
            assertEquals(sorted(pairs(keys, between, how, condition != null, steps)), sorted(harness.rows(0)),
                    between + " " + steps);
            assertLate(steps, harness);
        }
    }

    private static OperatorHarness.Setup within(JoinOptions options, Matching.Between between) {
        return OperatorHarness.of(() -> new IntervalJoin(options, between)).inputs(Timed.SCHEMA, Timed.SCHEMA)
                .outputs(RESULT, Timed.SCHEMA);
    }

    private static List<List<Object>> pairs(Keys keys, Matching.Between between, JoinOptions.How how, boolean condition,
            List<Step> steps) {
        List<List<Object>> rows = new ArrayList<>();
        Set<List<Object>> matched = new HashSet<>();
        Set<List<Object>> matchedRight = new HashSet<>();
        List<List<Object>> lefts = Timed.packets(steps, 0, false);
        for (List<Object> left : lefts) {
            for (List<Object> right : Timed.packets(steps, 1, false)) {
                long apart = Timed.time(right) - Timed.time(left);
                boolean holds = !condition || (Long) left.get(3) % 2 == 0 || (Long) right.get(3) % 2 == 0;
                if (isKeyEqual(keys, left, right) && between.from() <= apart && apart <= between.to() && holds) {
                    rows.add(joined(left, right));
                    matched.add(left);
                    matchedRight.add(right);
                }
            }
        }
        lefts.stream().filter(left -> how.keepsLeft() && !matched.contains(left)).forEach(left -> rows.add(joined(left, null)));
        Timed.packets(steps, 1, false).stream().filter(right -> how.keepsRight() && !matchedRight.contains(right))
                .forEach(right -> rows.add(joined(null, right)));
        return rows;
    }

    @Test
    void pairsLeaveAtOnceAndTheUnmatchedWhenNothingCanMatch() throws Exception {
        try (OperatorHarness harness = within(options(Timed.ORDER, Timed.BY_K, true, null),
                new Matching.Between(-2, 3)).open()) {
            harness.feedRow(0, 10L, null, "a", 1L).feedRow(0, 10L, null, "b", 2L).feedRow(1, 13L, null, "a", 3L);
            assertEquals(List.of(Rows.row(10L, 1L, 13L, "a", 3L)), harness.rows(0));
            harness.watermark(13);
            assertEquals(1, harness.rows(0).size());
            harness.watermark(14);
            assertEquals(Rows.row(10L, 2L, null, null, null), harness.rows(0).get(1));
        }
    }

    @Test
    void whatCannotMatchAnyMoreIsForgotten() throws Exception {
        try (OperatorHarness harness = within(options(Timed.ORDER, Timed.BY_K, false, null),
                new Matching.Between(-5, 5)).open()) {
            for (long v = 0; v < 100; v++) {
                harness.feedRow((int) (v % 2), v, null, "key " + v, v).watermark(v);
            }
            long held = harness.stateBytes;
            for (long v = 100; v < 5000; v++) {
                harness.feedRow((int) (v % 2), v, null, "key " + v, v).watermark(v);
            }
            long later = harness.stateBytes;
            assertTrue(later <= held + 256, () -> held + " bytes have become " + later);
        }
    }

    @Test
    void onePacketThatMeetsThousandsYields() throws Exception {
        try (OperatorHarness harness = within(options(Timed.ORDER, Timed.BY_K, true, null),
                new Matching.Between(-5000, 5000)).room(1, 1).open()) {
            for (long v = 0; v < 3000; v++) {
                harness.feedRow(1, v, null, "a", v);
            }
            harness.feedRow(0, 1500L, null, "a", 1L).feedRow(0, 1500L, null, "b", 2L).end();
            assertEquals(3001, harness.rows(0).size());
            assertEquals(3001, new HashSet<>(harness.rows(0)).size());
        }
    }

    @Test
    void aBadPairIsReportedAndTheOthersJoin() throws Exception {
        try (OperatorHarness harness = within(options(Timed.ORDER, Timed.BY_K, true, NOT_BOTH_ODD),
                new Matching.Between(0, 5)).skippingBadRecords().open()) {
            harness.feedRow(0, 1L, null, "a", BAD).feedRow(0, 1L, null, "a", 2L).feedRow(1, 2L, null, "a", 3L).end();
            assertEquals(List.of("a bad pair"), harness.badRecords);
            assertEquals(List.of(Rows.row(1L, 2L, 2L, "a", 3L), Rows.row(1L, BAD, null, null, null)), harness.rows(0));
        }
    }

    @Test
    void aBadPairOfAFullJoinIsToldByItsLeftPacket() throws Exception {
        JoinOptions full = options(Timed.ORDER, Timed.BY_K, JoinOptions.How.FULL, NOT_BOTH_ODD);
        try (OperatorHarness harness = within(full, new Matching.Between(0, 5)).skippingBadRecords().open()) {
            harness.feedRow(0, 1L, null, "a", BAD).feedRow(1, 2L, null, "a", 3L).end();
            assertEquals(List.of("a bad pair"), harness.badRecords);
        }
    }

    // ---- dead letters

    private static final Predicate ALL_BAD = inputs -> {
        throw new ArithmeticException("a bad pair");
    };
    private static final Projection UNWRITABLE = (inputs, out) -> {
        throw new ArithmeticException("a bad row");
    };

    private static JoinOptions bad(boolean outer) {
        JoinOptions.Side side = new JoinOptions.Side(Timed.ORDER, Timed.BY_K);
        return new JoinOptions(side, side, outer ? NULLABLE : Timed.SCHEMA, p -> ALL_BAD, p -> UNWRITABLE,
                outer ? JoinOptions.How.LEFT : JoinOptions.How.INNER);
    }

    private static OperatorHarness.Setup writing(OperatorHarness.Setup setup) {
        return setup.outputs(RESULT, Timed.SCHEMA, OperatorHarness.LETTERS).writingDeadLetters().room(1, 1);
    }

    private static void letters(int expected, OperatorHarness.Setup setup, String leftKey, String rightKey) throws Exception {
        try (OperatorHarness harness = writing(setup).open()) {
            for (long v = 0; v < 300; v++) {
                harness.feedRow(1, 1L, null, rightKey, v);
            }
            for (long v = 0; v < 3; v++) {
                harness.feedRow(0, v, null, leftKey, v);
            }
            for (long v = 3; v < 300; v++) {
                harness.feedRow(0, v, null, "", v);
            }
            assertEquals(expected, harness.end().rows(2).size());
        }
    }

    @Test
    void badPairsWaitForRoom() throws Exception {
        Matching.Between near = new Matching.Between(-1, 1);
        letters(900, within(bad(false), near), "a", "a");
        letters(900 + 300, within(bad(true), near), "a", "a");
        Matching.AsOf latest = new Matching.AsOf(Matching.AsOf.ANY_AGE, false, false);
        letters(2, asOf(bad(false), latest), "a", "a");
        letters(300, asOf(bad(true), latest), "a", "b");
    }

    @Test
    void badKeysWaitForRoom() throws Exception {
        JoinOptions.Side side = new JoinOptions.Side(Timed.ORDER, new Keys(Timed.KEY, p -> UNWRITABLE, 256));
        JoinOptions keyless = new JoinOptions(side, side, Timed.SCHEMA, null, p -> SELECT, JoinOptions.How.INNER);
        letters(600, asOf(keyless, new Matching.AsOf(Matching.AsOf.ANY_AGE, false, false)), "a", "a");
    }
}
