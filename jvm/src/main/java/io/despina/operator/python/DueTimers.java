package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.state.EntryHeap;
import io.despina.state.KeyedPackets;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The timers of the keys in a table of states, the earliest first. A timer that moves on, as one does that each row of a device
 * sets anew, stays in the heap where it was, and is looked at when that time comes: so a key seldom has two places there. Those
 * whose keys the worker knows are its affair, and are handed over.
 */
final class DueTimers {
    private static final int FIRST = 64;

    private final KeyedPackets table;
    private final Packet state;
    private final int column;
    private final EntryHeap heap = new EntryHeap();
    private int places;
    /** By entry, the least time at which it is in the heap. */
    private long[] queued = new long[0];
    /** Entries that have been taken from the heap, and whose states have not changed since. */
    private final BitSet handed = new BitSet();

    /** @param schema of the states, whose last column has the timers */
    DueTimers(KeyedPackets table, Schema schema) {
        this.table = table;
        state = new Packet(schema.layout());
        column = schema.size() - 1;
    }

    /** The state of an entry has been put. */
    void changed(int entry) {
        handed.clear(entry);
        if (entry >= queued.length) {
            int before = queued.length;
            queued = Arrays.copyOf(queued, Math.max(FIRST, 2 * entry));
            Arrays.fill(queued, before, queued.length, NEVER);
        }
        long timer = timer(entry);
        if (timer < queued[entry]) {
            queued[entry] = timer;
            heap.add(timer, entry);
            places++;
            if (places > 2 * table.size() + FIRST) {
                rebuild();
            }
        }
    }

    /** The state of an entry has been removed. */
    void removed(int entry) {
        handed.clear(entry);
    }

    private long timer(int entry) {
        return table.view(entry, state) && !state.isNull(column) ? state.getLong(column) : NEVER;
    }

    /** When the first is due that has not been handed over, in microseconds since 1970; {@code NEVER} if there is none. */
    long first() {
        while (!heap.isEmpty()) {
            int entry = heap.firstEntry();
            long time = heap.firstTime();
            if (queued[entry] == time && timer(entry) == time) {
                return time;
            }
            remove(entry, time);
            if (!handed.get(entry)) {
                changed(entry);
            }
        }
        return NEVER;
    }

    /** The entry of the first. Call {@link #first} before. */
    int firstEntry() {
        return heap.firstEntry();
    }

    /** The worker knows the key of the first. */
    void handOver() {
        int entry = heap.firstEntry();
        handed.set(entry);
        remove(entry, heap.firstTime());
    }

    private void remove(int entry, long time) {
        if (queued[entry] == time) {
            queued[entry] = NEVER;
        }
        heap.removeFirst();
        places--;
    }

    /** Whether the worker is to call some that it has not called. */
    boolean areHanded() {
        return !handed.isEmpty();
    }

    /** The worker calls none of those that have been handed over. */
    void takeBack() {
        for (int entry = handed.nextSetBit(0); entry >= 0; entry = handed.nextSetBit(entry + 1)) {
            changed(entry);
        }
    }

    /** Reads all of them from the table. */
    void rebuild() {
        heap.clear();
        places = 0;
        Arrays.fill(queued, NEVER);
        for (int entry = 0; entry < table.limit(); entry++) {
            if (!handed.get(entry)) {
                changed(entry);
            }
        }
    }

    /** The table has been restored. */
    void restored() {
        handed.clear();
        rebuild();
    }

    long bytes() {
        return heap.bytes() + (long) queued.length * Long.BYTES;
    }
}
