package io.despina.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.metrics.LinkCounters;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.spec.BucketMap;
import io.despina.spec.BucketMaps;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When segments leave and where packets go, on a clock of our own. */
class PortOutputTest {
    private static final long MS = 1_000_000;
    private static final BufferSpec ADAPTIVE = new BufferSpec(16 << 10, MS, false);
    private static final BufferSpec ODD = new BufferSpec(10_000, MS, false);
    private static final BufferSpec TIMED = new BufferSpec(16 << 10, MS, true);

    private final SegmentPool pool = new SegmentPool(new Budget(64 << 20));
    private final List<Inbox> inboxes = new ArrayList<>();
    private final List<LinkCounters> counters = new ArrayList<>();
    private PortOutput port;
    private int woken;
    private long now;

    private OutLink link(Partition partition, BufferSpec buffer, int channels) {
        List<Inbox> senders = new ArrayList<>();
        for (int k = 0; k < channels; k++) {
            Inbox inbox = new Inbox(new QueueBounds(256 << 10, 512 << 10), 1_000_000 * MS, () -> now);
            inboxes.add(inbox);
            senders.add(inbox);
        }
        counters.add(new LinkCounters(channels));
        return new OutLink(new LinkSpec("a->b", partition, buffer, CompressionSpec.DEFAULT,
                IntStream.range(0, channels).mapToObj(k -> ChannelSpec.local(k, "a->b")).toList()), senders,
                counters.get(counters.size() - 1));
    }

    private PortOutput open(OutLink... links) {
        port = PortOutputs.create(ChannelPackets.SCHEMA.layout(), List.of(links), new PortSettings(pool, 1 << 20, () -> now,
                pool.overdraft().rank(0)));
        port.setWaker(() -> woken++);
        return port;
    }

    @AfterEach
    void nothingLeaks() {
        port.close();
        inboxes.forEach(Inbox::close);
        assertEquals(Map.of(), pool.leaks());
        assertEquals(0, pool.budget().used());
        inboxes.clear();
        counters.clear();
    }

    private void write(long from, long to) {
        for (long k = from; k < to; k++) {
            ChannelPackets.write(port.writer(), k, ChannelPackets.PAYLOAD);
        }
    }

    private List<Long> take(int inbox) {
        List<Long> sequences = new ArrayList<>();
        Inbox from = inboxes.get(inbox);
        for (Segment s = from.poll(); s != null; s = from.poll()) {
            if (s.kind == SegmentKind.DATA) {
                ChannelPackets.read(s, sequences);
            }
            from.consumed(s);
        }
        return sequences;
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    @Test
    void leavesEarlyOnlyWhileTheFarSideIsIdle() {
        open(link(new Partition.Forward(), ADAPTIVE, 1));
        write(0, 1);
        assertEquals(Long.MAX_VALUE, port.flush(0));
        write(1, 2);
        assertEquals(5 + MS, port.flush(5));
        write(2, 3);
        assertEquals(5 + MS, port.flush(6));
        assertEquals(0, woken);
        assertEquals(range(0, 1), take(0));
        assertEquals(1, woken);
        assertEquals(Long.MAX_VALUE, port.flush(7));
        assertEquals(range(1, 3), take(0));
        assertEquals(2, counters.get(0).snapshot(now).flushes().early());
    }

    @Test
    void leavesAtTheTimerOfItsFirstPacket() {
        open(link(new Partition.Forward(), TIMED, 1));
        write(0, 1);
        assertEquals(MS, port.flush(0));
        write(1, 2);
        assertEquals(MS, port.flush(MS - 1));
        assertFalse(inboxes.get(0).hasNext());
        assertEquals(Long.MAX_VALUE, port.flush(MS));
        assertEquals(range(0, 2), take(0));
        assertEquals(1, counters.get(0).snapshot(now).flushes().timer());
        assertEquals(Long.MAX_VALUE, port.flush(9 * MS));
    }

    private Segment segment(long from, long to, int capacity) {
        Segment segment = pool.take(capacity);
        PacketWriter writer = new PacketWriter(ChannelPackets.SCHEMA.layout(), (w, needed) -> {
            throw new AssertionError("no room for " + needed);
        });
        writer.open(segment.bytes(), 0, segment.capacity());
        for (long k = from; k < to; k++) {
            ChannelPackets.write(writer, k, ChannelPackets.PAYLOAD);
        }
        segment.end = writer.position();
        segment.packets = (int) (to - from);
        return segment;
    }

    private void refusesToPassOn(Segment segment) {
        assertFalse(port.passOn(segment));
        segment.release();
    }

    @Test
    void passesOnWhatIsAboutFullAfterWhatWasWritten() {
        open(link(new Partition.Forward(), ADAPTIVE, 1));
        write(0, 2);
        port.watermark(7, false);
        Segment whole = segment(2, 202, 16 << 10);
        assertTrue(port.passOn(whole));
        write(202, 203);
        assertEquals(203, port.packets());
        port.signal(SegmentKind.END, 0);
        Inbox inbox = inboxes.get(0);
        List<String> order = new ArrayList<>();
        for (Segment s = inbox.poll(); s != null; s = inbox.poll()) {
            order.add(s == whole ? "whole" : s.kind + " " + s.packets);
            inbox.consumed(s);
        }
        assertEquals(List.of("DATA 2", "WATERMARK 0", "whole", "DATA 1", "END 0"), order);
        assertEquals(203, counters.get(0).snapshot(now).packets());
    }

    @Test
    void passesOnOnlyWhatACopyWouldLookLike() {
        open(link(new Partition.Forward(), ADAPTIVE, 1));
        refusesToPassOn(segment(0, 100, 16 << 10));
        refusesToPassOn(segment(0, 400, 32 << 10));
        long allButOne = pool.budget().bytes() - (31 << 10);
        pool.budget().take(allButOne);
        refusesToPassOn(segment(0, 300, 16 << 10));
        pool.budget().give(allButOne);
        open(link(new Partition.Forward(), ODD, 1));
        refusesToPassOn(segment(0, 300, 16 << 10));
        open(link(new Partition.Forward(), TIMED, 1));
        refusesToPassOn(segment(0, 300, 16 << 10));
        open(link(new Partition.RoundRobin(), ADAPTIVE, 2));
        refusesToPassOn(segment(0, 300, 16 << 10));
    }

    @Test
    void timedFillsWholeSegments() {
        open(link(new Partition.Forward(), TIMED, 1));
        write(0, 1000);
        assertEquals(3, counters.get(0).snapshot(now).flushes().full());
        Segment first = inboxes.get(0).poll();
        assertEquals((16 << 10) / 51, first.packets);
        inboxes.get(0).consumed(first);
    }

    @Test
    void growsAtOnceUnderLoadAndHoldsLittleWhenIdle() {
        open(link(new Partition.Forward(), ADAPTIVE, 1));
        write(0, 1);
        assertEquals(4096, pool.budget().used());
        write(1, 81);
        Inbox inbox = inboxes.get(0);
        Segment first = inbox.poll();
        assertEquals(4096, first.capacity());
        inbox.consumed(first);
        write(81, 900);
        Segment second = inbox.poll();
        assertEquals(16 << 10, second.capacity());
        inbox.consumed(second);
        for (int k = 0; k < 8; k++) {
            take(0);
            port.flush(now);
            take(0);
            write(k, k + 1);
        }
        assertEquals(4096, pool.budget().used());
    }

    @Test
    void aNearlyEmptySegmentIsHandedOverInABufferOfItsSize() {
        open(link(new Partition.Forward(), ADAPTIVE, 1));
        write(0, 3);
        port.flush(0);
        Segment segment = inboxes.get(0).poll();
        assertEquals(256, segment.capacity());
        inboxes.get(0).consumed(segment);
    }

    @Test
    void roundRobinGoesOnWithEachSegment() {
        open(link(new Partition.RoundRobin(), TIMED, 3));
        write(0, 1000);
        port.flush(0);
        port.flush(MS);
        int perSegment = (16 << 10) / 51;
        assertEquals(range(0, perSegment), take(0).subList(0, perSegment));
        assertEquals(range(perSegment, 2 * perSegment), take(1));
        assertEquals(range(2 * perSegment, 3 * perSegment), take(2));
    }

    @Test
    void leastLoadedAvoidsTheFullOne() {
        open(link(new Partition.LeastLoaded(), TIMED, 2));
        inboxes.get(0).send(pool.take(200_000));
        write(0, 1500);
        port.flush(0);
        port.flush(MS);
        take(1);
        Segment foreign = inboxes.get(0).poll();
        inboxes.get(0).consumed(foreign);
        assertTrue(take(0).size() <= (16 << 10) / 51);
    }

    @Test
    void hashKeepsKeysTogetherByBucketRanges() {
        ToIntFunction<Packet> key = p -> (int) p.getLong(0) * 31 - 7;
        open(link(new Partition.Hash(List.of(), () -> key, 256), ADAPTIVE, 3));
        write(0, 600);
        port.signal(SegmentKind.END, 0);
        for (int k = 0; k < 3; k++) {
            int receiver = k;
            List<Long> expected = range(0, 600).stream()
                    .filter(s -> Math.floorMod((int) (s * 31 - 7), 256) * 3 / 256 == receiver).toList();
            assertEquals(expected, take(k));
            assertTrue(expected.size() > 100);
        }
    }

    /** In a segment that was begun before the mark, in order behind it, and nobody twice. */
    @Test
    void bucketsGoToTheirNextOwnerBehindTheMark() {
        ToIntFunction<Packet> key = p -> (int) p.getLong(0);
        BucketMap start = BucketMap.even(4, 2, 3);
        BucketMaps maps = new BucketMaps("x", start);
        open(link(new Partition.Hash(List.of(), () -> key, 4, maps), TIMED, 3));
        maps.prepare(-7, start.moved(Map.of(0, 2)));
        write(0, 8);
        port.signal(SegmentKind.BARRIER, 5);
        write(8, 12);
        port.signal(SegmentKind.BARRIER, -7);
        write(12, 20);
        port.signal(SegmentKind.END, 0);
        assertEquals(List.of(0L, 1L, 4L, 5L, 8L, 9L, 13L, 17L), take(0));
        assertEquals(List.of(2L, 3L, 6L, 7L, 10L, 11L, 14L, 15L, 18L, 19L), take(1));
        assertEquals(List.of(12L, 16L), take(2));
    }

    @Test
    void onlyInstancesWithABucketTakeTurns() {
        BucketMap start = BucketMap.even(4, 1, 2);
        BucketMaps maps = new BucketMaps("x", start);
        open(link(new Partition.RoundRobin(maps), TIMED, 2));
        maps.prepare(-7, start.moved(Map.of(0, 1, 1, 1, 2, 1, 3, 1)));
        write(0, 1000);
        port.signal(SegmentKind.BARRIER, -7);
        write(1000, 1500);
        port.signal(SegmentKind.END, 0);
        assertEquals(range(0, 1000), take(0));
        assertEquals(range(1000, 1500), take(1));
    }

    static final class Negative implements ToIntFunction<Packet> {
        @Override
        public int applyAsInt(Packet packet) {
            return (int) -packet.getLong(0);
        }
    }

    static final class BrokenAtThree implements ToIntFunction<Packet> {
        @Override
        public int applyAsInt(Packet packet) {
            if (packet.getLong(0) == 3) {
                throw new IllegalStateException("packet 3");
            }
            return 0;
        }
    }

    @Test
    void customAndBroadcastGoWhereTheySay() {
        open(link(new Partition.Custom("Negative", Negative::new), ADAPTIVE, 2), link(new Partition.Broadcast(), TIMED, 2),
                link(new Partition.Forward(), ADAPTIVE, 1));
        write(0, 10);
        port.watermark(44, false);
        port.signal(SegmentKind.END, 0);
        assertEquals(List.of(0L, 2L, 4L, 6L, 8L), take(0));
        assertEquals(List.of(1L, 3L, 5L, 7L, 9L), take(1));
        for (int k = 2; k < 5; k++) {
            assertEquals(range(0, 10), take(k));
        }
        assertEquals(10, port.packets());
        assertEquals(10, counters.get(0).snapshot(now).packets());
        assertEquals(20, counters.get(1).snapshot(now).packets());
    }

    @Property(tries = 300)
    void everyChannelGetsItsPacketsInOrderWhateverTheirSize(@ForAll long seed) {
        Random random = new Random(seed);
        ToIntFunction<Packet> key = p -> (int) p.getLong(0) * 31 - 7;
        open(link(new Partition.Forward(), ADAPTIVE, 1), link(new Partition.Hash(List.of(), () -> key, 256), ODD, 3),
                link(new Partition.Broadcast(), TIMED, 2), link(new Partition.RoundRobin(), ADAPTIVE, 2));
        int count = random.nextInt(300);
        List<Long> written = new ArrayList<>();
        for (long k = 0; k < count; k++) {
            boolean large = random.nextInt(20) == 0;
            ChannelPackets.write(port.writer(), k, random.nextInt(large ? 40_000 : 200));
            written.add(k);
            if (random.nextInt(50) == 0) {
                port.flush(now += MS / 2);
            }
            if (random.nextInt(50) == 0) {
                port.watermark(k, random.nextBoolean());
            }
        }
        assertEquals(count, port.packets());
        port.signal(SegmentKind.END, 0);
        assertEquals(written, take(0));
        for (int k = 0; k < 3; k++) {
            int receiver = k;
            assertEquals(written.stream().filter(s -> Math.floorMod((int) (s * 31 - 7), 256) * 3 / 256 == receiver).toList(),
                    take(1 + k));
        }
        assertEquals(written, take(4));
        assertEquals(written, take(5));
        List<Long> inTurns = new ArrayList<>(take(6));
        List<Long> others = take(7);
        assertTrue(IntStream.range(1, inTurns.size()).allMatch(k -> inTurns.get(k - 1) < inTurns.get(k)));
        assertTrue(IntStream.range(1, others.size()).allMatch(k -> others.get(k - 1) < others.get(k)));
        inTurns.addAll(others);
        assertEquals(written, inTurns.stream().sorted().toList());
        nothingLeaks();
    }

    @Property(tries = 300)
    void aWatermarkNeverOvertakesAPacket(@ForAll long seed) {
        Random random = new Random(seed);
        open(link(new Partition.Forward(), ADAPTIVE, 1), link(new Partition.Forward(), ODD, 1));
        int count = random.nextInt(2000);
        for (long k = 0; k < count; k++) {
            write(k, k + 1);
            if (random.nextInt(30) == 0) {
                port.watermark(k + 1, random.nextBoolean());
            }
            if (random.nextInt(200) == 0) {
                port.flush(now += MS / 2);
            }
        }
        port.watermark(count, false);
        port.signal(SegmentKind.END, 0);
        for (Inbox inbox : inboxes) {
            long watermark = Long.MIN_VALUE;
            for (Segment s = inbox.poll(); s != null; s = inbox.poll()) {
                if (s.kind == SegmentKind.WATERMARK) {
                    watermark = s.value;
                } else if (s.kind == SegmentKind.DATA) {
                    List<Long> sequences = new ArrayList<>();
                    ChannelPackets.read(s, sequences);
                    assertTrue(sequences.get(0) >= watermark, sequences.get(0) + " after " + watermark);
                }
                inbox.consumed(s);
            }
            assertEquals(count, watermark);
        }
        nothingLeaks();
    }

    @Test
    void aPartitionThatFailsIsNoFaultOfThePacketBeingWritten() {
        open(link(new Partition.Custom("BrokenAtThree", BrokenAtThree::new), ADAPTIVE, 2));
        write(0, 1000);
        port.signal(SegmentKind.END, 0);
        assertEquals("packet 3", assertThrows(IllegalStateException.class, () -> port.flush(now)).getMessage());
        assertEquals(1000, port.packets());
        inboxes.forEach(inbox -> assertFalse(inbox.hasNext()));
    }

    @Test
    void whatIsWrittenKeepsTheDueTimeOfItsOrigin() {
        open(link(new Partition.Forward(), TIMED, 1), link(new Partition.Forward(), TIMED, 1));
        port.due(5);
        write(0, 100);
        port.due(9);
        write(100, 400);
        for (Inbox inbox : inboxes) {
            Segment first = inbox.poll();
            assertEquals(5, first.origin);
            inbox.consumed(first);
        }
        port.signal(SegmentKind.END, 0);
        for (Inbox inbox : inboxes) {
            Segment second = inbox.poll();
            assertEquals(9, second.origin);
            inbox.consumed(second);
        }
    }

    @Test
    void theSlowestLinkSetsThePace() {
        open(link(new Partition.Forward(), ADAPTIVE, 1), link(new Partition.Forward(), ADAPTIVE, 1));
        long k = 0;
        while (port.hasRoom()) {
            write(k, ++k);
            take(0);
        }
        assertEquals(List.of(false, true), counters.stream().map(each -> each.paused.lasts()).toList());
        now += 7 * MS;
        assertEquals(7 * MS, counters.get(1).snapshot(now).pausedNanos(), "while it lasts");
        take(1);
        assertTrue(port.hasRoom());
        assertFalse(counters.get(1).paused.lasts());
        assertEquals(7 * MS, counters.get(1).snapshot(now + MS).pausedNanos());
        assertEquals(0, counters.get(0).snapshot(now).pausedNanos());
    }

    @Test
    void unlinkedCopiesNothingThatIsPassedOn() {
        PacketWriter packets = Rows.growing(ChannelPackets.SCHEMA);
        ChannelPackets.write(packets, 1, ChannelPackets.PAYLOAD);
        PacketCursor cursor = PacketCursor.reusing(ChannelPackets.SCHEMA.layout());
        cursor.reset(packets.bytes(), 0, packets.position());
        Packet packet = cursor.next();
        open();
        int begin = port.writer().position();
        for (int k = 0; k < 3; k++) {
            assertTrue(port.pass(packet));
        }
        assertEquals(3, port.packets());
        assertEquals(begin, port.writer().position());
    }

    @Test
    void unlinkedDropsAndCounts() {
        open();
        write(0, 5000);
        ChannelPackets.write(port.writer(), 1, 100_000);
        assertEquals(5001, port.packets());
        assertTrue(port.hasRoom());
        assertEquals(Long.MAX_VALUE, port.flush(0));
    }

    @Test
    void segmentsShrinkWhereTheReceiverIsSlow() {
        open(link(new Partition.Forward(), TIMED, 1));
        Inbox inbox = inboxes.get(0);
        write(0, 400);
        for (int k = 0; k < 12; k++) {
            // A segment takes longer than what may be queued in time.
            Segment segment = inbox.poll();
            now += 1_000_000_000 * MS;
            inbox.consumed(segment);
            write(0, 400);
        }
        take(0);
        write(0, 400);
        inbox.consumed(inbox.poll());
        Segment last = inbox.poll();
        assertTrue(last.capacity() <= 512, "still " + last.capacity());
        inbox.consumed(last);
        assertEquals(14 * 400, port.packets());
    }

    /** Leaves no memory floating. @return how many bytes to give back */
    private long useUp() {
        long bytes = pool.budget().floating() - pool.budget().used();
        pool.budget().take(bytes);
        return bytes;
    }

    @Test
    void onePortOfARankHasAPacketBeyondTheBudget() {
        PortOutput first = open(link(new Partition.Forward(), ADAPTIVE, 1));
        PortOutput second = open(link(new Partition.Forward(), ADAPTIVE, 1));
        PortOutput behind = PortOutputs.create(ChannelPackets.SCHEMA.layout(),
                List.of(link(new Partition.Forward(), ADAPTIVE, 1)),
                new PortSettings(pool, 1 << 20, () -> now, pool.overdraft().rank(1)));
        long taken = useUp();
        ChannelPackets.write(first.writer(), 0, 100_000);
        assertFalse(first.hasRoom());
        first.flush(0);
        assertFalse(second.hasRoom());
        assertTrue(behind.hasRoom());
        assertEquals(1, pool.overdraft().segments());
        assertTrue(inboxes.get(0).isUrgent());
        woken = 0;
        assertEquals(range(0, 1), take(0));
        assertTrue(woken > 0);
        assertTrue(second.hasRoom());
        pool.budget().give(taken);
        first.close();
        behind.close();
    }

    @Test
    void channelsShareALargePacket() {
        open(link(new Partition.Broadcast(), ADAPTIVE, 3), link(new Partition.Forward(), ADAPTIVE, 1));
        long before = useUp();
        ChannelPackets.write(port.writer(), 0, 100_000);
        assertFalse(port.hasRoom());
        assertEquals(1, pool.overdraft().segments());
        assertTrue(pool.budget().used() <= before + 101_000, pool.budget().used() - before + " bytes");
        for (int k = 0; k < 4; k++) {
            assertFalse(port.hasRoom());
            assertEquals(range(0, 1), take(k));
        }
        assertTrue(port.hasRoom());
        pool.budget().give(before);
    }
}
