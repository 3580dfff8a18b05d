package io.despina.state;

import java.util.Arrays;

/**
 * Places of one key's packets, each with a mark, by time and then in order of arrival. Mostly added near the end, and removed
 * from the front.
 */
public final class TimedList {
    private static final int FIRST = 4;
    private static final int OBJECT_BYTES = 64;

    private long[] times = new long[FIRST];
    private long[] places = new long[FIRST];
    private boolean[] marks = new boolean[FIRST];
    private int first;
    private int end;

    /** @return the index, between {@link #first} and {@link #end}, until the next addition */
    public int add(long time, long place) {
        if (end == times.length) {
            makeRoom();
        }
        int at = after(time);
        System.arraycopy(times, at, times, at + 1, end - at);
        System.arraycopy(places, at, places, at + 1, end - at);
        System.arraycopy(marks, at, marks, at + 1, end - at);
        times[at] = time;
        places[at] = place;
        marks[at] = false;
        end++;
        return at;
    }

    private void makeRoom() {
        int size = end - first;
        int capacity = size > times.length / 2 ? 2 * times.length : times.length;
        times = Arrays.copyOf(Arrays.copyOfRange(times, first, end), capacity);
        places = Arrays.copyOf(Arrays.copyOfRange(places, first, end), capacity);
        marks = Arrays.copyOf(Arrays.copyOfRange(marks, first, end), capacity);
        first = 0;
        end = size;
    }

    /** The first index whose time is not before {@code time}. */
    public int from(long time) {
        int low = first;
        int high = end;
        while (low < high) {
            int middle = low + high >>> 1;
            if (times[middle] < time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The first index whose time is after {@code time}. */
    public int after(long time) {
        return end > first && times[end - 1] <= time ? end : time == Long.MAX_VALUE ? end : from(time + 1);
    }

    public int first() {
        return first;
    }

    public int end() {
        return end;
    }

    public boolean isEmpty() {
        return first == end;
    }

    public long place(int index) {
        return places[index];
    }

    public void mark(int index) {
        marks[index] = true;
    }

    public boolean isMarked(int index) {
        return marks[index];
    }

    public void removeFirst() {
        first++;
        if (first == end) {
            first = 0;
            end = 0;
        }
    }

    /** Memory it takes, in bytes. */
    public long bytes() {
        return OBJECT_BYTES + (long) times.length * (2 * Long.BYTES + 1);
    }
}
