package io.despina.log;

import java.util.concurrent.TimeUnit;

/**
 * How much a log takes, and how long it gathers.
 *
 * @param mostBytes    in its segments, before there is no room; it may be a record more
 * @param segmentBytes before the next segment begins
 * @param gatherNanos  from the first record that is not written to the write
 */
public record LogOptions(long mostBytes, long segmentBytes, long gatherNanos) {
    private static final long SEGMENTS = 16;
    private static final long LEAST_SEGMENT = 1 << 18;
    private static final long MOST_SEGMENT = 64 << 20;
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Segments small enough that a cut gives bytes back soon. */
    public static LogOptions of(long mostBytes) {
        return new LogOptions(mostBytes, Math.max(LEAST_SEGMENT, Math.min(MOST_SEGMENT, mostBytes / SEGMENTS)), GATHER_NANOS);
    }
}
