package io.despina.state;

/** The elements of a {@link PlaceRing} or {@link PlaceHeap} at one instant, in their order in its array. */
final class Places {
    private final long[] elements;
    private final int capacity;
    private int at;
    private int left;

    /** @param head the first of {@code size} elements; they wrap around at the array's end */
    Places(long[] elements, int head, int size) {
        this.elements = elements;
        capacity = elements.length / PlaceRing.FIELDS;
        at = head;
        left = size;
    }

    boolean isEmpty() {
        return left == 0;
    }

    long time() {
        return elements[at * PlaceRing.FIELDS];
    }

    long place() {
        return elements[at * PlaceRing.FIELDS + 1];
    }

    long arrival() {
        return elements[at * PlaceRing.FIELDS + 2];
    }

    void next() {
        at = at + 1 == capacity ? 0 : at + 1;
        left--;
    }
}
