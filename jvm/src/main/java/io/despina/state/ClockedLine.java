package io.despina.state;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * The clock of a key in one of two streams, and the key's packets of this stream in event order: first those that have been taken
 * and are kept, then those that wait. Packets have indexes, which hold until the next addition.
 */
public final class ClockedLine {
    /** For {@link #heard}. */
    static final long UNHEARD = Long.MIN_VALUE;
    private static final int FIRST = 4;
    private static final int OBJECT_BYTES = 128;
    private static final long[] NO_LONGS = {};

    /** The greatest event time. */
    long greatest = Long.MIN_VALUE;
    /** When the key was last heard in this stream, or first in the other, by the wall clock; {@link #UNHEARD}. */
    long heard = UNHEARD;
    /** Whether nothing has come for so long that the key no longer waits for this stream. */
    boolean silent;
    /** While its packets are restored, how many of them have been taken. */
    private int toTake;
    private long[] times = NO_LONGS;
    private long[] places = NO_LONGS;
    private int[] groups = {};
    private boolean[] marks = {};
    private int first;
    private int next;
    private int end;

    /** The index of the first packet. */
    public int first() {
        return first;
    }

    /** The index of the first packet that waits. */
    public int next() {
        return next;
    }

    /** The index after the last packet. */
    public int end() {
        return end;
    }

    public long time(int index) {
        return times[index];
    }

    long place(int index) {
        return places[index];
    }

    /** The packets have moved to other places. */
    void move(LongUnaryOperator moved) {
        for (int k = first; k < end; k++) {
            places[k] = moved.applyAsLong(places[k]);
        }
    }

    /** A number that packets of one join key share; others may have it too. */
    public int group(int index) {
        return groups[index];
    }

    public boolean isMarked(int index) {
        return marks[index];
    }

    void mark(int index) {
        marks[index] = true;
    }

    /** Whether a packet waits that {@code watermark} has passed. */
    public boolean isReady(long watermark) {
        return next < end && EventOrder.passed(watermark, times[next]);
    }

    /** The first index from {@code low} and below {@code high} whose time is not before {@code time}; else {@code high}. */
    public int from(int low, int high, long time) {
        int from = low;
        int to = high;
        while (from < to) {
            int middle = from + to >>> 1;
            if (times[middle] < time) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    /** Makes room for one more packet. @return whether the line is larger than before */
    boolean makeRoom() {
        if (end < times.length) {
            return false;
        }
        int size = end - first;
        boolean grows = size > times.length / 2 || times.length == 0;
        int capacity = grows ? Math.max(FIRST, 2 * times.length) : times.length;
        times = Arrays.copyOf(Arrays.copyOfRange(times, first, end), capacity);
        places = Arrays.copyOf(Arrays.copyOfRange(places, first, end), capacity);
        groups = Arrays.copyOf(Arrays.copyOfRange(groups, first, end), capacity);
        marks = Arrays.copyOf(Arrays.copyOfRange(marks, first, end), capacity);
        next -= first;
        first = 0;
        end = size;
        return grows;
    }

    /** Inserts a packet that waits; there is room. */
    void insert(int at, long time, long place, int group) {
        System.arraycopy(times, at, times, at + 1, end - at);
        System.arraycopy(places, at, places, at + 1, end - at);
        System.arraycopy(groups, at, groups, at + 1, end - at);
        System.arraycopy(marks, at, marks, at + 1, end - at);
        times[at] = time;
        places[at] = place;
        groups[at] = group;
        marks[at] = false;
        end++;
    }

    /** The first packet that waits has been taken, and is kept. */
    void take() {
        next++;
    }

    /** The packets that follow are restored. @param taken how many of them have been taken */
    void restore(int taken) {
        toTake = taken;
    }

    /** All packets are restored. @return false if there are fewer than have been taken */
    boolean restored() {
        int all = end - next;
        next += Math.min(toTake, all);
        boolean enough = toTake <= all;
        toTake = 0;
        return enough;
    }

    /** Drops the first packet. */
    void dropFirst() {
        first++;
        next = Math.max(next, first);
        if (first == end) {
            first = 0;
            next = 0;
            end = 0;
        }
    }

    /** How many packets have no mark. */
    long unmarked() {
        long sum = 0;
        for (int k = first; k < end; k++) {
            sum += marks[k] ? 0 : 1;
        }
        return sum;
    }

    /** Memory it takes, in bytes. */
    long bytes() {
        return OBJECT_BYTES + (long) times.length * (2 * Long.BYTES + Integer.BYTES + 1);
    }
}
