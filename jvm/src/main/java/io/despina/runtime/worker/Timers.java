package io.despina.runtime.worker;

import java.util.Arrays;

/** The deadlines of one worker's idle tasks, soonest first: a binary heap. Only the worker's thread calls it. */
final class Timers {
    private TaskSlot[] heap = new TaskSlot[16];
    private int size;

    /** The soonest deadline, or {@link Long#MAX_VALUE}. */
    long next() {
        return size == 0 ? Long.MAX_VALUE : heap[0].deadline;
    }

    /** @return a slot whose deadline has come, taken out; or null */
    TaskSlot due(long now) {
        if (size == 0 || heap[0].deadline > now) {
            return null;
        }
        TaskSlot slot = heap[0];
        remove(slot);
        return slot;
    }

    /** Sets or moves the slot's deadline; {@link Long#MAX_VALUE} takes it out. */
    void set(TaskSlot slot, long deadline) {
        if (deadline == Long.MAX_VALUE) {
            remove(slot);
            return;
        }
        if (slot.heapIndex < 0) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            slot.heapIndex = size++;
        } else if (slot.deadline == deadline) {
            return;
        }
        slot.deadline = deadline;
        settle(slot);
    }

    void remove(TaskSlot slot) {
        int at = slot.heapIndex;
        if (at < 0) {
            return;
        }
        slot.heapIndex = -1;
        slot.deadline = Long.MAX_VALUE;
        TaskSlot last = heap[--size];
        heap[size] = null;
        if (last != slot) {
            last.heapIndex = at;
            settle(last);
        }
    }

    private void settle(TaskSlot slot) {
        int at = slot.heapIndex;
        while (at > 0 && heap[(at - 1) / 2].deadline > slot.deadline) {
            put(heap[(at - 1) / 2], at);
            at = (at - 1) / 2;
        }
        while (true) {
            int child = 2 * at + 1;
            if (child + 1 < size && heap[child + 1].deadline < heap[child].deadline) {
                child++;
            }
            if (child >= size || heap[child].deadline >= slot.deadline) {
                break;
            }
            put(heap[child], at);
            at = child;
        }
        put(slot, at);
    }

    private void put(TaskSlot slot, int at) {
        heap[at] = slot;
        slot.heapIndex = at;
    }
}
