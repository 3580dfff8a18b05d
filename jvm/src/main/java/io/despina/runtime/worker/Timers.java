package io.despina.runtime.worker;

import io.despina.wake.Waker;
import java.util.Arrays;

/** The deadlines of one worker's idle tasks, soonest first: a binary heap. Only the worker's thread calls it. */
final class Timers {

    /** An entry with a deadline, woken when that has passed. Only the timers use its fields. */
    abstract static class Entry implements Waker {
        private long deadline = Long.MAX_VALUE;
        private int heapIndex = -1;
    }

    private Entry[] heap = new Entry[16];
    private int size;

    /** The soonest deadline, or {@link Long#MAX_VALUE}. */
    long next() {
        return size == 0 ? Long.MAX_VALUE : heap[0].deadline;
    }

    /** @return an entry whose deadline has passed, removed; or null */
    Entry due(long now) {
        if (size == 0 || heap[0].deadline > now) {
            return null;
        }
        Entry entry = heap[0];
        remove(entry);
        return entry;
    }

    /** Sets or moves the entry's deadline; {@link Long#MAX_VALUE} takes it out. */
    void set(Entry entry, long deadline) {
        if (deadline == Long.MAX_VALUE) {
            remove(entry);
            return;
        }
        if (entry.heapIndex < 0) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            entry.heapIndex = size++;
        } else if (entry.deadline == deadline) {
            return;
        }
        entry.deadline = deadline;
        settle(entry);
    }

    void remove(Entry entry) {
        int at = entry.heapIndex;
        if (at < 0) {
            return;
        }
        entry.heapIndex = -1;
        entry.deadline = Long.MAX_VALUE;
        Entry last = heap[--size];
        heap[size] = null;
        if (last != entry) {
            last.heapIndex = at;
            settle(last);
        }
    }

    private void settle(Entry entry) {
        int at = entry.heapIndex;
        while (at > 0 && heap[(at - 1) / 2].deadline > entry.deadline) {
            put(heap[(at - 1) / 2], at);
            at = (at - 1) / 2;
        }
        while (true) {
            int child = 2 * at + 1;
            if (child + 1 < size && heap[child + 1].deadline < heap[child].deadline) {
                child++;
            }
            if (child >= size || heap[child].deadline >= entry.deadline) {
                break;
            }
            put(heap[child], at);
            at = child;
        }
        put(entry, at);
    }

    private void put(Entry entry, int at) {
        heap[at] = entry;
        entry.heapIndex = at;
    }
}
