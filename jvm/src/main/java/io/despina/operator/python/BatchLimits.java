package io.despina.operator.python;

/**
 * How large a batch may be.
 *
 * @param rows       at most
 * @param bytes      of its packets, at which it is sent
 * @param waitMillis how long it waits until it has just so many rows; {@link #AT_ONCE}: it goes with those that have come
 * @param workers    that take batches, two each
 * @param isPaced    whether a batch ends by time of work too
 */
public record BatchLimits(int rows, int bytes, long waitMillis, int workers, boolean isPaced) {
    public static final long AT_ONCE = -1;

    /** It goes with what has come. */
    public BatchLimits(int rows, int bytes) {
        this(rows, bytes, AT_ONCE);
    }

    /** Of one worker. */
    public BatchLimits(int rows, int bytes, long waitMillis) {
        this(rows, bytes, waitMillis, 1);
    }

    /** Whose size depends on no time of work. */
    public BatchLimits(int rows, int bytes, long waitMillis, int workers) {
        this(rows, bytes, waitMillis, workers, false);
    }

    /** How many batches' worth of packets are held: two are in flight at each worker, and one is gathered. */
    int held() {
        return 2 * workers + 1;
    }

    boolean isFixed() {
        return waitMillis != AT_ONCE;
    }
}
