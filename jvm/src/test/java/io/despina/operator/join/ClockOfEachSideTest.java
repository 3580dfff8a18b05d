package io.despina.operator.join;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.Clock;
import io.despina.spec.Matching;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * A join whose keys have clocks, one on either side, gives the rows that it gives for each key's packets alone, by the lesser of
 * two watermarks after each of them. By one watermark joins have oracles of their own.
 */
class ClockOfEachSideTest {
    private static final Schema NULLABLE = new Schema(
            Timed.SCHEMA.columns().stream().map(c -> new Column(c.name(), c.type(), true)).toList());
    private static final Schema RESULT = Schema.of(new Column("ts", Simple.TIMESTAMP, true),
            new Column("k", Simple.STRING, true), new Column("v", Simple.BIGINT, true),
            new Column("other_ts", Simple.TIMESTAMP, true), new Column("other_v", Simple.BIGINT, true));
    private static final Projection SELECT = (inputs, out) -> {
        out.setColumn(0, inputs[0], 0);
        out.setColumn(1, inputs[0], 2);
        out.setColumn(2, inputs[0], 3);
        out.setColumn(3, inputs[1], 0);
        out.setColumn(4, inputs[1], 3);
    };
    private static final Projection OF_WINDOW = (inputs, out) -> {
        out.setColumn(0, inputs[2], 0);
        out.setColumn(1, inputs[0], 2);
        out.setColumn(2, inputs[0], 3);
        out.setColumn(3, inputs[3], 0);
        out.setColumn(4, inputs[1], 3);
    };
    private static final Predicate NOT_BOTH_ODD = inputs -> inputs[0].getLong(3) % 2 == 0 || inputs[1].getLong(3) % 2 == 0;
    /** The key of a clock is the second column of a join's key. */
    private static final Keys BY_ORD_AND_K = new Keys(Schema.of(Timed.SCHEMA.column(1), Timed.SCHEMA.column(2)),
            Timed.columns(1, 2), 256);

    private static final long IDLE = 8_000;

    /** A join, the delays of its sides, and how far beyond a packet it may have something open. */
    private record Subject(JoinOptions options, List<Long> delays, long reach, Function<JoinOptions, Operator> alone,
            Function<JoinOptions, Operator> clocked) {

        OperatorHarness.Setup alone(Random random) {
            return Timed.room(setup(alone, options), random);
        }

        OperatorHarness.Setup clocked(Random random, long idle) {
            int column = options.left().keys().schema().size() - 1;
            return Timed.room(setup(clocked, options.with(new KeyedTime(List.of(column), delays.get(0), delays.get(1), idle,
                    idle))), random);
        }

        private static OperatorHarness.Setup setup(Function<JoinOptions, Operator> join, JoinOptions options) {
            return OperatorHarness.of(() -> join.apply(options)).inputs(Timed.SCHEMA, Timed.SCHEMA)
                    .outputs(RESULT, Timed.SCHEMA);
        }
    }

    /** Packets of two ports, one of which ends before the k-th; and, without a row, silences of all keys. */
    private record Play(List<Step> steps, int ending, int at) {
        static Play any(Random random, long delay) {
            List<Step> steps = new ArrayList<>(Timed.perKey(random, delay).stream()
                    .map(step -> new Step(random.nextInt(2), step.row(), 0)).toList());
            int ahead = random.nextInt(2);
            int block = 1 + random.nextInt(60);
            for (int from = 0; from < steps.size(); from += block) {
                steps.subList(from, Math.min(steps.size(), from + block))
                        .sort((a, b) -> Boolean.compare(a.port() != ahead, b.port() != ahead));
            }
            for (int silences = random.nextInt(3); silences > 0; silences--) {
                steps.add(random.nextInt(steps.size() + 1), new Step(2, null, 0));
            }
            int ending = random.nextInt(2);
            int at = random.nextBoolean() ? steps.size() : random.nextInt(steps.size() + 1);
            return new Play(IntStream.range(0, steps.size()).filter(k -> k < at || steps.get(k).port() != ending)
                    .mapToObj(steps::get).toList(), ending, at);
        }

        void play(OperatorHarness harness, Random random) throws Exception {
            int restarts = random.nextInt(3);
            for (int k = 0; k < steps.size(); k++) {
                if (k == at) {
                    harness.inputWatermark(ending, Long.MAX_VALUE);
                    maybe(harness, random, restarts);
                    switch (random.nextInt(3)) {
                        case 0 -> harness.passTo(0);
                        case 1 -> harness.release();
                        default -> maybe(harness, random, restarts);
                    }
                }
                if (steps.get(k).row() == null) {
                    harness.passTo(harness.now / 1_000 + 2 * IDLE);
                } else {
                    harness.feed(steps.get(k).port(), List.of(steps.get(k).row()));
                }
                maybe(harness, random, restarts);
            }
            harness.end();
        }

        private static void maybe(OperatorHarness harness, Random random, int restarts) throws Exception {
            if (restarts > 0 && random.nextInt(restarts) == 0) {
                harness.restart();
            }
        }

        /** By output, the rows that each key's packets give by themselves. */
        List<List<String>> alone(Subject subject, Random random) throws Exception {
            Set<Object> keys = new HashSet<>();
            steps.stream().filter(step -> step.row() != null).forEach(step -> keys.add(Timed.key(step.row())));
            List<List<List<Object>>> rows = List.of(new ArrayList<>(), new ArrayList<>());
            for (Object key : keys) {
                try (OperatorHarness harness = subject.alone(random).open()) {
                    alone(subject, key, harness);
                    rows.get(0).addAll(harness.rows(0));
                    rows.get(1).addAll(harness.rows(1));
                }
            }
            return rows.stream().map(ClockOfEachSideTest::sorted).toList();
        }

        private void alone(Subject subject, Object key, OperatorHarness harness) throws Exception {
            long[] clocks = {Long.MIN_VALUE, Long.MIN_VALUE};
            long[] held = clocks.clone();       // the same, but for a side that is silent
            long greatest = Long.MIN_VALUE;
            long watermark = Long.MIN_VALUE;
            for (int k = 0; k < steps.size(); k++) {
                Step step = steps.get(k);
                if (k >= at) {
                    clocks[ending] = Long.MAX_VALUE;
                    held[ending] = Long.MAX_VALUE;
                    watermark = Math.max(watermark, least(held, watermark));
                    harness.watermark(watermark);
                }
                if (step.row() != null && Objects.equals(Timed.key(step.row()), key)) {
                    long late = harness.lateCount;
                    harness.feed(step.port(), List.of(step.row()));
                    if (harness.lateCount == late) {
                        greatest = Math.max(greatest, Timed.time(step.row()));
                        clocks[step.port()] = Math.max(clocks[step.port()], Timed.time(step.row())
                                - subject.delays.get(step.port()));
                    }
                    held[step.port()] = clocks[step.port()];
                    watermark = Math.max(watermark, least(held, watermark));
                } else if (step.row() == null && greatest > Long.MIN_VALUE) {
                    Arrays.fill(held, Long.MAX_VALUE);
                    watermark = Math.max(watermark, greatest + subject.reach);
                }
                harness.watermark(watermark);
            }
            harness.end();
        }

        private static long least(long[] held, long otherwise) {
            long least = Math.min(held[0], held[1]);
            return least == Long.MAX_VALUE ? otherwise : least;
        }
    }

    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream().map(Object::toString).sorted().toList();
    }

    private static JoinOptions options(Random random, JoinOptions.How how, boolean condition) {
        return options(random, how, condition, SELECT);
    }

    private static JoinOptions options(Random random, JoinOptions.How how, boolean condition, Projection select) {
        JoinOptions.Side side = new JoinOptions.Side(Timed.ORDER, random.nextBoolean() ? Timed.BY_K : BY_ORD_AND_K);
        return new JoinOptions(side, side, how.keepsLeft() ? NULLABLE : Timed.SCHEMA,
                condition ? partition -> NOT_BOTH_ODD : null, partition -> select, how);
    }

    /** @param time of a row, which rises within a key; null if rows have none */
    private static void compare(Subject subject, Random random, Function<List<Object>, Long> time) throws Exception {
        Play play = Play.any(random, Math.max(subject.delays.get(0), subject.delays.get(1)));
        try (OperatorHarness harness = subject.clocked(random, play.steps.stream().anyMatch(step -> step.row() == null) ? IDLE
                : NEVER).open()) {
            play.play(harness, random);
            assertEquals(play.alone(subject, random), List.of(sorted(harness.rows(0)), sorted(harness.rows(1))), play.toString());
            Map<Object, Long> last = new HashMap<>();
            for (List<Object> row : time == null ? List.<List<Object>>of() : harness.rows(0)) {
                Long before = last.put("" + row.get(1), time.apply(row));
                assertTrue(before == null || before <= time.apply(row), () -> row + " comes after " + before + " of " + play);
            }
        }
    }

    private static List<Long> delays(Random random) {
        return List.of((long) random.nextInt(12), (long) random.nextInt(12));
    }

    // ---- as of

    @Property(tries = 500)
    void theLatestAtOrBefore(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Matching.AsOf asOf = new Matching.AsOf(random.nextBoolean() ? Matching.AsOf.ANY_AGE : random.nextInt(12),
                random.nextInt(3) == 0, random.nextBoolean());
        JoinOptions options = options(random, random.nextBoolean() ? JoinOptions.How.INNER : JoinOptions.How.LEFT, false);
        compare(new Subject(options, delays(random), 1, with -> new AsOfJoin(with, asOf), with -> new KeyedAsOfJoin(with, asOf)),
                random, row -> (Long) row.get(0));
    }

    private static OperatorHarness asOf(Matching.AsOf asOf, long leftDelay, long rightDelay) throws Exception {
        JoinOptions.Side side = new JoinOptions.Side(Timed.ORDER, Timed.BY_K);
        JoinOptions options = new JoinOptions(side, side, NULLABLE, null, partition -> SELECT, JoinOptions.How.LEFT)
                .with(new KeyedTime(List.of(0), leftDelay, rightDelay));
        return OperatorHarness.of(() -> new KeyedAsOfJoin(options, asOf)).inputs(Timed.SCHEMA, Timed.SCHEMA)
                .outputs(RESULT, Timed.SCHEMA).open();
    }

    @Test
    void aKeyWaitsForItsOtherSideAlone() throws Exception {
        try (OperatorHarness harness = asOf(new Matching.AsOf(Matching.AsOf.ANY_AGE, false, true), 0, 2)) {
            harness.feedRow(0, 5L, 1, "a", 1L).feedRow(0, 9L, 1, "a", 2L).feedRow(1, 100L, 1, "b", 3L);
            assertEquals(List.of(), harness.rows(0));
            harness.feedRow(1, 7L, 1, "a", 4L);
            assertEquals(List.of(), harness.rows(0));
            harness.feedRow(1, 8L, 1, "a", 5L);
            assertEquals(List.of(Rows.row(5L, "a", 1L, null, null)), harness.rows(0));
            harness.feedRow(1, 4L, 1, "a", 6L);
            assertEquals(List.of(Rows.row(4L, 1, "a", 6L)), harness.rows(1));
            harness.end();
            assertEquals(Rows.row(9L, "a", 2L, 8L, 5L), harness.rows(0).get(1));
        }
    }

    @Test
    void aKeyDoesNotWaitForASideThatIsSilent() throws Exception {
        JoinOptions.Side side = new JoinOptions.Side(Timed.ORDER, Timed.BY_K);
        JoinOptions options = new JoinOptions(side, side, NULLABLE, null, partition -> SELECT, JoinOptions.How.LEFT)
                .with(new KeyedTime(List.of(0), 0, 0, NEVER, IDLE));
        try (OperatorHarness harness = OperatorHarness.of(() -> new KeyedAsOfJoin(options,
                new Matching.AsOf(Matching.AsOf.ANY_AGE, false, true))).inputs(Timed.SCHEMA, Timed.SCHEMA)
                .outputs(RESULT, Timed.SCHEMA).open()) {
            harness.feedRow(1, 3L, 1, "a", 1L).feedRow(0, 5L, 1, "a", 2L).feedRow(0, 9L, 1, "a", 3L);
            assertEquals(List.of(), harness.rows(0));
            harness.passTo(IDLE);
            assertEquals(List.of(Rows.row(5L, "a", 2L, 3L, 1L)), harness.rows(0));
            harness.feedRow(0, 10L, 1, "a", 4L);
            assertEquals(Rows.row(9L, "a", 3L, 3L, 1L), harness.rows(0).get(1));
            harness.feedRow(1, 9L, 1, "a", 5L).feedRow(1, 10L, 1, "a", 6L).feedRow(0, 12L, 1, "a", 7L);
            assertEquals(1, harness.lateCount);
            assertEquals(2, harness.rows(0).size());
            assertEquals(Rows.row(10L, "a", 4L, 10L, 6L), harness.end().rows(0).get(2));
        }
    }

    @Test
    void theEndOfOneSideLetsTheOthersPacketsGo() throws Exception {
        try (OperatorHarness harness = asOf(new Matching.AsOf(Matching.AsOf.ANY_AGE, false, true), 0, 0)) {
            for (long v = 0; v < 50; v++) {
                harness.feedRow(0, 1L, 1, "key " + v, v).feedRow(0, 2L, 1, "key " + v, v + 1000);
            }
            harness.inputWatermark(1, Long.MAX_VALUE);
            assertEquals(List.of(), harness.rows(0));
            harness.passTo(0);
            assertEquals(50, harness.rows(0).size());
            harness.feedRow(0, 3L, 1, "key 7", 2007L).feedRow(0, 9L, 1, "new", 1L).feedRow(0, 10L, 1, "new", 2L);
            assertEquals(List.of(Rows.row(2L, "key 7", 1007L, null, null), Rows.row(9L, "new", 1L, null, null)),
                    harness.rows(0).subList(50, 52));
            assertEquals(103, harness.end().rows(0).size());
        }
    }

    @Test
    void packetsThatHaveLeftGiveTheirMemoryBack() throws Exception {
        try (OperatorHarness harness = asOf(new Matching.AsOf(10, false, true), 0, 0)) {
            for (long v = 0; v < 100; v++) {
                harness.feedRow((int) (v % 2), v, 1, "a", v);
            }
            long held = harness.stateBytes;
            for (long v = 100; v < 5000; v++) {
                harness.feedRow((int) (v % 2), v, 1, "a", v);
            }
            assertTrue(harness.stateBytes <= held + 256, () -> held + " bytes have become " + harness.stateBytes);
        }
    }

    // ---- intervals

    @Property(tries = 500)
    void everyPairWithin(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long from = random.nextInt(30) - 15;
        Matching.Between between = new Matching.Between(from, from + random.nextInt(20));
        JoinOptions.How how = JoinOptions.How.values()[random.nextInt(4)];
        JoinOptions options = options(random, how, random.nextBoolean());
        compare(new Subject(options, delays(random), Math.max(0, Math.max(between.to(), -from)) + 1,
                with -> new IntervalJoin(with, between),
                with -> new KeyedIntervalJoin(with, between)), random, how != JoinOptions.How.INNER ? null
                : row -> Math.max((Long) row.get(0), (Long) row.get(3)));
    }

    private static OperatorHarness.Setup within(JoinOptions.How how, Matching.Between between, Predicate condition) {
        JoinOptions.Side side = new JoinOptions.Side(Timed.ORDER, Timed.BY_K);
        JoinOptions options = new JoinOptions(side, side, how.keepsLeft() ? NULLABLE : Timed.SCHEMA,
                condition == null ? null : partition -> condition, partition -> SELECT, how)
                .with(new KeyedTime(List.of(0), 0, 0));
        return OperatorHarness.of(() -> new KeyedIntervalJoin(options, between)).inputs(Timed.SCHEMA, Timed.SCHEMA)
                .outputs(RESULT, Timed.SCHEMA);
    }

    @Test
    void pairsLeaveInTheOrderOfTheirLaterTimes() throws Exception {
        try (OperatorHarness harness = within(JoinOptions.How.LEFT, new Matching.Between(-100, 100), null).open()) {
            harness.feedRow(0, 1L, 1, "a", 1L).feedRow(0, 200L, 1, "a", 2L).feedRow(0, 202L, 1, "a", 3L);
            harness.feedRow(1, 101L, 1, "a", 4L).feedRow(1, 150L, 1, "a", 5L).feedRow(1, 303L, 1, "a", 6L);
            assertEquals(List.of(Rows.row(1L, "a", 1L, 101L, 4L), Rows.row(200L, "a", 2L, 101L, 4L),
                    Rows.row(200L, "a", 2L, 150L, 5L)), harness.rows(0));
            harness.feedRow(1, 20L, 1, "a", 7L).end();
            assertEquals(List.of(Rows.row(20L, 1, "a", 7L)), harness.rows(1));
            assertEquals(List.of(Rows.row(202L, "a", 3L, 150L, 5L)), harness.rows(0).subList(3, 4));
        }
    }

    @Test
    void onePacketThatMeetsThousandsYields() throws Exception {
        try (OperatorHarness harness = within(JoinOptions.How.FULL, new Matching.Between(-5000, 5000), null).room(1, 1).open()) {
            for (long v = 0; v < 3000; v++) {
                harness.feedRow(1, v, 1, "a", v);
            }
            harness.feedRow(0, 4000L, 1, "a", 1L).feedRow(0, 4000L, 1, "b", 2L).end();
            assertEquals(3001, harness.rows(0).size());
            assertEquals(3001, new HashSet<>(harness.rows(0)).size());
        }
    }

    @Test
    void aBadPairIsReportedAndTheOthersJoin() throws Exception {
        Predicate bad = inputs -> {
            if (inputs[0].getLong(3) == 1) {
                throw new ArithmeticException("a bad pair");
            }
            return true;
        };
        try (OperatorHarness harness = within(JoinOptions.How.FULL, new Matching.Between(0, 5), bad).skippingBadRecords()
                .open()) {
            harness.feedRow(0, 1L, 1, "a", 1L).feedRow(0, 1L, 1, "a", 2L).feedRow(1, 2L, 1, "a", 3L).end();
            assertEquals(List.of("a bad pair"), harness.badRecords);
            assertEquals(List.of(Rows.row(1L, "a", 2L, 2L, 3L), Rows.row(1L, "a", 1L, null, null)), harness.rows(0));
        }
    }

    @Test
    void whatCannotMatchAnyMoreIsForgotten() throws Exception {
        try (OperatorHarness harness = within(JoinOptions.How.INNER, new Matching.Between(-5, 5), null).open()) {
            for (long v = 0; v < 100; v++) {
                harness.feedRow((int) (v % 2), v, 1, "a", v);
            }
            long held = harness.stateBytes;
            for (long v = 100; v < 5000; v++) {
                harness.feedRow((int) (v % 2), v, 1, "a", v);
            }
            assertTrue(harness.stateBytes <= held + 256, () -> held + " bytes have become " + harness.stateBytes);
        }
    }

    // ---- windows

    @Property(tries = 500)
    void everyPairOfAWindow(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long size = 1 + random.nextInt(25);
        Windows windows = new Windows(size, random.nextBoolean() ? size : 1 + random.nextInt((int) size),
                random.nextInt(100) - 50);
        JoinOptions.How how = JoinOptions.How.values()[random.nextInt(4)];
        JoinOptions options = options(random, how, random.nextBoolean(), OF_WINDOW);
        Matching.SameWindow matching = new Matching.SameWindow(windows, Clock.EVENT);
        compare(new Subject(options, delays(random), windows.size(), with -> new WindowJoin(with, matching),
                with -> new KeyedWindowJoin(with, windows)), random, how.keepsRight() ? null : row -> (Long) row.get(3));
    }

    @Test
    void aWindowOfThousandsYieldsAndGivesItsMemoryBack() throws Exception {
        JoinOptions.Side side = new JoinOptions.Side(Timed.ORDER, Timed.BY_K);
        JoinOptions options = new JoinOptions(side, side, NULLABLE, null, partition -> OF_WINDOW, JoinOptions.How.FULL)
                .with(new KeyedTime(List.of(0), 0, 0));
        try (OperatorHarness harness = OperatorHarness.of(() -> new KeyedWindowJoin(options, new Windows(100, 50, 0)))
                .inputs(Timed.SCHEMA, Timed.SCHEMA).outputs(RESULT, Timed.SCHEMA).room(1, 1).open()) {
            for (long v = 0; v < 50; v++) {
                harness.feedRow(0, v, 1, "a", v).feedRow(1, v, 1, "a", v + 100);
            }
            assertEquals(List.of(), harness.rows(0));
            harness.feedRow(0, 51L, 1, "a", 50L).feedRow(1, 50L, 1, "a", 150L);
            assertEquals(2500, harness.rows(0).size());
            assertEquals(2500, new HashSet<>(harness.rows(0)).size());
            harness.feedRow(0, 1_000L, 1, "a", 51L).feedRow(1, 1_000L, 1, "a", 151L);
            assertEquals(2500 + 51 * 51 + 1, harness.rows(0).size());
            long held = 0;
            for (long v = 1_000; v < 9_000; v += 2) {
                harness.feedRow(0, v, 1, "a", v).feedRow(1, v, 1, "a", v);
                held = v < 1_300 ? Math.max(held, harness.stateBytes) : held;
                assertTrue(harness.stateBytes <= 2 * held, "packets are dropped behind their windows");
            }
            harness.feedRow(1, 8_000L, 1, "a", 1L);
            assertEquals(List.of(Rows.row(8_000L, 1, "a", 1L)), harness.rows(1));
        }
    }

    /** Each of its rows leaves in a call of its own, and in the first of them packets of all keys go to other places. */
    @Test
    void aWindowWhosePacketsMoveMeanwhileGivesItsRows() throws Exception {
        JoinOptions.Side side = new JoinOptions.Side(Timed.ORDER, Timed.BY_K);
        JoinOptions options = new JoinOptions(side, side, Timed.SCHEMA, null, partition -> OF_WINDOW, JoinOptions.How.INNER)
                .with(new KeyedTime(List.of(0), 0, 0));
        try (OperatorHarness harness = OperatorHarness.of(() -> new KeyedWindowJoin(options, new Windows(10, 10, 0)))
                .inputs(Timed.SCHEMA, Timed.SCHEMA).outputs(RESULT, Timed.SCHEMA).room(1, 1).open()) {
            harness.feedRow(0, 1L, 1, "a", 1L);
            for (long v = 10; v < 16; v++) {
                harness.feedRow(1, 2L, 1, "a", v);
            }
            harness.feed(0, LongStream.range(0, 40_000)
                    .mapToObj(v -> Rows.row(v, 1, v % 200 == 0 ? "silent " + v : "leaving", v)).toList());
            harness.feedRow(0, 1_000L, 1, "a", 2L);
            long held = harness.stateBytes;
            harness.feed(1, List.of(Rows.row(1_000_000L, 1, "leaving", 3L), Rows.row(1_000L, 1, "a", 4L)));
            assertEquals(LongStream.range(10, 16).mapToObj(v -> "a 1 " + v).toList(),
                    harness.rows(0).stream().map(row -> row.get(1) + " " + row.get(2) + " " + row.get(4)).toList());
            assertTrue(harness.stateBytes < held - 1_000_000, () -> held + " bytes have become " + harness.stateBytes);
        }
    }
}
