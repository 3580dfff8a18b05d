package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Clocks;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Schema;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** By one watermark the windows have oracles of their own: {@link FiringAggregateTest} and {@link FiringSessionsTest}. */
class KeyedFiringTest {

    private static Operator windows(Window.Fired fired, Keys keys) {
        return keys.clocks() == null ? new FiringAggregate(0, fired, keys, partition -> new Collected(true))
                : new KeyedFiringAggregate(0, fired, keys, partition -> new Collected(true));
    }

    private static Operator sessions(Window.FiredSession fired, Keys keys) {
        return keys.clocks() == null ? new FiringSessions(0, fired, keys, partition -> new Collected(true))
                : new KeyedFiringSessions(0, fired, keys, partition -> new Collected(true));
    }

    private static Operator any(Window fired, Keys keys) {
        return fired instanceof Window.Fired windows ? windows(windows, keys) : sessions((Window.FiredSession) fired, keys);
    }

    private static OperatorHarness.Setup harness(Window fired, Keys keys) {
        return OperatorHarness.of(() -> any(fired, keys)).inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
    }

    private static Keys clocked(long delay) {
        return Timed.BY_K.with(new Clocks(Timed.BY_K, List.of(0), delay));
    }

    private static Windows anyWindows(Random random) {
        long size = 1 + random.nextInt(25);
        return new Windows(size, random.nextBoolean() ? size : 1 + random.nextInt((int) size), random.nextInt(100) - 50);
    }

    @Property(tries = 600)
    void anyFiringOfWindowsOfAnyClocks(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Window.Fired fired = new Window.Fired(anyWindows(random), random.nextBoolean() ? NEVER : 1 + random.nextInt(10),
                random.nextInt(3) == 0, random.nextBoolean() ? 0 : random.nextInt(20));
        KeysAlone.compare(keys -> harness(fired, keys), 2, fired.windows().size() + fired.lateWithin(), random);
    }

    @Property(tries = 600)
    void anyFiringOfSessionsOfAnyClocks(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Window.FiredSession fired = new Window.FiredSession(1 + random.nextInt(9),
                random.nextBoolean() ? NEVER : 1 + random.nextInt(10), random.nextInt(3) == 0,
                random.nextBoolean() ? 0 : random.nextInt(20));
        KeysAlone.compare(keys -> harness(fired, keys), 2, fired.gap() + fired.lateWithin(), random);
    }

    /** They may be the first of their keys, and with several windows some of these may be there. */
    @Property(tries = 400)
    void packetsThatAreRefusedAreAsIfTheyHadNotCome(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Window fired = random.nextBoolean() ? new Window.Fired(anyWindows(random), 1 + random.nextInt(10), random.nextBoolean(),
                random.nextInt(20)) : new Window.FiredSession(1 + random.nextInt(9), 1 + random.nextInt(10),
                random.nextBoolean(), random.nextInt(20));
        long delay = random.nextInt(12);
        List<Step> good = Timed.perKey(random, delay);
        List<Step> all = new ArrayList<>(good);
        for (Step step : Timed.perKey(random, delay)) {
            List<Object> bad = new ArrayList<>(step.row());
            bad.set(3, Collected.BAD);
            all.add(random.nextInt(all.size() + 1), new Step(0, bad, 0));
        }
        assertEquals(rows(fired, delay, good, random), rows(fired, delay, all, random), () -> fired + " " + all);
    }

    private static List<List<Object>> rows(Window fired, long delay, List<Step> steps, Random random) throws Exception {
        try (OperatorHarness harness = Timed.room(harness(fired, clocked(delay)).skippingBadRecords(), random).open()) {
            for (Step step : steps) {
                harness.feed(0, List.of(step.row()));
                if (random.nextInt(40) == 0) {
                    harness.restart();
                }
            }
            harness.end();
            return harness.rows(0).stream().sorted(Comparator.comparing(Object::toString)).toList();
        }
    }

    /** So the stream behind may have time per key. */
    @Property(tries = 200)
    void rowsOfAKeyThatAreNeitherEarlyNorLateLeaveInTheOrderOfTheirEnds(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long delay = random.nextInt(12);
        Window fired = random.nextBoolean() ? new Window.Fired(anyWindows(random), NEVER, false, 0)
                : new Window.FiredSession(1 + random.nextInt(9), NEVER, false, 0);
        Keys groups = new Keys(Schema.of(Timed.SCHEMA.column(2), Timed.SCHEMA.column(1)), Timed.columns(2, 1), 256)
                .with(new Clocks(Timed.BY_K, List.of(0), delay));
        try (OperatorHarness harness = Timed.room(harness(fired, groups), random).open()) {
            Timed.playWhole(harness, Timed.perKey(random, delay), random);
            Map<Object, Long> ends = new HashMap<>();
            for (List<Object> row : harness.rows(0)) {
                long end = (Long) row.get(2);
                assertTrue(ends.getOrDefault(row.get(0), Long.MIN_VALUE) <= end, () -> fired + " " + harness.rows(0));
                ends.put(row.get(0), end);
            }
        }
    }

    @Test
    void multiplesAreThoseOfAKeysOwnClock() throws Exception {
        Window.Fired fired = new Window.Fired(Windows.tumbling(100, 0), 10, false, 0);
        try (OperatorHarness harness = harness(fired, clocked(2)).open()) {
            harness.feedRow(0, 5L, 1, "a", 1L).feedRow(0, 1_000L, 1, "b", 2L);
            assertEquals(List.of(Rows.row("a", 0L, 100L, 0L, 1L, "[1]"), Rows.row("b", 1_000L, 1_100L, 0L, 1L, "[2]")),
                    harness.rows(0));

            harness.restart().feedRow(0, 11L, 1, "a", 3L).feedRow(0, 1_001L, 1, "b", 4L);
            assertEquals(2, harness.rows(0).size());
            harness.restart().feedRow(0, 39L, 1, "a", 5L).feedRow(0, 40L, 1, "a", 6L);
            assertEquals(List.of(Rows.row("a", 0L, 100L, 2L, 3L, "[1, 3, 5]")), harness.rows(0).subList(2, 3));
            assertEquals(3, harness.rows(0).size());

            harness.watermark(Long.MAX_VALUE);
            assertEquals(Set.of(Rows.row("a", 0L, 100L, 5L, 4L, "[1, 3, 5, 6]"),
                    Rows.row("b", 1_000L, 1_100L, 3L, 2L, "[2, 4]")), Set.copyOf(harness.rows(0).subList(3, 5)));
        }
    }

    /** The multiple before that watermark is none that a TIMESTAMP holds. */
    @Test
    void theFirstMultipleOfAllIsOne() throws Exception {
        Window.Fired fired = new Window.Fired(Windows.tumbling(100, 3), 30, false, 0);
        long first = fired.windows().earliest();
        try (OperatorHarness harness = harness(fired, clocked(10)).open()) {
            harness.feedRow(0, first, 1, "a", 1L).feedRow(0, first + 1, 1, "a", 2L);
            assertEquals(1, harness.rows(0).size());
            harness.feedRow(0, first + 7, 1, "a", 3L);
            assertEquals(List.of(Rows.row("a", first, first + 100, 2L, 3L, "[1, 2, 3]")), harness.rows(0).subList(1, 2));
        }
    }

    @Test
    void aPacketIsLateByItsOwnKeyAndGivesARowAtOnceIfItIsOnlyALittle() throws Exception {
        Window.Fired fired = new Window.Fired(Windows.tumbling(10, 0), NEVER, false, 5);
        try (OperatorHarness harness = harness(fired, clocked(0)).open()) {
            harness.feedRow(0, 1L, 1, "a", 1L).feedRow(0, 999L, 1, "b", 2L).feedRow(0, 12L, 1, "a", 3L)
                    .feedRow(0, 2L, 1, "a", 4L);
            assertEquals(List.of(Rows.row("a", 0L, 10L, 0L, 1L, "[1]"), Rows.row("a", 0L, 10L, 2L, 2L, "[1, 4]")),
                    harness.rows(0));
            harness.restart().feedRow(0, 15L, 1, "a", 5L).feedRow(0, 3L, 1, "a", 6L);
            assertEquals(List.of(Rows.row("a", 0L, 10L, 5L, 2L, "[1, 4]")), harness.rows(0).subList(2, 3));
            assertEquals(List.of(Rows.row(3L, 1, "a", 6L)), harness.rows(1));
        }
    }

    @Test
    void aPacketBetweenTwoSessionsMakesThemOne() throws Exception {
        Window.FiredSession fired = new Window.FiredSession(10, NEVER, true, 0);
        try (OperatorHarness harness = harness(fired, clocked(20)).open()) {
            harness.feedRow(0, 0L, 1, "a", 1L).feedRow(0, 17L, 1, "a", 2L).restart().feedRow(0, 9L, 1, "a", 3L);
            assertEquals(List.of(Rows.row("a", 0L, 10L, 0L, 1L, "[1]"), Rows.row("a", 17L, 27L, 0L, 1L, "[2]"),
                    Rows.row("a", 0L, 27L, 2L, 3L, "[1, 2, 3]")), harness.rows(0));
        }
    }

    @Test
    void watermarksOfTheStreamDoNotCount() throws Exception {
        Window.Fired fired = new Window.Fired(Windows.tumbling(10, 0), NEVER, false, 0);
        try (OperatorHarness harness = harness(fired, clocked(0)).open()) {
            harness.feedRow(0, 1L, 1, "a", 1L).watermark(100);
            assertEquals(List.of(), harness.rows(0));
            assertEquals(0, harness.feedRow(0, 2L, 1, "a", 2L).lateCount);
        }
    }

    @Test
    void aBadRecordIsInNoneOfItsWindowsAndMovesNoClock() throws Exception {
        Window.Fired fired = new Window.Fired(new Windows(10, 5, 0), NEVER, true, 3);
        try (OperatorHarness harness = harness(fired, clocked(0)).skippingBadRecords().open()) {
            harness.feedRow(0, Long.MAX_VALUE, 1, "a", 1L).feedRow(0, Long.MAX_VALUE - 13, 1, "a", 2L)
                    .feedRow(0, 7L, 1, "a", 3L).feedRow(0, 8L, 1, "a", Collected.BAD).feedRow(0, 4L, 1, "a", 4L);
            assertEquals(3, harness.badRecords.size());
            assertEquals(0, harness.lateCount);
            assertEquals(List.of(Rows.row("a", 0L, 10L, 2L, 2L, "[3, 4]"), Rows.row("a", -5L, 5L, 0L, 1L, "[4]")),
                    List.of(row(harness, 0, 10, 2), row(harness, -5, 5, 0)));
        }
    }

    private static List<Object> row(OperatorHarness harness, long start, long end, long revision) {
        return harness.rows(0).stream().filter(row -> row.subList(1, 4).equals(List.of(start, end, revision))).findFirst()
                .orElseThrow();
    }

    @Test
    void windowsGiveTheirMemoryBack() throws Exception {
        for (Window fired : List.of(new Window.Fired(new Windows(20, 10, 0), 5, false, 10),
                new Window.FiredSession(20, 5, false, 10))) {
            try (OperatorHarness harness = harness(fired, Timed.BY_K.with(new Clocks(Timed.BY_K, List.of(0), 3))).open()) {
                long most = 0;
                for (long t = 0; t < 20_000; t++) {
                    harness.feedRow(0, t, 1, "key " + t / 40 % 7, t % 10);
                    most = t < 1_000 ? Math.max(most, harness.stateBytes) : most;
                    assertTrue(t < 1_000 || harness.stateBytes <= most, harness.stateBytes + " bytes, and at first " + most);
                }
            }
        }
    }
}
