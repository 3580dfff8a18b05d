package io.despina.operator.source.time;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.packet.PacketWriter;
import io.despina.spec.EventTime;
import io.despina.spec.Replay;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import io.despina.state.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** What a source's watermark is while packets come and while none do. The clock is moved by hand. */
class WatermarksTest {
    private static final long MS = 1_000_000;
    private static final long DELAY = 2_000;
    private static final long AFTER_MS = 100;

    /** Notes watermarks, and {@code idle}. */
    private static final class Signals implements Output {
        private final List<Object> all = new ArrayList<>();

        @Override
        public PacketWriter writer() {
            throw new AssertionError("no packet is written here");
        }

        @Override
        public boolean hasRoom() {
            return true;
        }

        @Override
        public void due(long nanos) {
        }

        @Override
        public void watermark(long micros, boolean exact) {
            all.add(micros);
        }

        @Override
        public void idle() {
            all.add("idle");
        }
    }

    private final Signals out = new Signals();
    private long now = 7_000 * MS;

    private Watermarks advancing(long idleAfterNanos, double speed) {
        return new Watermarks(new EventTime(0, List.of(), DELAY, idleAfterNanos, List.of(), AFTER_MS * MS), out, () -> now,
                new Replay(speed));
    }

    private Watermarks advancing() {
        return advancing(NEVER, 0);
    }

    private void take(Watermarks watermarks, long... micros) {
        for (long each : micros) {
            assertTrue(watermarks.before(each));
        }
        watermarks.batchDone(now, micros.length > 0);
    }

    /** Nothing has come. @return after how many ms it wants to be called, or -1 when it is woken */
    private long silence(Watermarks watermarks, long ms) {
        now += ms * MS;
        watermarks.batchDone(now, false);
        long again = watermarks.waiting(now, Source.WHEN_WOKEN);
        return again == Source.WHEN_WOKEN ? -1 : (again - now) / MS;
    }

    @Test
    void itGoesOnWithTheClockBehindTheLastPacket() {
        Watermarks watermarks = advancing();
        take(watermarks, 50_000, 40_000);
        assertEquals(60, silence(watermarks, 40));
        assertEquals(List.of(48_000L), out.all, "not silent for long");
        assertEquals(25, silence(watermarks, 60));
        assertEquals(25, silence(watermarks, 30));
        assertEquals(25, silence(watermarks, 1_000));
        assertEquals(List.of(48_000L, 78_000L, 1_078_000L), out.all);
    }

    @Test
    void whatComesBehindItIsLateAndThePacketsAloneSayWhereItGoesOn() {
        Watermarks watermarks = advancing();
        take(watermarks, 50_000);
        silence(watermarks, 300);
        out.all.clear();
        take(watermarks, 247_999, 248_000);
        assertEquals(List.of(248_000L), out.all, "right before the first, which is late");
        silence(watermarks, 101);
        assertEquals(List.of(248_000L), out.all, "246 ms and 1 ms beyond the wait");
        silence(watermarks, 4);
        assertEquals(List.of(248_000L, 251_000L), out.all);
    }

    @Test
    void withoutAPacketThereIsNothingToGoOnFrom() {
        assertEquals(-1, silence(advancing(), 1_000));
        assertEquals(List.of(), out.all);
    }

    @Test
    void whoHasMoreToSendAtOnceIsNotSilent() {
        Watermarks watermarks = advancing();
        take(watermarks, 50_000);
        now += 1_000 * MS;
        assertEquals(now, watermarks.waiting(now, now));
        assertEquals(Source.ENDED, watermarks.waiting(now, Source.ENDED));
        assertEquals(List.of(48_000L), out.all);
    }

    @Test
    void aSourceThatTakesLongToReadWasNotSilentMeanwhile() {
        Watermarks watermarks = advancing();
        long began = now;
        assertTrue(watermarks.before(50_000));
        now += 500 * MS;
        watermarks.batchDone(began, true);
        assertEquals(25, silence(watermarks, 100));
        assertEquals(List.of(48_000L), out.all);
    }

    @Test
    void anIdleSourceStaysIdleAsItGoesOn() {
        Watermarks watermarks = advancing(50 * MS, 0);
        take(watermarks, 50_000);
        assertEquals(50, silence(watermarks, 50));
        silence(watermarks, 60);
        assertEquals(List.of(48_000L, "idle", 58_000L, "idle"), out.all);
        take(watermarks, 60_000);
        silence(watermarks, 60);
        assertEquals(List.of(48_000L, "idle", 58_000L, "idle", "idle"), out.all, "awake, then silent again");
    }

    @Test
    void aReplayGoesOnAtItsOwnPace() {
        Watermarks watermarks = advancing(NEVER, 10);
        take(watermarks, 50_000);
        assertEquals(4, silence(watermarks, 6));
        assertEquals(10, silence(watermarks, 5), "looks are 10 ms apart at least");
        assertEquals(List.of(48_000L, 58_000L), out.all);
    }

    @Test
    void aRestoredSourceKeepsItsWatermarkAndCountsSilenceAnew() throws Exception {
        Watermarks before = advancing();
        take(before, 50_000);
        silence(before, 300);
        assertEquals(248_000L, out.all.get(1));
        now += 60_000 * MS;
        out.all.clear();
        Watermarks restored = advancing();
        Snapshots.restore(restored.state(), Snapshots.of(before.state()));
        restored.restored();
        assertEquals(99, silence(restored, 1));
        assertEquals(List.of(248_000L), out.all);
        silence(restored, 299);
        assertEquals(List.of(248_000L), out.all, "48 ms and 200 ms beyond the wait");
        silence(restored, 1);
        assertEquals(List.of(248_000L, 249_000L), out.all);
    }

    private Watermarks at(long micros, long silentMs) {
        Watermarks one = advancing(50 * MS, 0);
        take(one, micros);
        silence(one, silentMs);
        return one;
    }

    private Watermarks restored(int instance, int parallelism, Watermarks... before) throws Exception {
        List<Sections> from = new ArrayList<>();
        for (Watermarks each : before) {
            State state = each.state();
            from.add(Snapshots.sections(Map.of(state.name(), Snapshots.of(state))));
        }
        Watermarks restored = advancing(50 * MS, 0);
        new Share(instance, parallelism, 256).restore(List.of(restored.state()), from);
        restored.restored();
        out.all.clear();
        silence(restored, 1);
        return restored;
    }

    @Test
    void aRestoredSourceThatWasIdleSaysSoAgainBehindItsWatermark() throws Exception {
        Watermarks restored = restored(0, 1, at(50_000, 50));
        assertEquals(List.of(48_000L, "idle"), out.all);
        take(restored, 60_000);
        assertEquals(List.of(48_000L, "idle", 58_000L), out.all, "awake");
        silence(restored, 50);
        assertEquals(List.of(48_000L, "idle", 58_000L, "idle"), out.all);
        restored(0, 1, at(70_000, 49));
        assertEquals(List.of(68_000L), out.all, "it was not idle");
    }

    @Test
    void atAnotherParallelismActiveSourcesAloneSayHowFarItCame() throws Exception {
        Watermarks idle = at(50_000, 50);
        Watermarks active = at(90_000, 0);
        Watermarks slower = at(80_000, 0);
        for (int parallelism : new int[] {1, 2, 3}) {
            for (int k = 0; k < parallelism; k++) {
                restored(k, parallelism, idle, active, slower, advancing(NEVER, 0));
                assertEquals(List.of(), out.all, "one has seen nothing yet");
                restored(k, parallelism, idle, active, slower, at(100_000, 60));
                assertEquals(List.of(78_000L), out.all);
                restored(k, parallelism, idle, idle, at(40_000, 60), idle);
                assertEquals(List.of(38_000L, "idle"), out.all);
            }
        }
    }

    @Test
    void aSourceThatHasEndedHoldsNoneBackAtAnotherParallelism() throws Exception {
        Watermarks ended = at(50_000, 0);
        ended.waiting(now, Source.ENDED);
        restored(0, 1, ended, at(90_000, 0));
        assertEquals(List.of(88_000L), out.all);
    }

    /** Even numbers are pauses, odd ones packets. */
    @Property(tries = 500)
    void itIsMonotoneAndNeverBeyondTheClock(@ForAll @Size(max = 60) List<@IntRange(max = 400_000) Integer> steps) {
        out.all.clear();
        Watermarks watermarks = advancing();
        long seen = Long.MIN_VALUE;
        long last = 0;
        long reached = Long.MIN_VALUE;
        for (int step : steps) {
            if (step % 2 == 1) {
                take(watermarks, step);
                seen = Math.max(seen, step - DELAY);
                last = now;
                reached = Math.max(reached, seen);
            } else {
                silence(watermarks, step / 1_000);
                long beyond = (now - last) / 1_000 - AFTER_MS * 1_000;
                reached = seen == Long.MIN_VALUE || beyond < 0 ? reached : Math.max(reached, seen + beyond);
            }
            long greatest = Long.MIN_VALUE;
            for (Object each : out.all) {
                assertTrue((Long) each >= greatest, "goes back");
                greatest = (Long) each;
            }
            assertEquals(reached, greatest);
        }
    }
}
