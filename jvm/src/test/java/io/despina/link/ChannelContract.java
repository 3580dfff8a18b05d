package io.despina.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.metrics.LinkCounters;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What every channel must hold, whatever carries it. */
public interface ChannelContract {
    int MAX_PACKET = 1 << 20;
    ChannelOptions OPTIONS = new ChannelOptions(BufferSpec.DEFAULT, new QueueBounds(128 << 10, 256 << 10),
            new CompressionSpec(CompressionSpec.Mode.NEVER, 6), 1_000_000_000_000L, MAX_PACKET, 1);

    /** Opens a channel, its sending and its receiving end. */
    Ends open(ChannelOptions options) throws Exception;

    /** What may be between the two ends beyond both queues, in bytes. */
    long elsewhere();

    SegmentPool pool();

    /** A channel's ends, with what each side waits on. */
    final class Ends {
        public final ChannelSender sender;
        public final ChannelReceiver receiver;
        public final LinkCounters counters;
        final Semaphore senderBell = new Semaphore(0);
        final Semaphore receiverBell = new Semaphore(0);

        public Ends(ChannelSender sender, ChannelReceiver receiver, LinkCounters counters) {
            this.sender = sender;
            this.receiver = receiver;
            this.counters = counters;
            receiver.setReceiver(receiverBell::release);
        }

        PortOutput port(SegmentPool pool, BufferSpec buffer) {
            LinkSpec spec = new LinkSpec("a->b", new Partition.Forward(), buffer, CompressionSpec.DEFAULT,
                    List.of(ChannelSpec.local(1, "a->b")));
            PortOutput port = PortOutputs.create(ChannelPackets.SCHEMA.layout(),
                    List.of(new OutLink(spec, List.of(sender), counters)),
                    new PortSettings(pool, MAX_PACKET, System::nanoTime, pool.overdraft().rank(0)));
            port.setWaker(senderBell::release);
            return port;
        }

        /** Waits for the next segment. */
        public Segment next() throws InterruptedException {
            while (true) {
                Segment segment = receiver.poll();
                if (segment != null) {
                    return segment;
                }
                assertTrue(receiverBell.tryAcquire(20, TimeUnit.SECONDS), "nothing arrived");
            }
        }

        void awaitRoom(PortOutput port) throws InterruptedException {
            while (!port.hasRoom()) {
                port.flush(System.nanoTime());
                assertTrue(senderBell.tryAcquire(20, TimeUnit.SECONDS), "no room came");
            }
        }

        void write(PortOutput port, long from, long to, int payload) throws InterruptedException {
            for (long k = from; k < to; k++) {
                awaitRoom(port);
                ChannelPackets.write(port.writer(), k, payload);
            }
        }

        /** Takes everything up to END. */
        List<Long> drain() throws InterruptedException {
            List<Long> sequences = new ArrayList<>();
            while (true) {
                Segment segment = next();
                boolean end = segment.kind == SegmentKind.END;
                if (segment.kind == SegmentKind.DATA) {
                    ChannelPackets.read(segment, sequences);
                }
                receiver.consumed(segment);
                if (end) {
                    return sequences;
                }
            }
        }
    }

    void setUp() throws Exception;

    void tearDown() throws Exception;

    private static void end(Ends ends, PortOutput port) throws InterruptedException {
        port.signal(SegmentKind.END, Segment.COMPLETE);
        port.close();
        assertEquals(List.of(), ends.drain());
    }

    private static List<Long> upTo(long n) {
        return LongStream.range(0, n).boxed().toList();
    }

    @Test
    default void carriesEverythingOnceAndInOrder() throws Exception {
        Ends ends = open(OPTIONS);
        int n = 300_000;
        CompletableFuture<List<Long>> received = CompletableFuture.supplyAsync(() -> quietly(ends::drain));
        PortOutput port = ends.port(pool(), BufferSpec.DEFAULT);
        for (int k = 0; k < n; k += 500) {
            ends.write(port, k, k + 500, ChannelPackets.PAYLOAD);
            port.flush(System.nanoTime());
        }
        port.signal(SegmentKind.END, Segment.COMPLETE);
        assertEquals(upTo(n), received.get(60, TimeUnit.SECONDS));
        assertEquals(n, port.packets());
        assertEquals(n, ends.counters.snapshot(0).packets());
        assertEquals(51L * n, ends.counters.snapshot(0).bytes());
        port.close();
    }

    @Test
    default void keepsSignalsInTheirPlace() throws Exception {
        Ends ends = open(OPTIONS);
        PortOutput port = ends.port(pool(), new BufferSpec(64 << 10, Long.MAX_VALUE / 4, true));
        ends.write(port, 0, 3, 10);
        port.watermark(50, false);
        port.watermark(70, false);
        ends.write(port, 3, 5, 10);
        port.watermark(90, true);
        ends.write(port, 5, 6, 10);
        port.watermark(90, true);
        ends.write(port, 6, 7, 10);
        port.idle();
        port.idle();
        port.signal(SegmentKind.BARRIER, 12);
        port.watermark(Long.MAX_VALUE, false);
        port.signal(SegmentKind.END, Segment.STOPPED);
        assertEquals(List.of("[0, 1, 2, 3, 4]", "WATERMARK 90 exact", "[5, 6]", "IDLE 0", "BARRIER 12",
                "WATERMARK " + Long.MAX_VALUE, "END " + Segment.STOPPED), texts(ends));
        port.close();
    }

    private static List<String> texts(Ends ends) throws InterruptedException {
        List<String> texts = new ArrayList<>();
        boolean end;
        do {
            Segment segment = ends.next();
            end = segment.kind == SegmentKind.END;
            if (segment.kind == SegmentKind.DATA) {
                List<Long> sequences = new ArrayList<>();
                ChannelPackets.read(segment, sequences);
                texts.add(sequences.toString());
            } else {
                texts.add(segment.kind + " " + segment.value + (segment.exact ? " exact" : ""));
            }
            ends.receiver.consumed(segment);
        } while (!end);
        return texts;
    }

    @Test
    default void lazyWatermarksFollowTheirPackets() throws Exception {
        Ends ends = open(OPTIONS);
        PortOutput port = ends.port(pool(), BufferSpec.DEFAULT);
        port.due(17);
        ends.write(port, 0, 1, 10);
        port.watermark(5, false);
        port.flush(0);
        Segment data = ends.next();
        assertEquals(SegmentKind.DATA, data.kind);
        assertEquals(17, data.origin);
        ends.receiver.consumed(data);
        Segment watermark = ends.next();
        assertEquals(5, watermark.value);
        assertFalse(watermark.exact);
        ends.receiver.consumed(watermark);
        end(ends, port);
    }

    @Test
    default void aSlowReceiverStopsTheSenderAndNothingGrows() throws Exception {
        Ends ends = open(OPTIONS);
        PortOutput port = ends.port(pool(), BufferSpec.DEFAULT);
        long written = 0;
        // Nothing is consumed: what has room must come to an end.
        while (true) {
            if (!port.hasRoom() && !ends.senderBell.tryAcquire(300, TimeUnit.MILLISECONDS)) {
                break;
            }
            if (port.hasRoom()) {
                ChannelPackets.write(port.writer(), written++, ChannelPackets.PAYLOAD);
            }
        }
        long most = 2 * (OPTIONS.bounds().high() + (64 << 10)) + elsewhere();
        assertTrue(written * 51 <= most, written * 51 + " bytes taken, at most " + most);
        assertTrue(written * 51 >= OPTIONS.bounds().high(), "stopped too early: " + written * 51);
        assertTrue(ends.receiver.isUrgent());
        assertTrue(pool().budget().used() <= most, pool().budget().used() + " bytes held");
        CompletableFuture<List<Long>> received = CompletableFuture.supplyAsync(() -> quietly(ends::drain));
        ends.write(port, written, written + 20_000, ChannelPackets.PAYLOAD);
        port.signal(SegmentKind.END, Segment.COMPLETE);
        assertEquals(upTo(written + 20_000), received.get(60, TimeUnit.SECONDS));
        assertTrue(ends.counters.snapshot(0).pausedNanos() > 0);
        port.close();
    }

    @Test
    default void anOversizePacketTravelsAmongOthers() throws Exception {
        Ends ends = open(OPTIONS);
        PortOutput port = ends.port(pool(), BufferSpec.DEFAULT);
        CompletableFuture<List<Long>> received = CompletableFuture.supplyAsync(() -> quietly(ends::drain));
        ends.write(port, 0, 10, ChannelPackets.PAYLOAD);
        ends.write(port, 10, 13, MAX_PACKET - 100);
        ends.write(port, 13, 14, 70_000);
        ends.write(port, 14, 3000, ChannelPackets.PAYLOAD);
        port.signal(SegmentKind.END, Segment.COMPLETE);
        assertEquals(upTo(3000), received.get(60, TimeUnit.SECONDS));
        org.junit.jupiter.api.Assertions.assertThrows(IllegalArgumentException.class,
                () -> ChannelPackets.write(port.writer(), 0, MAX_PACKET + 1));
        port.close();
    }

    @Test
    default void onePacketAloneLeavesAtOnceAndTheNextWhenItIsConsumed() throws Exception {
        Ends ends = open(OPTIONS);
        PortOutput port = ends.port(pool(), new BufferSpec(64 << 10, Long.MAX_VALUE / 4, false));
        for (long k = 0; k < 50; k++) {
            ends.write(port, k, k + 1, ChannelPackets.PAYLOAD);
            // A sender that is not told to go now is woken when it may.
            while (port.flush(0) != Long.MAX_VALUE) {
                assertTrue(ends.senderBell.tryAcquire(20, TimeUnit.SECONDS));
            }
            Segment segment = ends.next();
            assertEquals(1, segment.packets);
            assertTrue(segment.capacity() <= 1024, "a lone packet came in " + segment.capacity() + " bytes");
            ends.receiver.consumed(segment);
        }
        assertEquals(50, ends.counters.snapshot(0).flushes().early());
        end(ends, port);
    }

    @Test
    default void aClosedReceiverTakesAndDropsWhatStillComes() throws Exception {
        Ends ends = open(OPTIONS);
        PortOutput port = ends.port(pool(), BufferSpec.DEFAULT);
        ends.write(port, 0, 2000, ChannelPackets.PAYLOAD);
        ends.receiver.close();
        ends.write(port, 2000, 40_000, ChannelPackets.PAYLOAD);
        port.signal(SegmentKind.END, Segment.STOPPED);
        port.close();
        assertNull(ends.receiver.poll());
    }

    @Test
    default void livesOnItsMinimumWhenTheBudgetIsUsedUp() throws Exception {
        Ends ends = open(OPTIONS);
        PortOutput port = ends.port(pool(), BufferSpec.DEFAULT);
        Budget budget = pool().budget();
        long all = budget.floating() - budget.used();
        budget.take(all);
        long before = budget.used();
        CompletableFuture<List<Long>> received = CompletableFuture.supplyAsync(() -> quietly(ends::drain));
        for (int k = 0; k < 20_000; k++) {
            ends.write(port, k, k + 1, ChannelPackets.PAYLOAD);
            assertTrue(budget.used() <= before + 2 * ChannelOptions.localMinimum() + OPTIONS.receiverMinimum());
        }
        port.signal(SegmentKind.END, Segment.COMPLETE);
        assertEquals(upTo(20_000), received.get(60, TimeUnit.SECONDS));
        budget.give(all);
        port.close();
    }

    /** A callable whose exceptions are the test's. */
    interface Thrower<T> {
        T call() throws Exception;
    }

    static <T> T quietly(Thrower<T> body) {
        try {
            return body.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
