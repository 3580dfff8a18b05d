package io.despina.state;

/** A growing ring of (time, place, arrival). */
final class PlaceRing {
    /** The fields of an element: time, place, arrival. */
    static final int FIELDS = 3;
    private static final int FIRST = 4;
    /**
     * A ring that fills and drains with each segment keeps its size. One that stays nearly empty for so many times its size
     * shrinks.
     */
    private static final long PATIENCE = 4;

    /** Per element: time, place, arrival. */
    private long[] elements = new long[FIRST * FIELDS];
    private int capacity = FIRST;
    private int head;
    private int size;
    /** The number of elements removed since the ring was last a quarter full. */
    private long removed;
    /** The elements that a snapshot reads, which must not be overwritten. */
    private int frozenHead;
    private int frozenSize;

    /** The present elements. They stay unchanged until {@link #thaw}. */
    Places freeze() {
        frozenHead = head;
        frozenSize = size;
        return new Places(elements, FIELDS, head, size);
    }

    void thaw() {
        frozenSize = 0;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    void add(long time, long place, long arrival) {
        if (size == capacity) {
            resize(2 * capacity);
        } else if (frozenSize > 0 && (head + size - frozenHead & capacity - 1) < frozenSize) {
            resize(capacity);
        }
        int at = index(size++);
        elements[at] = time;
        elements[at + 1] = place;
        elements[at + 2] = arrival;
        removed = size > capacity / 4 ? 0 : removed;
    }

    void removeFirst() {
        head = head + 1 & capacity - 1;
        size--;
        if (++removed > PATIENCE * capacity && size < capacity / 4 && capacity > FIRST) {
            resize(capacity / 2);
            removed = 0;
        }
    }

    void removeLast() {
        size--;
    }

    long time(int k) {
        return elements[index(k)];
    }

    long place(int k) {
        return elements[index(k) + 1];
    }

    long arrival(int k) {
        return elements[index(k) + 2];
    }

    long firstTime() {
        return elements[head * FIELDS];
    }

    long firstPlace() {
        return elements[head * FIELDS + 1];
    }

    long firstArrival() {
        return elements[head * FIELDS + 2];
    }

    long lastTime() {
        return time(size - 1);
    }

    long lastArrival() {
        return arrival(size - 1);
    }

    long lastPlace() {
        return place(size - 1);
    }

    long bytes() {
        return (long) elements.length * Long.BYTES;
    }

    void clear() {
        frozenSize = 0;
        elements = new long[FIRST * FIELDS];
        capacity = FIRST;
        head = 0;
        size = 0;
        removed = 0;
    }

    private int index(int k) {
        return (head + k & capacity - 1) * FIELDS;
    }

    private void resize(int to) {
        frozenSize = 0;
        long[] moved = new long[Math.multiplyExact(to, FIELDS)];
        int first = Math.min(size, capacity - head);
        System.arraycopy(elements, head * FIELDS, moved, 0, first * FIELDS);
        System.arraycopy(elements, 0, moved, first * FIELDS, (size - first) * FIELDS);
        elements = moved;
        capacity = to;
        head = 0;
    }
}
