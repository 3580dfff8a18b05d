package io.despina.operator.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Rows;
import io.despina.operator.window.Timed;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class DelayTest {
    private static OperatorHarness.Setup harness(long hold) {
        return OperatorHarness.of(() -> new Delay(hold)).inputs(Timed.SCHEMA).outputs(Timed.SCHEMA);
    }

    private static List<Object> packet(long v) {
        return Rows.row(v, 0, "a", v);
    }

    /** The rows in the list of what came out. */
    private static List<Object> values(List<Event> events) {
        return events.stream().filter(event -> event.row() != null).map(event -> event.row().get(3)).toList();
    }

    /** A packet that was fed. */
    private record Fed(long v, long due, long watermark) {
    }

    @Property(tries = 200)
    void eachPacketLeavesInTimeAndBehindItsWatermark(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long hold = 1 + random.nextInt(30);
        try (OperatorHarness harness = Timed.room(harness(hold), random).open()) {
            List<Fed> fed = new ArrayList<>();
            long now = 0;
            long watermark = Long.MIN_VALUE;
            for (long v = 0; v < 80; v++) {
                now += random.nextInt(3) * random.nextInt(9);
                harness.passTo(now);
                if (random.nextInt(5) == 0) {
                    watermark = Math.max(watermark, v);
                    assertTrue(harness.tryWatermark(watermark));
                }
                if (random.nextInt(15) == 0) {
                    harness.restart();
                }
                harness.feed(0, List.of(packet(v)));
                fed.add(new Fed(v, now + hold, watermark));
                long until = now;
                assertEquals(fed.stream().filter(each -> each.due <= until).map(Fed::v).toList(), values(harness.events(0)));
            }
            harness.tryWatermark(Long.MAX_VALUE);
            assertTrue(harness.passTo(now + hold).operator().end());
            assertEquals(fed.stream().map(Fed::v).toList(), values(harness.events(0)));
            checkWatermarks(harness.events(0), fed);
            assertEquals(0, harness.lateCount);
        }
    }

    private static void checkWatermarks(List<Event> events, List<Fed> fed) {
        long watermark = Long.MIN_VALUE;
        int next = 0;
        for (Event event : events) {
            if (event.watermark() != null) {
                watermark = Math.max(watermark, event.watermark());
            } else {
                assertEquals(fed.get(next++).watermark, watermark);
            }
        }
        assertEquals(Long.MAX_VALUE, watermark);
    }

    @Test
    void watermarksAndIdlenessFollowWhatCameBefore() throws Exception {
        try (OperatorHarness harness = harness(10).open()) {
            harness.tryWatermark(1);
            harness.feed(0, List.of(packet(5))).tryWatermark(4);
            ((Delay) harness.operator()).idle();
            assertEquals(List.of(Event.watermark(1, false)), harness.events(0));
            harness.passTo(10);
            assertEquals(List.of(Event.watermark(1, false), new Event(packet(5), null, false, false), Event.watermark(4, false),
                    new Event(null, null, false, true)), harness.events(0));
        }
    }

    @Test
    void idlenessEndsWithAPacket() throws Exception {
        try (OperatorHarness harness = harness(10).open()) {
            harness.feed(0, List.of(packet(5)));
            ((Delay) harness.operator()).idle();
            harness.feed(0, List.of(packet(6))).passTo(50);
            assertEquals(List.of(5L, 6L), values(harness.events(0)));
            assertFalse(harness.events(0).stream().anyMatch(Event::idle));
        }
    }

    @Test
    void theEndWaitsForWhatIsHeld() throws Exception {
        try (OperatorHarness harness = harness(10).open()) {
            harness.feed(0, List.of(packet(5), packet(6)));
            assertFalse(harness.operator().end());
            assertEquals(2, ((Delay) harness.operator()).held().packets());
            harness.passTo(10);
            assertTrue(harness.operator().end());
            assertEquals(0, ((Delay) harness.operator()).held().packets());
        }
    }

    @Test
    void theWatermarksOfTwoInstancesHoldForOne() throws Exception {
        try (OperatorHarness one = harness(10).instance(0, 2).open(); OperatorHarness two = harness(10).instance(1, 2).open();
                OperatorHarness all = harness(10).restored().open()) {
            one.tryWatermark(100);
            one.feed(0, List.of(packet(101)));
            two.passTo(5).feed(0, List.of(packet(51)));
            two.tryWatermark(60);
            new Share(0, 1, 256).restore(all.operator().states(), List.of(Snapshots.sections(one.snapshot()),
                    Snapshots.sections(two.snapshot())));
            all.operator().restored();
            all.passTo(10);
            assertEquals(List.of(101L), values(all.events(0)));
            all.passTo(15);
            assertEquals(List.of(new Event(packet(101), null, false, false), new Event(packet(51), null, false, false),
                    Event.watermark(60, false)), all.events(0));
        }
    }

    @Test
    void whatItHoldsIsCounted() throws Exception {
        try (OperatorHarness harness = harness(10).memory(1 << 20).open()) {
            long before = harness.stateBytes;
            for (long v = 0; v < 1_000; v++) {
                harness.feed(0, List.of(packet(v)));
            }
            assertTrue(harness.stateBytes - before > 1_000 * 10);
        }
    }
}
