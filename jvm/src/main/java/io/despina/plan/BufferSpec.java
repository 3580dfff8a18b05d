package io.despina.plan;

/**
 * When a link's packets leave.
 *
 * @param capacityBytes a segment leaves when it holds so much
 * @param flushAfterMs  or when its first packet is so old
 */
public record BufferSpec(int capacityBytes, long flushAfterMs, Mode mode) {

    /** Whether a part-filled segment may leave early. */
    public enum Mode {
        /** Leaves at once while the far side has nothing left to do. */
        ADAPTIVE,
        /** NEPTUNE's: when full or when its time has come, never earlier. */
        TIMED
    }
}
