package io.despina.state;

/**
 * Entries of a keyed table by times that come in any order, the earliest first. An entry may be in it several times: who finds
 * that a time no longer counts removes it when it comes. It is no state: after a restore it is filled anew from the table.
 */
public final class EntryHeap {
    private final PlaceHeap heap = new PlaceHeap((entry, none, other, alsoNone) -> Long.compare(entry, other));

    public void add(long time, int entry) {
        heap.add(time, entry, 0, 0);
    }

    public boolean isEmpty() {
        return heap.isEmpty();
    }

    /** The least time; the heap is not empty. */
    public long firstTime() {
        return heap.firstTime();
    }

    /** An entry of the least time; of equal times, the least entry. */
    public int firstEntry() {
        return (int) heap.firstPlace();
    }

    public void removeFirst() {
        heap.removeFirst();
    }

    public void clear() {
        heap.clear();
    }

    /** Memory it takes, in bytes. */
    public long bytes() {
        return heap.bytes();
    }
}
