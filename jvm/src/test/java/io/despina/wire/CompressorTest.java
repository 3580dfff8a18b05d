package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.link.CompressionSpec;
import io.despina.link.CompressionSpec.Mode;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** When compression is tried and when it is kept, on a clock of our own. */
class CompressorTest {
    private static final int SIZE = 64 << 10;

    private final SegmentPool pool = new SegmentPool(new Budget(8 << 20));
    private final Segment sensors = sensors();
    private final Segment random = random();
    /** Nanoseconds; each look at the clock costs {@link #perLook}, so that compressing takes time. */
    private long now;
    private long perLook;

    private Segment sensors() {
        Segment segment = pool.take(SIZE);
        for (int k = 0; k < SIZE; k++) {
            segment.bytes()[k] = (byte) (k % 50 < 42 ? k % 50 : k / 500);
        }
        segment.end = SIZE;
        return segment;
    }

    private Segment random() {
        Segment segment = pool.take(SIZE);
        new SplittableRandom(1).nextBytes(segment.bytes());
        segment.end = SIZE;
        return segment;
    }

    private Compressor compressor(Mode mode) {
        return new Compressor(new CompressionSpec(mode, 6), pool, () -> now += perLook);
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
        assertNull(compressor(Mode.ALWAYS).compress(tiny));
    }

    @Test
    void entropyFollowsTheStream() {
        Compressor compressor = compressor(Mode.ENTROPY);
        assertTrue(compresses(compressor, sensors));
        assertNull(compressor.compress(random));
        assertTrue(compresses(compressor, sensors));
    }

    /** One window in which the socket took {@code nanosPerByte}, {@code blocked} of the time held up. */
    private void window(Compressor compressor, double nanosPerByte, double blocked) {
        long span = Compressor.WINDOW_NANOS;
        now += span;
        compressor.wrote((long) (span / nanosPerByte), (long) (span * blocked));
    }

    @Test
    void adaptiveCompressesOnlyWhileTheSocketIsTheLimitAndItPays() {
        perLook = 100_000;
        Compressor compressor = compressor(Mode.ADAPTIVE);
        assertNull(compressor.compress(sensors), "nothing known of the socket");
        window(compressor, 8, 0.01);
        assertNull(compressor.compress(sensors), "the socket is not the limit");
        window(compressor, 8, 0.9);
        assertTrue(compresses(compressor, sensors));
        assertTrue(compresses(compressor, sensors));
        window(compressor, 8, 0.9);
        assertNull(compressor.compress(random), "the stream has changed");
        assertNull(compressor.compress(random));
        window(compressor, 8, 0.9);
        assertTrue(compresses(compressor, sensors), "and changed back");
        window(compressor, 1, 0.9);
        Segment sample = compressor.compress(sensors);
        assertNotNull(sample, "the sample itself is sent compressed");
        sample.release();
        assertNull(compressor.compress(sensors), "a fast socket: it costs more than it saves");
    }

    @Test
    void adaptiveForgetsALinkThatIsNoLongerTheLimit() {
        perLook = 1000;
        Compressor compressor = compressor(Mode.ADAPTIVE);
        window(compressor, 8, 0.9);
        assertTrue(compresses(compressor, sensors));
        window(compressor, 8, 0);
        assertTrue(compresses(compressor, sensors), "it may be free because of the compression");
        for (int k = 0; k < 60; k++) {
            window(compressor, 8, 0);
        }
        assertNull(compressor.compress(sensors));
    }
}
