package io.despina.runtime.task;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * What users have told the operators of a task, in order, until the point between two packets. Only the task's thread calls it.
 */
final class UserCommands {
    private final Queue<Mailbox.Command.Tell> waiting = new ArrayDeque<>();
    private final SyncMarks marks = new SyncMarks();
    private final SyncMarks moves = new SyncMarks();

    /** Takes what is for users; the task does the rest. */
    void add(Mailbox.Command command, Chain chain) {
        if (command instanceof Mailbox.Command.Tell tell) {
            waiting.add(tell);
        } else if (command instanceof Mailbox.Command.Pass pass) {
            (SyncMarks.isMove(pass.mark()) ? moves : marks).add(pass);
        } else if (command instanceof Mailbox.Command.Status status) {
            status.asked().answer(chain.keys(status.stage()));
        }
    }

    /** A run is over: answers for the marks that have passed the chain. */
    void ran(Chain chain) {
        marks.passed(chain.marked());
        moves.passed(chain.first().move().passed());
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
        marks.end();
        moves.end();
    }
}
