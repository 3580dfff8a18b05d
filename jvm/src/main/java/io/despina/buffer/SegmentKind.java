package io.despina.buffer;

/** What a segment says; its ordinal is the frame's kind on the wire. */
public enum SegmentKind {
    /** Packets. */
    DATA,
    /** No packet with an event time before {@link Segment#value} follows. */
    WATERMARK,
    /** The channel is idle: leave it out of the least watermark until something else comes. */
    IDLE,
    /** A snapshot's barrier: {@link Segment#value} is its epoch. */
    BARRIER,
    /** Nothing follows. {@link Segment#value} is {@link Segment#COMPLETE} or {@link Segment#STOPPED}. */
    END
}
