package io.despina.log;

/** A segment of a log, and what of it counts: items up to {@code end}. Guarded by its log. */
final class LogSegment {
    final SegmentName name;
    /** {@link Long#MAX_VALUE} while it is written. */
    long end;
    long bytes;

    LogSegment(SegmentName name, long end, long bytes) {
        this.name = name;
        this.end = end;
        this.bytes = bytes;
    }

    long first() {
        return name.first();
    }
}
