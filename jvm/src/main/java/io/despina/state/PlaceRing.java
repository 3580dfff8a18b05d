package io.despina.state;

/** A growing ring of (time, place, arrival). */
final class PlaceRing {
    private static final int FIELDS = 3;
    private static final int FIRST = 4;
    /** A ring that fills and drains with each segment keeps its size; one that stays nearly empty for so long gives it back. */
    private static final long PATIENCE = 4;

    /** Per element: time, place, arrival. */
    private long[] elements = new long[FIRST * FIELDS];
    private int capacity = FIRST;
    private int head;
    private int size;
    /** Elements removed since the ring was last a quarter full. */
    private long removed;

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    void add(long time, long place, long arrival) {
        if (size == capacity) {
            resize(2 * capacity);
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

    long lastPlace() {
        return place(size - 1);
    }

    long bytes() {
        return (long) elements.length * Long.BYTES;
    }

    void clear() {
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
        long[] moved = new long[Math.multiplyExact(to, FIELDS)];
        int first = Math.min(size, capacity - head);
        System.arraycopy(elements, head * FIELDS, moved, 0, first * FIELDS);
        System.arraycopy(elements, 0, moved, first * FIELDS, (size - first) * FIELDS);
        elements = moved;
        capacity = to;
        head = 0;
    }
}
