package io.despina.runtime.task;

import java.util.ArrayDeque;

/**
 * The marks of a user's {@code sync} that a task is to pass. They travel as barriers, in the same order on all channels, and have
 * no epoch. Only the task's thread calls it.
 */
final class SyncMarks {
    private final ArrayDeque<Mailbox.Command.Sync> awaited = new ArrayDeque<>();

    /** What a barrier says that is a mark: epochs are greater than 0. */
    static long value(long number) {
        return -number;
    }

    /** Whether a barrier is one. */
    static boolean isMark(long value) {
        return value < 0;
    }

    /** A user waits for that mark, which may have passed. */
    void add(Mailbox.Command.Sync sync) {
        awaited.add(sync);
    }

    /** The last mark that has passed the whole chain has that value; 0 before the first. */
    void passed(long value) {
        while (!awaited.isEmpty() && awaited.peek().number() <= -value) {
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
