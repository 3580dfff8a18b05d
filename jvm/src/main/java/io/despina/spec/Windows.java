package io.despina.spec;

/**
 * Tumbling and sliding windows [start, end) of event time: all have one size, and a new one starts every slide, aligned to
 * 1970-01-01T00:00Z plus an offset, before 1970 too. All numbers are in microseconds.
 *
 * @param size   greater than 0
 * @param slide  greater than 0, at most {@code size}; equal to it for tumbling windows
 * @param offset any number; stored modulo {@code slide}
 */
public record Windows(long size, long slide, long offset) implements Window {

    public Windows {
        if (size <= 0 || slide <= 0 || slide > size) {
            throw new IllegalArgumentException("size=" + size + " slide=" + slide + ": 0 < slide <= size");
        }
        offset = Math.floorMod(offset, slide);
    }

    public static Windows tumbling(long size, long offset) {
        return new Windows(size, size, offset);
    }

    /** The first time for which Spark's {@code window()} can compute all windows: their starts fit into longs. */
    public long earliest() {
        long firstStart = Long.MIN_VALUE + Math.floorMod(offset - Math.floorMod(Long.MIN_VALUE, slide), slide);
        return Math.max(firstStart + (overlap() - 1) * slide, Long.MIN_VALUE + offset);
    }

    /** The last such time: the end of its last window fits into a long. */
    public long latest() {
        long most = Long.MAX_VALUE - size;
        return most - Math.floorMod(Math.floorMod(most, slide) - offset, slide) + slide - 1;
    }

    /** The start of the last window that holds {@code time}, which is not before {@link #earliest}. */
    public long lastStart(long time) {
        return Math.floorDiv(time - offset, slide) * slide + offset;
    }

    /** The least window end after {@code time}. */
    public long firstEnd(long time) {
        long phase = Math.floorMod(offset + Math.floorMod(size, slide), slide);
        return time + slide - Math.floorMod(Math.floorMod(time, slide) - phase, slide);
    }

    /** The most windows that a packet can be in. */
    public long overlap() {
        return (size - 1) / slide + 1;
    }

    /**
     * The length of the panes that windows are composed of: each packet updates one pane, and a window merges its panes when it
     * fires. It is the greatest common divisor of size and slide. If that is so small that merging would cost more than updating
     * each window, it is the size, and there are no panes.
     */
    public long pane() {
        long divisor = divisor(size, slide);
        return size / divisor <= 2 * overlap() ? divisor : size;
    }

    /** Whether windows are composed of panes. */
    public boolean hasPanes() {
        return pane() < size;
    }

    private static long divisor(long a, long b) {
        return b == 0 ? a : divisor(b, a % b);
    }
}
