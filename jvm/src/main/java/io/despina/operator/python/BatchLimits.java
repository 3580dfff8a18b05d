package io.despina.operator.python;

/**
 * How large a batch may be.
 *
 * @param rows       at most
 * @param bytes      of its packets, at which it is sent
 * @param waitMillis how long it waits until it has just so many rows; {@link #AT_ONCE}: it goes with those that have come
 */
public record BatchLimits(int rows, int bytes, long waitMillis) {
    public static final long AT_ONCE = -1;

    /** It goes with what has come. */
    public BatchLimits(int rows, int bytes) {
        this(rows, bytes, AT_ONCE);
    }

    boolean isFixed() {
        return waitMillis != AT_ONCE;
    }
}
