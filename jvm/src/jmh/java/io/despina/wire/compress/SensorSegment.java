package io.despina.wire.compress;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.packet.Bytes;
import java.util.SplittableRandom;

/** Full segments to compress: readings as a slow machine gives them at 100 Hz, and packets of random bytes. */
public final class SensorSegment {
    static final int PACKET = 84;
    static final int PACKETS = (64 << 10) / PACKET;

    private SensorSegment() {
    }

    /** A time stamp, a counter, six sensors with noise, ten that stand still: the DEBS 2012 readings' form. */
    public static Segment readings(SegmentPool pool) {
        SplittableRandom random = new SplittableRandom(1);
        Segment segment = pool.take(PACKETS * PACKET);
        byte[] bytes = segment.bytes();
        int[] sensors = {13056, 14406, 8119, 71, 193, 150};
        for (int k = 0; k < PACKETS; k++) {
            int at = k * PACKET;
            Bytes.putInt(bytes, at, PACKET - 1);
            Bytes.putLong(bytes, at + 4, 1_329_929_188_967_032L + 10_000L * k + random.nextInt(-60, 60));
            Bytes.putLong(bytes, at + 12, 2_556_001 + k);
            for (int s = 0; s < sensors.length; s++) {
                sensors[s] += random.nextInt(-3, 4);
                Bytes.putInt(bytes, at + 20 + 4 * s, sensors[s]);
            }
        }
        return filled(segment);
    }

    static Segment random(SegmentPool pool) {
        Segment segment = pool.take(PACKETS * PACKET);
        new SplittableRandom(1).nextBytes(segment.bytes());
        for (int k = 0; k < PACKETS; k++) {
            segment.bytes()[k * PACKET] = PACKET - 1;
        }
        return filled(segment);
    }

    private static Segment filled(Segment segment) {
        segment.end = PACKETS * PACKET;
        segment.packets = PACKETS;
        return segment;
    }
}
