package io.despina.state;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Queues of the entries of one keyed table, each of which is in at most one. They are numbered from 0, and a queue has its
 * entries in the order in which they were added; an entry in the middle can leave too. Where each entry is added with the same
 * delay, a queue is one of timers that costs the same however many wait. They are no state: after a restore they are filled anew
 * from the table.
 *
 * <p>Doubly linked lists in arrays. Slot 2q is both ends of queue q; entry k has slot 2k + 1.
 */
public final class EntryQueues {
    /** What {@link #first} answers for an empty queue. */
    public static final int NONE = -1;
    private static final int FIRST = 32;

    private int[] next = {};
    private int[] previous = {};

    /** Adds an entry that is in no queue. */
    public void add(int queue, int entry) {
        int head = 2 * queue;
        int slot = 2 * entry + 1;
        if (Math.max(head, slot) >= next.length) {
            grow(Math.max(head, slot));
        }
        int last = previous[head];
        next[last] = slot;
        previous[slot] = last;
        next[slot] = head;
        previous[head] = slot;
    }

    /** All queues that are new are empty: their ends meet. */
    private void grow(int slot) {
        int from = next.length;
        int to = Math.max(FIRST, Math.max(slot + 2 & ~1, Math.multiplyExact(2, from)));
        next = Arrays.copyOf(next, to);
        previous = Arrays.copyOf(previous, to);
        for (int head = from; head < to; head += 2) {
            next[head] = head;
            previous[head] = head;
        }
    }

    /** Removes an entry from its queue. */
    public void remove(int entry) {
        int slot = 2 * entry + 1;
        next[previous[slot]] = next[slot];
        previous[next[slot]] = previous[slot];
    }

    /** The entry of a queue that was added before all others, or {@link #NONE}. */
    public int first(int queue) {
        int head = 2 * queue;
        return head >= next.length || next[head] == head ? NONE : next[head] >> 1;
    }

    /** The first entries of a queue, as many as {@code into} has room for. @return how many */
    public int first(int queue, int[] into) {
        int head = 2 * queue;
        int count = 0;
        for (int slot = head < next.length ? next[head] : head; slot != head && count < into.length; slot = next[slot]) {
            into[count++] = slot >> 1;
        }
        return count;
    }

    /** Queues from this on are empty. */
    public int limit() {
        return next.length / 2;
    }

    /**
     * Fills the queues after a restore.
     *
     * @param limit entries are below this
     * @param in    whether an entry belongs into a queue
     * @param time  by which they are sorted
     * @param queue of an entry
     */
    public void restore(int limit, IntPredicate in, IntToLongFunction time, IntUnaryOperator queue) {
        next = new int[0];
        previous = new int[0];
        IntStream.range(0, limit).filter(in).boxed().sorted(Comparator.comparingLong(time::applyAsLong))
                .forEach(entry -> add(queue.applyAsInt(entry), entry));
    }

    /** Memory they take, in bytes. */
    public long bytes() {
        return (long) next.length * 2 * Integer.BYTES;
    }
}
