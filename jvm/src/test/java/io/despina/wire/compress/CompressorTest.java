package io.despina.wire.compress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.packet.Bytes;
import io.despina.spec.CompressionSpec;
import io.despina.spec.CompressionSpec.Mode;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** When compression is tried and when it is kept, on a clock of our own. */
class CompressorTest {
    private static final int SIZE = 64 << 10;

    private final SegmentPool pool = new SegmentPool(new Budget(8 << 20));
    private final Segment sensors = sensors();
    private final Segment random = random();
    /** Nanoseconds. */
    private long now;

    private Segment sensors() {
        Segment segment = pool.take(SIZE);
        for (int k = 0; k < SIZE; k++) {
            segment.bytes()[k] = (byte) (k % 50 < 42 ? k % 50 : k / 500);
        }
        segment.end = SIZE;
        segment.packets = 1;
        return segment;
    }

    private Segment random() {
        Segment segment = pool.take(SIZE);
        new SplittableRandom(1).nextBytes(segment.bytes());
        segment.end = SIZE;
        segment.packets = 1;
        return segment;
    }

    private Compressor compressor(Mode mode) {
        return new Compressor(new CompressionSpec(mode, 6), pool, () -> now);
    }

    private boolean compresses(Compressor compressor, Segment segment) {
        Segment packed = compressor.compress(segment);
        if (packed == null) {
            return false;
        }
        assertTrue(packed.end < segment.size());
        packed.release();
        return true;
    }

    @Test
    void entropyIsThatOfTheBytes() {
        Entropy entropy = new Entropy();
        assertEquals(0, entropy.bits(new byte[5000], 0, 5000), 1e-9);
        byte[] two = new byte[1024];
        for (int k = 0; k < 1024; k += 2) {
            two[k] = 1;
        }
        assertEquals(1, entropy.bits(two, 0, 1024), 1e-9);
        byte[] all = new byte[256];
        for (int k = 0; k < 256; k++) {
            all[k] = (byte) k;
        }
        assertEquals(8, entropy.bits(all, 0, 256), 1e-9);
        assertTrue(entropy.bits(random.bytes(), 0, SIZE) > 7.5);
        assertTrue(entropy.bits(sensors.bytes(), 0, SIZE) < 6);
    }

    @Test
    void alwaysAndNeverDoAsTheySay() {
        assertTrue(compresses(compressor(Mode.ALWAYS), sensors));
        assertNull(compressor(Mode.ALWAYS).compress(random), "what does not shrink goes as it is");
        assertNull(compressor(Mode.NEVER).compress(sensors));
        Segment tiny = pool.take(100);
        tiny.end = 100;
        tiny.packets = 1;
        assertNull(compressor(Mode.ALWAYS).compress(tiny));
    }

    @Test
    void entropyFollowsTheStream() {
        Compressor compressor = compressor(Mode.ENTROPY);
        assertTrue(compresses(compressor, sensors));
        assertNull(compressor.compress(random));
        assertTrue(compresses(compressor, sensors));
    }

    /** A link of 8 nanoseconds a byte, or the processors, which take 1 for a byte of packets and 2 for a compressed one. */
    private final class Sender {
        final Compressor compressor = compressor(Mode.ADAPTIVE);
        double linkNanosPerByte = 8;
        double held = 0.95;
        int compressed;
        int segments;

        void sends(Segment segment, int times) {
            compressed = 0;
            segments = times;
            for (int k = 0; k < times; k++) {
                send(segment);
            }
        }

        private void send(Segment segment) {
            Segment packed = compressor.compress(segment);
            int bytes = packed == null ? segment.size() : packed.end;
            double processors = segment.size() * (packed == null ? 1 : 2);
            double link = bytes * linkNanosPerByte;
            now += (long) Math.max(processors, link);
            if (packed != null) {
                compressed++;
                packed.release();
            }
            compressor.wrote(bytes, link > processors ? (long) (link * held) : 0);
        }

        /** Of the segments sent last, the part that was compressed. */
        double part() {
            return (double) compressed / segments;
        }
    }

    private static final int SECOND = 2000;

    @Test
    void adaptiveCompressesWhereTheLinkIsTheLimit() {
        Sender sender = new Sender();
        sender.sends(sensors, SECOND);
        sender.sends(sensors, SECOND);
        assertTrue(sender.part() > 0.9, "compressed " + sender.part());
    }

    @Test
    void adaptiveLeavesAloneWhatDoesNotShrink() {
        Sender sender = new Sender();
        sender.sends(random, SECOND);
        assertEquals(0, sender.compressed);
    }

    @Test
    void adaptiveHardlyTriesWhereProcessorsAreTheLimit() {
        Sender sender = new Sender();
        sender.linkNanosPerByte = 0.5;
        sender.sends(sensors, SECOND);
        assertEquals(0, sender.compressed, "the socket is never waited for");
        sender.linkNanosPerByte = 1.1;
        sender.sends(sensors, 20 * SECOND);
        sender.sends(sensors, 20 * SECOND);
        assertTrue(sender.part() < 0.02, "compressed " + sender.part());
    }

    @Test
    void adaptiveFollowsTheStream() {
        Sender sender = new Sender();
        sender.sends(sensors, 2 * SECOND);
        sender.sends(random, SECOND);
        sender.sends(random, SECOND);
        assertEquals(0, sender.compressed);
        sender.sends(sensors, 4 * SECOND);
        sender.sends(sensors, 2 * SECOND);
        assertTrue(sender.part() > 0.9, "compressed " + sender.part());
    }

    @Test
    void adaptiveStopsWhenTheLinkIsNoLongerTheLimit() {
        Sender sender = new Sender();
        sender.sends(sensors, 4 * SECOND);
        sender.linkNanosPerByte = 0.5;
        sender.sends(sensors, 40 * SECOND);
        sender.sends(sensors, SECOND);
        assertEquals(0, sender.compressed);
    }

    @Test
    void adaptiveDoesNotTakeASlowReceivingTaskForASlowLink() {
        Sender sender = new Sender();
        sender.held = 0;
        sender.sends(sensors, 4 * SECOND);
        assertEquals(0, sender.compressed);
    }

    @Test
    void packetsOfOneLengthAreShuffledWhereThatIsSmaller() {
        Packer packer = new Packer(pool);
        for (int k = 0; k < 3; k++) {
            Segment packed = packer.pack(counted());
            assertTrue(packer.isShuffled());
            packed.release();
        }
        for (int k = 0; k < 3; k++) {
            Segment packed = packer.pack(repeated());
            assertNotNull(packed);
            packed.release();
        }
        assertFalse(packer.isShuffled(), "whole packets that come again are found unshuffled");
    }

    /** Packets of 64 bytes whose second number counts, the others are constant. */
    private Segment counted() {
        Segment segment = pool.take(SIZE);
        for (int k = 0; k < SIZE; k += 64) {
            Bytes.putLong(segment.bytes(), k, 63 | (k * 7919L) << 8);
        }
        segment.end = SIZE;
        segment.packets = SIZE / 64;
        return segment;
    }

    /** Eight random packets, in no order, again and again. */
    private Segment repeated() {
        Segment segment = pool.take(SIZE);
        SplittableRandom order = new SplittableRandom(2);
        for (int k = 0; k < SIZE; k += 64) {
            System.arraycopy(random.bytes(), 64 * order.nextInt(8), segment.bytes(), k, 64);
            segment.bytes()[k] = 63;
        }
        segment.end = SIZE;
        segment.packets = SIZE / 64;
        return segment;
    }
}
