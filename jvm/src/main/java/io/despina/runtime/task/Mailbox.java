package io.despina.runtime.task;

import io.despina.spec.Schedule;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a task is told, in order: by any thread, taken by the task's own at the beginning of a run. Whoever puts something in
 * wakes the task afterwards.
 */
final class Mailbox {

    /** One thing that a task is told. */
    sealed interface Command {

        /** Run by that schedule from now on. */
        record RunBy(Schedule schedule) implements Command {
        }

        /**
         * Of a source: produce nothing more.
         *
         * @param how {@link io.despina.buffer.Segment#COMPLETE} or {@link io.despina.buffer.Segment#STOPPED}
         */
        record Stop(long how) implements Command {
        }

        /** Of a source: the snapshot of that epoch is of this instant. */
        record Barrier(long epoch) implements Command {
        }

        /** The snapshot of that epoch is complete and kept. */
        record Complete(long epoch) implements Command {
        }
    }

    /** A task that takes none for so long is beyond help. */
    private static final int MOST = 1 << 10;

    private final Queue<Command> commands = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    /** Written (volatile) by whoever brings a source something, and by the task's thread before the source looks. */
    private volatile boolean news;
    /** Written (volatile) by the task's thread: it takes no more. */
    private volatile boolean closed;

    /** @throws IllegalStateException if too many wait */
    void put(Command command) {
        if (closed) {
            return;
        }
        if (size.incrementAndGet() > MOST) {
            size.decrementAndGet();
            throw new IllegalStateException("the task takes no commands; " + MOST + " wait");
        }
        commands.add(command);
    }

    /** The next command, or null. */
    Command poll() {
        Command next = commands.poll();
        if (next != null) {
            size.decrementAndGet();
        }
        return next;
    }

    /** The task has come to its end: what it is told does not matter any more. */
    void close() {
        closed = true;
    }

    /** There is something new for the source: said often, and remembered once. */
    void tellOfNews() {
        news = true;
    }

    boolean hasNews() {
        return news;
    }

    /** The source looks at what is new now. */
    void forgetNews() {
        if (news) {
            news = false;
        }
    }
}
