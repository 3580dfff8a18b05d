package io.despina.wire;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.link.CompressionSpec;
import java.util.function.LongSupplier;

/**
 * Decides per segment whether it goes compressed (LZ4), and does it. NEPTUNE's rule (III-B5): only if a sample's byte
 * entropy is under a threshold. {@code ADAPTIVE} asks also that the socket has been the limit lately, and that the bytes
 * saved cost the socket more time than compressing and decompressing costs the processors. Decided anew with every window of
 * {@link #WINDOW_NANOS}, so it follows the stream and the link. Used by one IO thread.
 */
final class Compressor {
    /** Shorter ones are not worth a try. */
    private static final int LEAST = 256;
    /** Longer ones go as they are: their scratch would be another oversize segment. */
    private static final int MOST = SegmentPool.LARGEST / 2;
    static final long WINDOW_NANOS = 20_000_000;
    /** Decompressing takes about this part of compressing's time, on the other side. */
    private static final double DECOMPRESSION = 0.35;
    /** The socket is the limit if this part of a window, or more, was spent waiting for it. */
    private static final double HELD_UP = 0.1;
    /** What was measured of the socket is forgotten after so many windows in which it was not the limit. */
    private static final int FORGET = 50;

    private final CompressionSpec spec;
    private final SegmentPool pool;
    private final LongSupplier clock;
    private final Entropy entropy = new Entropy();

    private boolean on;
    private boolean tryNow;
    private long windowStart;
    private long windowBytes;
    private long windowBlocked;
    private int freeWindows;
    /** What the socket took per byte when it was the limit; 0 if it was not, lately. */
    private double socketNanosPerByte;

    Compressor(CompressionSpec spec, SegmentPool pool, LongSupplier clock) {
        this.spec = spec;
        this.pool = pool;
        this.clock = clock;
        windowStart = clock.getAsLong();
    }

    /** @return the compressed bytes as [0, end) of a segment for the caller to release; or null to send it as it is */
    Segment compress(Segment segment) {
        int size = segment.size();
        if (spec.mode() == CompressionSpec.Mode.NEVER || size < LEAST || size > MOST) {
            return null;
        }
        return switch (spec.mode()) {
            case ALWAYS -> pack(segment);
            case ENTROPY -> isLow(segment) ? pack(segment) : null;
            default -> adapt(segment);
        };
    }

    /**
     * What the socket did.
     *
     * @param bytes   that it took
     * @param blocked nanoseconds that this took because it, not the receiving task, was slow
     */
    void wrote(long bytes, long blocked) {
        if (spec.mode() != CompressionSpec.Mode.ADAPTIVE) {
            return;
        }
        windowBytes += bytes;
        windowBlocked += blocked;
        long now = clock.getAsLong();
        long span = now - windowStart;
        if (span < WINDOW_NANOS) {
            return;
        }
        if (windowBlocked >= HELD_UP * span) {
            socketNanosPerByte = (double) span / Math.max(1, windowBytes);
            freeWindows = 0;
        } else if (++freeWindows > FORGET) {
            socketNanosPerByte = 0;
        }
        windowStart = now;
        windowBytes = 0;
        windowBlocked = 0;
        tryNow = true;
    }

    private Segment adapt(Segment segment) {
        if (socketNanosPerByte == 0 || !on && !tryNow) {
            on = false;
            return null;
        }
        if (!tryNow) {
            return pack(segment);
        }
        tryNow = false;
        on = false;
        if (!isLow(segment)) {
            return null;
        }
        long begin = clock.getAsLong();
        Segment packed = pack(segment);
        double cost = (clock.getAsLong() - begin) * (1 + DECOMPRESSION);
        on = packed != null && (segment.size() - packed.end) * socketNanosPerByte > cost;
        return packed;
    }

    private boolean isLow(Segment segment) {
        return entropy.bits(segment.bytes(), segment.start, segment.end) < spec.belowBits();
    }

    private Segment pack(Segment segment) {
        int size = segment.size();
        Segment packed = pool.tryTake(Lz4.COMPRESSOR.maxCompressedLength(size));
        if (packed == null) {
            return null;
        }
        int length = Lz4.COMPRESSOR.compress(segment.bytes(), segment.start, size, packed.bytes(), 0);
        if (length >= size) {
            packed.release();
            return null;
        }
        packed.end = length;
        return packed;
    }
}
