package io.despina.runtime.task;

import java.util.ArrayDeque;

/**
 * The marks that a task is to pass, of a user's {@code sync} or of moves of buckets. They travel as barriers, in the same order
 * on all channels, and have no epoch. Only the task's thread calls it.
 */
final class SyncMarks {
    private final ArrayDeque<Mailbox.Command.Pass> awaited = new ArrayDeque<>();

    /** What a barrier says that is the mark of a {@code sync}: epochs are greater than 0. */
    static long value(long number) {
        return -number;
    }

    /** What a barrier says that is the mark of a move. */
    static long ofMove(long number) {
        return Long.MIN_VALUE + number;
    }

    static boolean isMove(long value) {
        return value < Long.MIN_VALUE / 2;
    }

    private static long number(long value) {
        return isMove(value) ? value - Long.MIN_VALUE : -value;
    }

    /** Whether a barrier is one. */
    static boolean isMark(long value) {
        return value < 0;
    }

    /** Someone waits for that mark, which may have passed. */
    void add(Mailbox.Command.Pass pass) {
        awaited.add(pass);
    }

    /** The last mark that has passed the whole chain has that value; 0 before the first. */
    void passed(long value) {
        while (!awaited.isEmpty() && number(awaited.peek().mark()) <= number(value)) {
            awaited.remove().passed();
        }
    }

    /** The task has ended. */
    void end() {
        while (!awaited.isEmpty()) {
            awaited.remove().missed();
        }
    }
}
