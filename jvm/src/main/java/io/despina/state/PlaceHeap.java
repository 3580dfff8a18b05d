package io.despina.state;

import java.util.Arrays;

/**
 * A binary heap of (time, place, arrival, prefix), the earliest first: by time, then by prefix, then by {@link Ties}. A prefix
 * says most of what the packets themselves would say, and no packet is read for it.
 */
final class PlaceHeap {
    private static final int FIELDS = 4;
    private static final int FIRST = 4;
    /** The same as in {@link PlaceRing}. */
    private static final long PATIENCE = 4;

    /** Compares two elements with equal times and prefixes. */
    @FunctionalInterface
    interface Ties {
        int compare(long place, long arrival, long otherPlace, long otherArrival);
    }

    private final Ties ties;
    private long[] elements = new long[FIRST * FIELDS];
    private int size;
    /** The number of elements removed since the heap was last a quarter full. */
    private long removed;
    /** Whether a snapshot reads the array, which must then not be changed. */
    private boolean frozen;

    PlaceHeap(Ties ties) {
        this.ties = ties;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    long firstTime() {
        return elements[0];
    }

    long firstPlace() {
        return elements[1];
    }

    long firstArrival() {
        return elements[2];
    }

    long bytes() {
        return (long) elements.length * Long.BYTES;
    }

    void clear() {
        frozen = false;
        elements = new long[FIRST * FIELDS];
        size = 0;
    }

    /** The present elements. They stay unchanged until {@link #thaw}. */
    Places freeze() {
        frozen = true;
        return new Places(elements, FIELDS, 0, size);
    }

    void thaw() {
        frozen = false;
    }

    private void own() {
        if (frozen) {
            elements = elements.clone();
            frozen = false;
        }
    }

    void add(long time, long place, long arrival, long prefix) {
        own();
        if (size * FIELDS == elements.length) {
            elements = Arrays.copyOf(elements, Math.multiplyExact(2, elements.length));
        }
        int k = size++;
        removed = size * FIELDS > elements.length / 4 ? 0 : removed;
        while (k > 0) {
            int parent = (k - 1) / 2;
            if (!isBefore(time, place, arrival, prefix, parent)) {
                break;
            }
            System.arraycopy(elements, parent * FIELDS, elements, k * FIELDS, FIELDS);
            k = parent;
        }
        put(k, time, place, arrival, prefix);
    }

    void removeFirst() {
        own();
        size--;
        int last = size * FIELDS;
        long time = elements[last];
        long place = elements[last + 1];
        long arrival = elements[last + 2];
        long prefix = elements[last + 3];
        int k = 0;
        int child = 1;
        while (child < size) {
            if (child + 1 < size && isBefore(child + 1, child)) {
                child++;
            }
            if (isBefore(time, place, arrival, prefix, child)) {
                break;
            }
            System.arraycopy(elements, child * FIELDS, elements, k * FIELDS, FIELDS);
            k = child;
            child = 2 * k + 1;
        }
        put(k, time, place, arrival, prefix);
        int capacity = elements.length / FIELDS;
        if (++removed > PATIENCE * capacity && size < capacity / 4 && capacity > FIRST) {
            elements = Arrays.copyOf(elements, elements.length / 2);
            removed = 0;
        }
    }

    private void put(int k, long time, long place, long arrival, long prefix) {
        elements[k * FIELDS] = time;
        elements[k * FIELDS + 1] = place;
        elements[k * FIELDS + 2] = arrival;
        elements[k * FIELDS + 3] = prefix;
    }

    private boolean isBefore(int a, int b) {
        int at = a * FIELDS;
        return isBefore(elements[at], elements[at + 1], elements[at + 2], elements[at + 3], b);
    }

    private boolean isBefore(long time, long place, long arrival, long prefix, int b) {
        int at = b * FIELDS;
        if (time != elements[at]) {
            return time < elements[at];
        }
        return prefix != elements[at + 3] ? prefix < elements[at + 3]
                : ties.compare(place, arrival, elements[at + 1], elements[at + 2]) < 0;
    }
}
