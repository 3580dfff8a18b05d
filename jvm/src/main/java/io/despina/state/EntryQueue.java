package io.despina.state;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * Entries of a keyed table in the order in which they were added; an entry in the middle can leave too. Where each entry is added
 * with the same delay, it is a queue of timers that costs the same however many wait. It is no state: after a restore it is
 * filled anew from the table.
 *
 * <p>A doubly linked list in arrays. Slot 0 is both its ends; entry k has slot k + 1.
 */
public final class EntryQueue {
    /** What {@link #first} answers for an empty queue. */
    public static final int NONE = -1;
    private static final int FIRST = 16;

    private int[] next = new int[FIRST];
    private int[] previous = new int[FIRST];

    /** Adds an entry that is not in the queue. */
    public void add(int entry) {
        int slot = entry + 1;
        if (slot >= next.length) {
            int to = Math.max(slot + 1, Math.multiplyExact(2, next.length));
            next = Arrays.copyOf(next, to);
            previous = Arrays.copyOf(previous, to);
        }
        int last = previous[0];
        next[last] = slot;
        previous[slot] = last;
        next[slot] = 0;
        previous[0] = slot;
    }

    /** Removes an entry of the queue. */
    public void remove(int entry) {
        int slot = entry + 1;
        next[previous[slot]] = next[slot];
        previous[next[slot]] = previous[slot];
    }

    /** The entry that was added before all others, or {@link #NONE}. */
    public int first() {
        return next[0] - 1;
    }

    public boolean isEmpty() {
        return next[0] == 0;
    }

    /**
     * Fills the queue after a restore.
     *
     * @param limit entries are below this
     * @param in    whether an entry belongs into the queue
     * @param time  by which they are sorted
     */
    public void restore(int limit, IntPredicate in, IntToLongFunction time) {
        next = new int[FIRST];
        previous = new int[FIRST];
        IntStream.range(0, limit).filter(in).boxed().sorted(Comparator.comparingLong(time::applyAsLong)).forEach(this::add);
    }

    /** Memory it takes, in bytes. */
    public long bytes() {
        return (long) next.length * 2 * Integer.BYTES;
    }
}
