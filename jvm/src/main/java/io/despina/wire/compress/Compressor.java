package io.despina.wire.compress;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.spec.CompressionSpec;
import java.util.function.LongSupplier;

/**
 * Decides for each segment whether to compress it, and compresses it. {@code ENTROPY} is NEPTUNE's rule (III-B5): only if a
 * sample's byte entropy is under a threshold. {@code ADAPTIVE} compresses while packets get through faster that way (
 * {@link CompressionTrials}). Used by one IO thread.
 */
public final class Compressor {
    /** Shorter segments are not compressed. */
    private static final int LEAST = 256;
    /** Longer segments are not compressed: the result would need another oversize segment. */
    private static final int MOST = SegmentPool.LARGEST / 2;
    /** A trial begins only if a sample gets smaller by this part. */
    private static final double PROMISING = 0.1;

    private final CompressionSpec spec;
    private final Packer packer;
    private final CompressionTrials trials;
    private final Entropy entropy = new Entropy();

    public Compressor(CompressionSpec spec, SegmentPool pool, LongSupplier clock) {
        this.spec = spec;
        packer = new Packer(pool);
        trials = new CompressionTrials(clock);
    }

    /** @return the compressed bytes as [0, end) of a segment for the caller to release; or null to send it as it is */
    public Segment compress(Segment segment) {
        int size = segment.size();
        boolean adaptive = spec.mode() == CompressionSpec.Mode.ADAPTIVE;
        if (adaptive) {
            trials.framed(size);
        }
        if (spec.mode() == CompressionSpec.Mode.NEVER || size < LEAST || size > MOST) {
            return null;
        }
        if (adaptive) {
            return trials.wantsSample() ? sample(segment) : trials.compresses() ? packer.pack(segment) : null;
        }
        return spec.mode() == CompressionSpec.Mode.ALWAYS || isLow(segment) ? packer.pack(segment) : null;
    }

    /** Whether what {@link #compress} gave last is shuffled. */
    public boolean isShuffled() {
        return packer.isShuffled();
    }

    /**
     * The socket has taken bytes.
     *
     * @param bytes   how many
     * @param blocked nanoseconds that this took because the socket, not the receiving task, was slow
     */
    public void wrote(long bytes, long blocked) {
        if (spec.mode() == CompressionSpec.Mode.ADAPTIVE) {
            trials.wrote(bytes, blocked);
        }
    }

    private Segment sample(Segment segment) {
        Segment packed = packer.pack(segment);
        trials.sampled(packed != null && packed.end < (1 - PROMISING) * segment.size());
        return packed;
    }

    private boolean isLow(Segment segment) {
        return entropy.bits(segment.bytes(), segment.start, segment.end) < spec.belowBits();
    }
}
