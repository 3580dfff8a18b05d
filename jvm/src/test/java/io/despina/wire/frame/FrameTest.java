package io.despina.wire.frame;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.link.ChannelPackets;
import io.despina.metrics.LinkCounters;
import io.despina.packet.Bytes;
import io.despina.packet.PacketWriter;
import io.despina.spec.CompressionSpec;
import io.despina.wire.compress.Compressor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Frames: what is written is read, and nothing else. */
class FrameTest {
    private static final int CHANNEL = 7;
    private static final ChannelId ID = new ChannelId(Attempt.first("job"), CHANNEL);
    private static final int MOST = 128 << 10;

    private final SegmentPool pool = new SegmentPool(new Budget(8 << 20));
    private final LinkCounters.WireCounters counters = new LinkCounters.WireCounters();

    private final class Collector implements FrameReader.SegmentHandler {
        final List<Segment> segments = new ArrayList<>();
        long asked;

        @Override
        public Segment take(int bytes) {
            asked += bytes;
            return pool.take(bytes);
        }

        @Override
        public Segment scratch(int bytes) {
            asked += bytes;
            return pool.take(bytes);
        }

        @Override
        public Segment signal(SegmentKind kind, long value, boolean exact) {
            return pool.signal(kind, value, exact);
        }

        @Override
        public boolean received(Segment segment) {
            segments.add(segment);
            return true;
        }

        void release() {
            segments.forEach(Segment::release);
            segments.clear();
        }
    }

    private Segment data(int packets, int payload) {
        Segment segment = pool.take(packets * (payload + 20));
        PacketWriter writer = new PacketWriter(ChannelPackets.SCHEMA.layout(), (w, needed) -> {
            throw new AssertionError("no room for " + needed);
        });
        writer.open(segment.bytes(), 0, segment.capacity());
        for (int k = 0; k < packets; k++) {
            ChannelPackets.write(writer, k, payload);
        }
        segment.end = writer.position();
        segment.packets = packets;
        segment.origin = 99;
        return segment;
    }

    /** Packets of several lengths, which are compressed as they are. */
    private Segment mixed() {
        Segment one = data(400, 34);
        Segment two = data(300, 80);
        Segment segment = pool.take(one.size() + two.size());
        System.arraycopy(one.bytes(), 0, segment.bytes(), 0, one.size());
        System.arraycopy(two.bytes(), 0, segment.bytes(), one.size(), two.size());
        segment.end = one.size() + two.size();
        segment.packets = 700;
        one.release();
        two.release();
        return segment;
    }

    private Compressor compressor(CompressionSpec.Mode mode) {
        return new Compressor(new CompressionSpec(mode, 6), pool, () -> 0);
    }

    private byte[] encode(CompressionSpec.Mode mode, int bufferBytes, List<Segment> segments) {
        FrameWriter writer = new FrameWriter(ID.number(), ID.attempt().number(), compressor(mode), counters);
        ByteBuf all = Unpooled.buffer();
        for (Segment segment : segments) {
            writer.begin(segment);
            Segment whole;
            do {
                ByteBuf part = Unpooled.buffer(bufferBytes, bufferBytes);
                whole = writer.fill(part);
                all.writeBytes(part);
            } while (whole == null);
            whole.release();
        }
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        return bytes;
    }

    private List<Segment> sample() {
        return List.of(data(3, 34), pool.signal(SegmentKind.WATERMARK, -5, true), data(900, 34),
                pool.signal(SegmentKind.IDLE, 0, false), pool.signal(SegmentKind.BARRIER, 3, false), data(1, 70_000), mixed(),
                pool.signal(SegmentKind.END, 1, false));
    }

    private static List<String> texts(List<Segment> segments) {
        return segments.stream().map(s -> s.kind + " " + s.packets + " " + s.origin + " " + s.exact + " " + s.value + " "
                + Arrays.hashCode(Arrays.copyOfRange(s.bytes(), s.start, s.end))).toList();
    }

    @Property(tries = 60)
    void whatIsWrittenIsReadHoweverItIsCut(@ForAll long seed, @ForAll boolean compressed) throws Exception {
        RandomGenerator random = new SplittableRandom(seed);
        List<Segment> sent = sample();
        List<String> expected = texts(sent);
        byte[] bytes = encode(compressed ? CompressionSpec.Mode.ALWAYS : CompressionSpec.Mode.NEVER,
                random.nextInt(1, 40_000), sent);
        Collector collector = new Collector();
        FrameReader reader = new FrameReader(ID.number(), ID.attempt().number(), MOST, collector);
        int at = 0;
        while (at < bytes.length) {
            int n = Math.min(bytes.length - at, random.nextInt(1, 20_000));
            assertTrue(reader.read(Unpooled.wrappedBuffer(bytes, at, n)));
            at += n;
        }
        assertEquals(expected, texts(collector.segments));
        assertTrue(reader.hasEnded());
        collector.release();
        reader.close();
        assertEquals(Map.of(), pool.leaks());
    }

    @Property(tries = 400)
    void anyChangedByteIsNoticed(@ForAll long seed, @ForAll boolean compressed) {
        RandomGenerator random = new SplittableRandom(seed);
        byte[] bytes = encode(compressed ? CompressionSpec.Mode.ALWAYS : CompressionSpec.Mode.NEVER, 64 << 10, sample());
        int at = random.nextInt(bytes.length);
        bytes[at] ^= (byte) (1 << random.nextInt(8));
        Collector collector = new Collector();
        FrameReader reader = new FrameReader(ID.number(), ID.attempt().number(), MOST, collector);
        // A longer length waits for bytes that never come: that is an unfinished frame, not a read one.
        try {
            reader.read(Unpooled.wrappedBuffer(bytes));
            assertTrue(collector.segments.size() < 8, "byte " + at + " was changed and nobody saw it");
        } catch (FrameException e) {
            assertTrue(e.getMessage().length() > 10);
        }
        collector.release();
        reader.close();
        assertEquals(Map.of(), pool.leaks());
    }

    @Property(tries = 300)
    void arbitraryBytesNeitherCrashNorTakeMuchMemory(@ForAll byte[] noise, @ForAll boolean framed) {
        byte[] bytes = noise;
        if (framed && noise.length > 0) {
            // A well-formed frame around noise gets as far as the walk over its packets.
            FrameHeader header = new FrameHeader().of(0, CHANNEL, 0).attempt(1).packets(1, 0).payload(noise, 0, noise.length,
                    noise.length);
            bytes = Arrays.copyOf(header.bytes, FrameHeader.BYTES + noise.length);
            System.arraycopy(noise, 0, bytes, FrameHeader.BYTES, noise.length);
        }
        Collector collector = new Collector();
        FrameReader reader = new FrameReader(ID.number(), ID.attempt().number(), MOST, collector);
        try {
            reader.read(Unpooled.wrappedBuffer(bytes));
        } catch (FrameException e) {
            assertTrue(collector.asked <= 2L * MOST);
        }
        collector.release();
        reader.close();
        assertEquals(Map.of(), pool.leaks());
    }

    @Property(tries = 400)
    void arbitraryCompressedBytesNeitherCrashNorTakeMuchMemory(@ForAll byte[] noise, @ForAll long seed, @ForAll boolean begun) {
        RandomGenerator random = new SplittableRandom(seed);
        byte[] payload = noise;
        if (begun) {
            // What decompresses, for a while.
            byte[] good = encode(CompressionSpec.Mode.ALWAYS, 64 << 10, List.of(data(random.nextInt(16, 100), 34)));
            payload = Arrays.copyOfRange(good, FrameHeader.BYTES, good.length + noise.length % 8);
            System.arraycopy(noise, 0, payload, payload.length - noise.length % 8, noise.length % 8);
        }
        int packets = random.nextInt(1, 200);
        int raw = random.nextBoolean() ? packets * random.nextInt(1, 700) : random.nextInt(MOST + 10);
        FrameHeader header = new FrameHeader().of(0, CHANNEL, 0).attempt(1).packets(packets, 0)
                .flags(random.nextBoolean() ? FrameHeader.COMPRESSED | FrameHeader.SHUFFLED : FrameHeader.COMPRESSED)
                .payload(payload, 0, payload.length, raw);
        byte[] bytes = Arrays.copyOf(header.bytes, FrameHeader.BYTES + payload.length);
        System.arraycopy(payload, 0, bytes, FrameHeader.BYTES, payload.length);
        Collector collector = new Collector();
        FrameReader reader = new FrameReader(ID.number(), ID.attempt().number(), MOST, collector);
        try {
            reader.read(Unpooled.wrappedBuffer(bytes));
        } catch (FrameException e) {
            assertTrue(e.getMessage().length() > 10);
        }
        assertTrue(collector.asked <= 3L * MOST, "asked for " + collector.asked);
        collector.release();
        reader.close();
        assertEquals(Map.of(), pool.leaks());
    }

    @Test
    void saysWhatIsWrong() {
        refused(b -> b[b.length - 1]++, "has CRC32C");
        refused(b -> Bytes.putInt(b, 0, 47), "frame length 47; this connection takes 48 to 131120");
        refused(b -> Bytes.putInt(b, 0, -1), "frame length -1");
        refused(b -> Bytes.putInt(b, 0, Integer.MAX_VALUE), "frame length 2147483647");
        refused(b -> b[4] = 2, "frame version 2; this resource speaks 1");
        refused(b -> Bytes.putInt(b, 12, 0), "frame of attempt 0 on a connection of attempt 1");
        refused(b -> Bytes.putInt(b, 12, 2), "frame of attempt 2 on a connection of attempt 1");
        refused(b -> b[5] = 9, "frame kind 9; known are 0 to 5");
        refused(b -> b[5] = 5, "packet count 2 in a frame of kind 5");
        refused(b -> b[6] = 8, "frame flags 8; known are 7");
        refused(b -> b[6] = 4, "shuffled frame of kind 0 with 2 packets in raw length 102, not compressed");
        refused(b -> b[6] = 1, "raw length 102 with 102 compressed bytes");
        refused(b -> b[8] = 8, "frame of channel 8 on the connection of channel 7");
        refused(b -> b[16] = 1, "frame 1 where frame 0 must follow");
        refused(b -> Bytes.putInt(b, 28, 101), "raw length 101 with 102 bytes");
        refused(b -> Bytes.putInt(b, 24, 0), "packet count 0");
        refused(b -> {
            Bytes.putInt(b, 24, 3);
            seal(b, 102);
        }, "end at 102 of 102 bytes, 2 of 3");
        refused(b -> {
            b[FrameHeader.BYTES] = 120;
            seal(b, 102);
        }, "end at 121 of 102 bytes, 1 of 2");
        refused(b -> {
            b[b.length - 1] = -1;
            b[FrameHeader.BYTES + 51] = 49;
            seal(b, 102);
        }, "ends within a packet's length");
    }

    @Test
    void refusesWhatDecompressesToAnotherLength() {
        byte[] bytes = encode(CompressionSpec.Mode.ALWAYS, 64 << 10, List.of(data(900, 34)));
        int raw = Bytes.getInt(bytes, 28);
        assertEquals(FrameHeader.COMPRESSED | FrameHeader.SHUFFLED, bytes[6]);
        for (int wrong : new int[] {raw + 900, raw - 900}) {
            byte[] changed = bytes.clone();
            seal(changed, wrong);
            assertTrue(message(changed).contains("decompress"), message(changed));
        }
        byte[] uneven = bytes.clone();
        seal(uneven, raw + 1);
        assertEquals("shuffled frame of kind 0 with 900 packets in raw length " + (raw + 1), message(uneven));
        byte[] other = bytes.clone();
        Bytes.putInt(other, 24, 450);
        seal(other, raw);
        assertTrue(message(other).contains("frame 0"), message(other));
        byte[] plain = bytes.clone();
        plain[6] = FrameHeader.COMPRESSED;
        seal(plain, raw);
        assertTrue(message(plain).contains("frame 0"), message(plain));
        byte[] noise = bytes.clone();
        Arrays.fill(noise, FrameHeader.BYTES, noise.length, (byte) 0xff);
        seal(noise, raw);
        assertTrue(message(noise).contains("does not decompress"));
    }

    @Test
    void refusesAFrameAfterTheEnd() {
        byte[] bytes = encode(CompressionSpec.Mode.NEVER, 64 << 10,
                List.of(pool.signal(SegmentKind.END, 0, false), pool.signal(SegmentKind.IDLE, 0, false)));
        assertEquals("frame after the end of the channel", message(bytes));
    }

    @Test
    void fiftyBytePacketsStayUnderFiftySixOnTheWire() {
        Segment full = data(1285, ChannelPackets.PAYLOAD);
        assertEquals(65_535, full.size());
        byte[] bytes = encode(CompressionSpec.Mode.NEVER, 128 << 10, List.of(full));
        assertEquals(bytes.length, counters.bytesOnWire.get());
        assertTrue(bytes.length / 1285.0 < 51.1);
    }

    @Test
    void aSegmentThatIsPassedOnKeepsTheChecksumItCameWith() throws Exception {
        byte[] first = encode(CompressionSpec.Mode.NEVER, 64 << 10, List.of(data(900, 34)));
        Collector collector = new Collector();
        assertTrue(new FrameReader(ID.number(), ID.attempt().number(), MOST, collector).read(Unpooled.wrappedBuffer(first)));
        assertArrayEquals(first, encode(CompressionSpec.Mode.NEVER, 64 << 10, collector.segments));
        collector.segments.clear();

        assertTrue(new FrameReader(ID.number(), ID.attempt().number(), MOST, collector).read(Unpooled.wrappedBuffer(first)));
        collector.segments.get(0).bytes()[40]++;
        byte[] spoilt = encode(CompressionSpec.Mode.NEVER, 64 << 10, collector.segments);
        collector.segments.clear();
        assertTrue(message(spoilt).contains("its payload has CRC32C"), message(spoilt));

        byte[] packed = encode(CompressionSpec.Mode.ALWAYS, 64 << 10, List.of(data(900, 34)));
        assertTrue(new FrameReader(ID.number(), ID.attempt().number(), MOST, collector).read(Unpooled.wrappedBuffer(packed)));
        assertEquals(Segment.UNKNOWN, collector.segments.get(0).checksum);
        collector.release();
        Segment again = pool.take(65_000);
        assertEquals(Segment.UNKNOWN, again.checksum);
        again.release();
        assertEquals(Map.of(), pool.leaks());
    }

    @Test
    void controlFramesAreCheckedToo() throws Exception {
        ByteBuf good = ControlFrames.write(Unpooled.buffer(), 1, 0, "hello".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        byte[] bytes = new byte[good.readableBytes()];
        good.getBytes(0, bytes);
        assertArrayEquals("hello".getBytes(java.nio.charset.StandardCharsets.UTF_8), new ControlFrames(100, 1).read(good));
        assertTrue(assertThrows(FrameException.class,
                () -> new ControlFrames(4, 1).read(Unpooled.wrappedBuffer(bytes))).getMessage()
                .contains("frame length"));
        bytes[FrameHeader.BYTES]++;
        assertTrue(assertThrows(FrameException.class,
                () -> new ControlFrames(100, 1).read(Unpooled.wrappedBuffer(bytes))).getMessage()
                .contains("CRC32C"));
    }

    /** Makes the checksum right again after a change. */
    private static void seal(byte[] bytes, int raw) {
        FrameHeader header = new FrameHeader();
        System.arraycopy(bytes, 0, header.bytes, 0, FrameHeader.BYTES);
        header.payload(bytes, FrameHeader.BYTES, bytes.length - FrameHeader.BYTES, raw);
        System.arraycopy(header.bytes, 0, bytes, 0, FrameHeader.BYTES);
    }

    private void refused(Consumer<byte[]> change, String message) {
        byte[] bytes = encode(CompressionSpec.Mode.NEVER, 64 << 10, List.of(data(2, 34)));
        change.accept(bytes);
        FrameHeader header = new FrameHeader();
        System.arraycopy(bytes, 0, header.bytes, 0, FrameHeader.BYTES);
        System.arraycopy(header.seal().bytes, 0, bytes, 0, FrameHeader.BYTES);
        String found = message(bytes);
        assertTrue(found.contains(message), found);
    }

    private String message(byte[] bytes) {
        Collector collector = new Collector();
        FrameReader reader = new FrameReader(ID.number(), ID.attempt().number(), MOST, collector);
        try {
            return assertThrows(FrameException.class, () -> reader.read(Unpooled.wrappedBuffer(bytes))).getMessage();
        } finally {
            reader.close();
            collector.release();
            assertEquals(Map.of(), pool.leaks());
        }
    }
}
