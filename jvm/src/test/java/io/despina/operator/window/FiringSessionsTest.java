package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.spec.Window;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class FiringSessionsTest {

    private static OperatorHarness.Setup harness(Window.FiredSession fired, Keys keys) {
        return OperatorHarness.of(() -> new FiringSessions(0, fired, keys, partition -> new Collected(true)))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        return rows.stream().sorted(Comparator.comparing(Object::toString)).toList();
    }

    @Property(tries = 500)
    void anyFiringOfAnyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Window.FiredSession fired = new Window.FiredSession(1 + random.nextInt(9),
                random.nextBoolean() ? NEVER : 1 + random.nextInt(10), random.nextInt(3) == 0,
                random.nextBoolean() ? 0 : random.nextInt(20));
        Keys keys = random.nextInt(3) == 0 ? Keys.none() : Timed.BY_K;
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(fired, keys), random).open()) {
            Timed.playWhole(harness, steps, random);
            Oracle oracle = new Oracle(fired, keys);
            steps.forEach(oracle::take);
            oracle.watermark(Long.MAX_VALUE);
            assertEquals(sorted(oracle.rows), sorted(harness.rows(0)), () -> fired + " " + steps);
            assertEquals(oracle.late, harness.rows(1));
            assertEquals(oracle.late.size(), harness.lateCount);
        }
    }

    /** Follows the words of the reference, a list of sessions for each group. */
    private static final class Oracle {
        private final Window.FiredSession fired;
        private final Keys keys;
        private final Map<Object, List<Session>> open = new HashMap<>();
        private final List<List<Object>> rows = new ArrayList<>();
        private final List<List<Object>> late = new ArrayList<>();
        private long watermark = Long.MIN_VALUE;

        private static final class Session {
            private long first = Long.MAX_VALUE;
            private long last = Long.MIN_VALUE;
            private final List<Object> values = new ArrayList<>();
            private long revision;
            private boolean changed;
        }

        Oracle(Window.FiredSession fired, Keys keys) {
            this.fired = fired;
            this.keys = keys;
        }

        private long end(Session session) {
            return session.last + fired.gap();
        }

        void take(Step step) {
            if (step.row() == null) {
                watermark(step.watermark());
                return;
            }
            long time = Timed.time(step.row());
            String key = keys.isNone() ? "" : "" + Timed.key(step.row());
            List<Session> sessions = open.computeIfAbsent(key, none -> new ArrayList<>());
            List<Session> touched = new ArrayList<>(sessions.stream().filter(s -> time > s.first - fired.gap()
                    && time < end(s)).toList());
            if (touched.isEmpty() && time + fired.gap() + fired.lateWithin() <= watermark) {
                late.add(step.row());
                return;
            }
            touched.sort(Comparator.comparing(s -> s.first));
            sessions.removeAll(touched);
            Session taker = new Session();
            touched.forEach(s -> {
                taker.values.addAll(s.values);
                taker.revision = Math.max(taker.revision, s.revision);
                taker.first = Math.min(taker.first, s.first);
                taker.last = Math.max(taker.last, s.last);
            });
            taker.first = Math.min(taker.first, time);
            taker.last = Math.max(taker.last, time);
            taker.values.add(step.row().get(3));
            taker.changed = true;
            sessions.add(taker);
            if (fired.onChange() || end(taker) <= watermark) {
                leave(key, taker, false);
            }
        }

        void watermark(long grown) {
            boolean now = fired.every() != NEVER && (watermark == Long.MIN_VALUE
                    || Math.floorDiv(grown, fired.every()) > Math.floorDiv(watermark, fired.every()));
            watermark = grown;
            open.forEach((key, sessions) -> {
                for (Session session : List.copyOf(sessions)) {
                    if (end(session) + fired.lateWithin() <= watermark) {
                        sessions.remove(session);
                        leave(key, session, true);
                    } else if (session.changed && (now || end(session) <= watermark)) {
                        leave(key, session, false);
                    }
                }
            });
        }

        private void leave(Object key, Session session, boolean last) {
            session.changed = false;
            rows.add(Rows.row(keys.isNone() || key.equals("null") ? null : key, session.first, end(session),
                    2 * session.revision++ + (last ? 1 : 0), (long) session.values.size(), session.values.toString()));
        }
    }

    @Test
    void aPacketBetweenTwoSessionsMakesThemOne() throws Exception {
        Window.FiredSession fired = new Window.FiredSession(10, NEVER, true, 0);
        try (OperatorHarness harness = harness(fired, Timed.BY_K).open()) {
            harness.feedRow(0, 0L, 1, "a", 1L).feedRow(0, 3L, 1, "a", 2L).feedRow(0, 17L, 1, "a", 3L)
                    .feedRow(0, 11L, 1, "a", 4L).watermark(26);
            assertEquals(List.of(Rows.row("a", 0L, 10L, 0L, 1L, "[1]"), Rows.row("a", 0L, 13L, 2L, 2L, "[1, 2]"),
                    Rows.row("a", 17L, 27L, 0L, 1L, "[3]"), Rows.row("a", 0L, 27L, 4L, 4L, "[1, 2, 3, 4]")), harness.rows(0));
            assertEquals(Rows.row("a", 0L, 27L, 7L, 4L, "[1, 2, 3, 4]"), harness.watermark(27).rows(0).get(4));
            assertEquals(0, harness.lateCount);
        }
    }

    @Test
    void aLatePacketGivesARowAtOnceAndMayLengthenItsSession() throws Exception {
        Window.FiredSession fired = new Window.FiredSession(10, NEVER, false, 5);
        try (OperatorHarness harness = harness(fired, Keys.none()).open()) {
            harness.feedRow(0, 0L, 1, "a", 1L).watermark(12).feedRow(0, 1L, 1, "a", 2L).feedRow(0, 8L, 1, "a", 3L);
            assertEquals(List.of(Rows.row(null, 0L, 10L, 0L, 1L, "[1]"), Rows.row(null, 0L, 11L, 2L, 2L, "[1, 2]")),
                    harness.rows(0));
            harness.watermark(18).watermark(23).feedRow(0, 8L, 1, "a", 4L);
            assertEquals(List.of(Rows.row(null, 0L, 18L, 4L, 3L, "[1, 2, 3]"), Rows.row(null, 0L, 18L, 7L, 3L, "[1, 2, 3]")),
                    harness.rows(0).subList(2, 4));
            assertEquals(1, harness.lateCount);
        }
    }

    @Test
    void aRefusedPacketLeavesTheSessionsThatItTouchesAsTheyWere() throws Exception {
        Window.FiredSession fired = new Window.FiredSession(10, NEVER, true, 0);
        try (OperatorHarness harness = harness(fired, Keys.none()).skippingBadRecords().open()) {
            harness.feedRow(0, 0L, 1, "a", 1L).feedRow(0, 15L, 1, "a", 2L).feedRow(0, 8L, 1, "a", Collected.BAD).watermark(100);
            assertEquals(List.of(Rows.row(null, 0L, 10L, 3L, 1L, "[1]"), Rows.row(null, 15L, 25L, 3L, 1L, "[2]")),
                    harness.rows(0).subList(2, 4));
        }
    }

    @Test
    void sessionsGiveTheirMemoryBack() throws Exception {
        Window.FiredSession fired = new Window.FiredSession(20, 5, false, 10);
        try (OperatorHarness harness = harness(fired, Timed.BY_K).open()) {
            long most = 0;
            for (long t = 0; t < 20_000; t++) {
                harness.feedRow(0, t, 1, "key " + t / 8 % 7, t % 10);
                if (t % 10 == 9) {
                    harness.watermark(t);
                    most = t < 1_000 ? Math.max(most, harness.stateBytes) : most;
                }
            }
            assertTrue(harness.stateBytes <= most, harness.stateBytes + " bytes, and at first " + most);
        }
    }
}
