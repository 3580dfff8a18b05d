package io.despina.runtime.task;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.source.time.Watermarks;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.FaultyRelay;
import io.despina.spec.EventTime;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How far a task's watermark comes while its sources are silent. Numbers are event times, in microseconds. */
class SilentSourceTest {
    private static final long AFTER = 100 * Bench.MS;

    /** Sends what it is told, and waits to be woken. */
    private static final class Talker implements Source {
        private final EventTime time;
        private Output out;
        private Watermarks watermarks;
        private Runnable wake;
        private long next = -1;

        Talker(long idleAfterNanos, long advanceAfterNanos) {
            time = new EventTime(0, List.of(), 0, idleAfterNanos, List.of(), advanceAfterNanos);
        }

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
            watermarks = new Watermarks(time, out, context.clock());
            wake = context::wake;
        }

        void say(long micros) {
            next = micros;
            wake.run();
        }

        @Override
        public long produce(long now) {
            boolean wrote = next >= 0 && watermarks.before(next);
            if (wrote) {
                out.writer().begin().setLong(0, next);
                out.writer().commit();
                next = -1;
            }
            watermarks.batchDone(now, wrote);
            return watermarks.waiting(now, WHEN_WOKEN);
        }
    }

    private final Bench bench = new Bench();
    private final Diary diary = new Diary();

    private void open(Talker one, Talker other) {
        bench.start(Bench.source("one", one, 1), Bench.source("other", other, 2),
                Bench.task(List.of(Bench.stage("relay", FaultyRelay::new, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1, 2)),
                        List.of(Bench.out(0, 0, Bench.NUMBERS, 3))),
                Bench.sink("sink", diary, 3));
        bench.pass(Bench.MS);
    }

    /** The greatest watermark that has come to the sink; -1 for none. */
    private long reached() {
        return diary.lines().stream().filter(line -> line.startsWith("W ")).mapToLong(line -> Long.parseLong(line.substring(2)))
                .max().orElse(-1);
    }

    @Test
    void aloneItsResultsLeaveWithTheClock() {
        Talker alone = new Talker(NEVER, AFTER);
        bench.start(Bench.source("alone", alone, 1), Bench.sink("sink", diary, 1));
        bench.pass(Bench.MS);
        alone.say(5_000);
        bench.pass(AFTER);
        assertEquals(List.of("5000", "W 5000"), diary.lines());
        bench.pass(50 * Bench.MS);
        assertEquals(55_000, reached());
        alone.say(80_000);
        alone.wake.run();
        bench.pass(AFTER / 2);
        assertEquals(80_000, reached(), "its packets move it again");
    }

    @Test
    void idleAloneDoesNotMoveIt() {
        Talker alone = new Talker(AFTER, NEVER);
        bench.start(Bench.source("alone", alone, 1), Bench.sink("sink", diary, 1));
        bench.pass(Bench.MS);
        alone.say(5_000);
        bench.pass(100 * AFTER);
        assertEquals(5_000, reached());
    }

    @Test
    void theOneThatGoesOnByTheClockIsWaitedFor() {
        Talker silent = new Talker(NEVER, AFTER);
        Talker active = new Talker(NEVER, NEVER);
        open(silent, active);
        silent.say(5_000);
        active.say(40_000);
        bench.pass(AFTER + 25 * Bench.MS);
        assertEquals(30_000, reached(), "25 ms behind its packet");
        bench.pass(AFTER);
        assertEquals(40_000, reached(), "the other's packet");
        active.say(10_000_000);
        bench.pass(AFTER);
        long least = reached();
        assertTrue(least > 40_000 && least < 1_000_000, () -> "with the clock, not with the other: " + least);
    }

    @Test
    void oneThatIsIdleTooIsNotWaitedForAndGoesOnWhereAllAreIdle() {
        Talker silent = new Talker(AFTER / 2, AFTER);
        Talker active = new Talker(NEVER, NEVER);
        open(silent, active);
        silent.say(5_000);
        active.say(9_000);
        bench.pass(AFTER / 2);
        active.say(10_000_000);
        bench.pass(AFTER);
        assertEquals(10_000_000, reached());
    }

    @Test
    void oneThatHasNeverSpokenHoldsTheOthersUnlessItIsIdle() {
        Talker speaks = new Talker(AFTER / 2, AFTER);
        open(speaks, new Talker(AFTER / 2, AFTER));
        speaks.say(5_000);
        bench.pass(AFTER + 25 * Bench.MS);
        assertEquals(30_000, reached());
        assertFalse(diary.lines().contains("W max"));
    }
}
