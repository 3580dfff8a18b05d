package io.despina.buffer;

/** What a segment carries; the ordinal is the frame's kind on the wire. */
public enum SegmentKind {
    /** Packets. */
    DATA,
    /** No packet with an event time before {@link Segment#value} follows. */
    WATERMARK,
    /** The channel is idle: it does not count for the least watermark until something else arrives. */
    IDLE,
    /** A snapshot's barrier: {@link Segment#value} is its epoch. */
    BARRIER,
    /** Nothing follows. {@link Segment#value} is {@link Segment#COMPLETE} or {@link Segment#STOPPED}. */
    END
}
