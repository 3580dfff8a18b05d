package io.despina.operator.order;

import io.despina.spec.Windows;

/**
 * Finds the windows of packets. The next packet mostly has the same last window as the one before, which saves a slow division.
 */
public final class WindowStarts {
    private final Windows windows;
    /** The range of times that have windows. */
    private final long earliest;
    private final long latest;
    private long last;

    public WindowStarts(Windows windows) {
        this.windows = windows;
        earliest = windows.earliest();
        latest = windows.latest();
        last = windows.lastStart(0);
    }

    /** Whether all windows of {@code time} lie within what a TIMESTAMP holds. */
    public boolean has(long time) {
        return time >= earliest && time <= latest;
    }

    /** The start of the last window that holds {@code time}, which {@link #has} windows. */
    public long last(long time) {
        if (time < last || Long.compareUnsigned(time - last, windows.slide()) >= 0) {
            last = windows.lastStart(time);
        }
        return last;
    }

    public static ArithmeticException outside(long time) {
        return new ArithmeticException("a window of its event time, " + time + " microseconds since 1970, lies "
                + "partly outside of what a TIMESTAMP holds");
    }
}
