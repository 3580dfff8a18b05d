package io.despina.runtime.task;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * What users have told the operators of a task, in order, until the point between two packets. Only the task's thread calls it.
 */
final class UserCommands {
    private final Queue<Mailbox.Command.Tell> waiting = new ArrayDeque<>();

    void add(Mailbox.Command.Tell tell) {
        waiting.add(tell);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Between two packets, with room in the chain: does the first. @return false if rows must leave before: call again */
    boolean obey(Chain chain) {
        if (!chain.obey(waiting.peek())) {
            return false;
        }
        waiting.remove();
        return true;
    }

    /** The task has ended. */
    void end() {
        for (Mailbox.Command.Tell next = waiting.poll(); next != null; next = waiting.poll()) {
            next.missed();
        }
    }
}
