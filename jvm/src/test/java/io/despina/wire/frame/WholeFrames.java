package io.despina.wire.frame;

import io.despina.buffer.SegmentKind;
import java.util.Arrays;

/** Whole frames as bytes, for tests that write to a socket themselves. */
public final class WholeFrames {
    /** The length of a signal's frame. */
    public static final int SIGNAL_BYTES = FrameHeader.BYTES + FrameHeader.SIGNAL_BYTES;

    private WholeFrames() {
    }

    /** A signal of value 0. */
    public static byte[] signal(SegmentKind kind, int channel, int attempt, long sequence) {
        byte[] value = new byte[FrameHeader.SIGNAL_BYTES];
        byte[] header = new FrameHeader().of(kind.ordinal(), channel, sequence).attempt(attempt)
                .payload(value, 0, value.length, value.length).bytes;
        return Arrays.copyOf(header, SIGNAL_BYTES);
    }

    /** A control message without bytes, the first of its connection. */
    public static byte[] emptyControl() {
        return new FrameHeader().of(FrameHeader.CONTROL, 0, 0).payload(new byte[0], 0, 0, 0).bytes;
    }
}
