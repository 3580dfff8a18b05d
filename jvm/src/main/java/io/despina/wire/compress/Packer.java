package io.despina.wire.compress;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;

/**
 * Packs segments with LZ4, shuffled first ({@link Shuffle}) where that makes them smaller. Both ways are tried now and then,
 * less often the longer the same one wins. Used by one IO thread.
 */
final class Packer {
    /** Fewer packets give no long runs. */
    private static final int LEAST_PACKETS = 16;
    /** Plain is usually several times slower: shuffled wins unless plain saves this part of its size. */
    private static final double PLAIN_SAVES = 0.1;
    /** Segments between two tries, at most. */
    private static final int MOST_BETWEEN = 1024;

    private final SegmentPool pool;
    private boolean shuffles = true;
    private int between = 1;
    private int left;
    private boolean shuffled;

    Packer(SegmentPool pool) {
        this.pool = pool;
    }

    /** Whether what {@link #pack} gave last is shuffled. */
    boolean isShuffled() {
        return shuffled;
    }

    /**
     * @return the packed bytes as [0, end) of a segment for the caller to release; null if they are not fewer, or if there is no
     *         memory
     */
    Segment pack(Segment segment) {
        if (!isShufflable(segment)) {
            return plain(segment);
        }
        if (--left < 0) {
            return smaller(segment);
        }
        return shuffles ? shuffle(segment) : plain(segment);
    }

    private Segment smaller(Segment segment) {
        Segment transposed = shuffle(segment);
        Segment plain = plain(segment);
        boolean wins = plain == null || transposed != null && transposed.end * (1 - PLAIN_SAVES) <= plain.end;
        between = wins == shuffles ? Math.min(2 * between, MOST_BETWEEN) : 1;
        shuffles = wins;
        left = between;
        Segment loser = wins ? plain : transposed;
        if (loser != null) {
            loser.release();
        }
        shuffled = wins;
        return wins ? transposed : plain;
    }

    /** A heuristic: whether all packets have one length. A wrong guess costs compression ratio, not correctness. */
    private static boolean isShufflable(Segment segment) {
        int length = segment.size() / segment.packets;
        byte[] bytes = segment.bytes();
        return segment.packets >= LEAST_PACKETS && length * segment.packets == segment.size()
                && bytes[segment.start] == bytes[segment.end - length];
    }

    private Segment shuffle(Segment segment) {
        Segment scratch = pool.tryTake(segment.size());
        if (scratch == null) {
            return null;
        }
        Shuffle.transpose(segment.bytes(), segment.start, scratch.bytes(), segment.packets, segment.size() / segment.packets);
        Segment packed = lz4(scratch.bytes(), 0, segment.size());
        scratch.release();
        shuffled = true;
        return packed;
    }

    private Segment plain(Segment segment) {
        shuffled = false;
        return lz4(segment.bytes(), segment.start, segment.size());
    }

    private Segment lz4(byte[] bytes, int from, int size) {
        Segment packed = pool.tryTake(Lz4.COMPRESSOR.maxCompressedLength(size));
        if (packed == null) {
            return null;
        }
        packed.end = Lz4.COMPRESSOR.compress(bytes, from, size, packed.bytes(), 0);
        if (packed.end >= size) {
            packed.release();
            return null;
        }
        return packed;
    }
}
