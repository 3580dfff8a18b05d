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
import io.despina.spec.Clock;
import io.despina.spec.Matching;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class WindowJoinTest {
    private static final Schema NULLABLE = new Schema(
            Timed.SCHEMA.columns().stream().map(c -> new Column(c.name(), c.type(), true)).toList());
    private static final Schema RESULT = Schema.of(new Column("start", Simple.TIMESTAMP, false),
            new Column("last", Simple.TIMESTAMP, false), new Column("v", Simple.BIGINT, true),
            new Column("other_v", Simple.BIGINT, true));
    private static final Projection SELECT = (inputs, out) -> {
        out.setColumn(0, inputs[2], 0);
        out.setColumn(1, inputs[3], 0);
        out.setColumn(2, inputs[0], 3);
        out.setColumn(3, inputs[1], 3);
    };
    private static final long BAD = -13;
    private static final Predicate NOT_BOTH_ODD = inputs -> {
        if (inputs[0].getLong(3) == BAD) {
            throw new ArithmeticException("a bad pair");
        }
        return inputs[0].getLong(3) % 2 == 0 || inputs[1].getLong(3) % 2 == 0;
    };

    private static OperatorHarness.Setup harness(Windows windows, Keys keys, JoinOptions.How how, Predicate condition) {
        JoinOptions.Side side = new JoinOptions.Side(Timed.ORDER, keys);
        JoinOptions options = new JoinOptions(side, side, how.keepsLeft() ? NULLABLE : Timed.SCHEMA,
                condition == null ? null : p -> condition, p -> SELECT, how);
        Matching.SameWindow matching = new Matching.SameWindow(windows, Clock.EVENT);
        return OperatorHarness.of(() -> new WindowJoin(options, matching)).inputs(Timed.SCHEMA, Timed.SCHEMA)
                .outputs(RESULT, Timed.SCHEMA);
    }

    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream().map(List::toString).sorted().toList();
    }

    @Property(tries = 500)
    void anyWindowsOfAnyStreams(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long size = 1 + random.nextInt(25);
        Windows windows = new Windows(size, random.nextBoolean() ? size : 1 + random.nextInt((int) size),
                random.nextInt(100) - 50);
        Keys keys = random.nextInt(4) == 0 ? Keys.none() : Timed.BY_K;
        JoinOptions.How how = JoinOptions.How.values()[random.nextInt(4)];
        Predicate condition = random.nextBoolean() ? NOT_BOTH_ODD : null;
        List<Step> steps = Timed.stream(random, 2);
        try (OperatorHarness harness = Timed.room(harness(windows, keys, how, condition), random).open()) {
            Timed.playWhole(harness, steps, random);
            List<List<Object>> late = new ArrayList<>();
            assertEquals(sorted(oracle(windows, keys, how, condition, steps, late)), sorted(harness.rows(0)),
                    () -> how + " " + windows + " " + steps);
            assertEquals(late, harness.rows(1));
            assertEquals(late.size(), harness.lateCount);
            List<Long> starts = harness.rows(0).stream().map(row -> (Long) row.get(0)).toList();
            assertEquals(starts.stream().sorted().toList(), starts);
        }
    }

    private static boolean matches(Keys keys, Predicate condition, List<Object> left, List<Object> right) {
        return (keys.isNone() || Timed.key(left) != null && Timed.key(left).equals(Timed.key(right)))
                && (condition == null || (Long) left.get(3) % 2 == 0 || (Long) right.get(3) % 2 == 0);
    }

    private static List<List<Object>> oracle(Windows windows, Keys keys, JoinOptions.How how, Predicate condition,
            List<Step> steps, List<List<Object>> late) {
        List<List<List<Object>>> sides = List.of(new ArrayList<>(), new ArrayList<>());
        List<Set<List<Object>>> closed = List.of(new HashSet<>(), new HashSet<>());
        Set<Long> starts = new TreeSet<>();
        long watermark = Long.MIN_VALUE;
        for (Step step : steps) {
            if (step.row() == null) {
                watermark = step.watermark();
                continue;
            }
            long time = Timed.time(step.row());
            boolean taken = false;
            for (long start = windows.lastStart(time); start + windows.size() > time; start -= windows.slide()) {
                taken |= start + windows.size() > watermark;
                if (start + windows.size() > watermark) {
                    starts.add(start);
                    closed.get(step.port()).add(List.of(start, step.row()));
                }
            }
            (taken ? sides.get(step.port()) : late).add(step.row());
        }
        List<List<Object>> rows = new ArrayList<>();
        for (long start : starts) {
            List<List<Object>> lefts = sides.get(0).stream().filter(r -> closed.get(0).contains(List.of(start, r))).toList();
            List<List<Object>> rights = sides.get(1).stream().filter(r -> closed.get(1).contains(List.of(start, r))).toList();
            long last = start + windows.size() - 1;
            for (List<Object> left : lefts) {
                List<List<Object>> found = rights.stream().filter(r -> matches(keys, condition, left, r)).toList();
                found.forEach(right -> rows.add(Rows.row(start, last, left.get(3), right.get(3))));
                if (found.isEmpty() && how.keepsLeft()) {
                    rows.add(Rows.row(start, last, left.get(3), null));
                }
            }
            for (List<Object> right : rights) {
                if (how.keepsRight() && lefts.stream().noneMatch(left -> matches(keys, condition, left, right))) {
                    rows.add(Rows.row(start, last, null, right.get(3)));
                }
            }
        }
        return rows;
    }

    @Test
    void aPairThatFailsIsNoMatch() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), Timed.BY_K, JoinOptions.How.LEFT, NOT_BOTH_ODD)
                .skippingBadRecords().open()) {
            harness.feedRow(0, 1L, 1, "a", BAD).feedRow(1, 2L, 1, "a", 2L).end();
            assertEquals(List.of("a bad pair"), harness.badRecords);
            assertEquals(List.of(Rows.row(0L, 9L, BAD, null)), harness.rows(0));
        }
    }

    @Test
    void closedWindowsGiveTheirMemoryBack() throws Exception {
        try (OperatorHarness harness = harness(new Windows(20, 10, 0), Timed.BY_K, JoinOptions.How.FULL, null).open()) {
            long most = 0;
            for (long t = 0; t < 20_000; t++) {
                harness.feedRow((int) (t % 2), t, 1, "key " + t % 7, t);
                if (t % 10 == 9) {
                    harness.watermark(t);
                    most = t < 1_000 ? Math.max(most, harness.stateBytes) : most;
                }
            }
            assertTrue(harness.stateBytes <= most, harness.stateBytes + " bytes, and at first " + most);
        }
    }

    @Test
    void aTimeWhoseWindowNoTimestampHoldsIsBad() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), Timed.BY_K, JoinOptions.How.INNER, null)
                .skippingBadRecords().open()) {
            harness.feedRow(1, Long.MAX_VALUE, 1, "a", 1L).end();
            assertEquals(1, harness.badRecords.size());
        }
    }
}
