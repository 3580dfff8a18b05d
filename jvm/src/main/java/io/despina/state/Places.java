package io.despina.state;

/** The elements of a {@link PlaceRing} or {@link PlaceHeap} at one instant, in their order in its array. */
final class Places {
    private final long[] elements;
    private final int fields;
    private final int capacity;
    private int at;
    private int left;

    /**
     * @param fields of an element: time, place, arrival, and perhaps more
     * @param head   the first of {@code size} elements; they wrap around at the array's end
     */
    Places(long[] elements, int fields, int head, int size) {
        this.elements = elements;
        this.fields = fields;
        capacity = elements.length / fields;
        at = head;
        left = size;
    }

    boolean isEmpty() {
        return left == 0;
    }

    long time() {
        return elements[at * fields];
    }

    long place() {
        return elements[at * fields + 1];
    }

    long arrival() {
        return elements[at * fields + 2];
    }

    /** Moves over so many elements, of those that are left. */
    void skip(int count) {
        at = (int) (((long) at + count) % capacity);
        left -= count;
    }

    void next() {
        at = at + 1 == capacity ? 0 : at + 1;
        left--;
    }
}
