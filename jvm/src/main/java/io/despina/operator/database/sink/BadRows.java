package io.despina.operator.database.sink;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/** Rows that a database does not take: those that are to be handed on, and the numbers of those of an epoch that have been. */
final class BadRows {
    private record Bad(int row, Exception why) {
    }

    private final Deque<Bad> waiting = new ArrayDeque<>();
    /** Of the epoch: rising, up to {@link #count}. When the epoch comes again, these are in it no more. */
    private long[] known = new long[16];
    private int count;

    void add(int row, Exception why) {
        waiting.add(new Bad(row, why));
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** The next to be handed on. */
    int row() {
        return waiting.element().row;
    }

    Exception take() {
        return waiting.remove().why;
    }

    /** It is handed on. @param ofEpoch whether it may come again */
    void know(long number, boolean ofEpoch) {
        if (!ofEpoch || isKnown(number)) {
            return;
        }
        if (count == known.length) {
            known = Arrays.copyOf(known, 2 * count);
        }
        known[count] = number;
        count++;
        if (count > 1 && known[count - 2] > number) {
            Arrays.sort(known, 0, count);
        }
    }

    boolean isKnown(long number) {
        return count > 0 && Arrays.binarySearch(known, 0, count, number) >= 0;
    }

    boolean knowsAny() {
        return count > 0;
    }

    /** Another epoch begins. */
    void forget() {
        waiting.clear();
        count = 0;
    }
}
