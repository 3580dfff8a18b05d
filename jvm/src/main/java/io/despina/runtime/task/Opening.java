package io.despina.runtime.task;

import io.despina.wake.Waker;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Opens a task's chain: at once, or, if that may block, on a thread of the blocking tier, while the task's worker runs other
 * tasks. A task that must end gives up an opening that has not returned, and so never waits for it. The opening thread may hang
 * in a file system that does not answer, and ignore interrupts. If it returns after all, it closes what it has opened.
 */
final class Opening {
    /** An opening that is given up after more than this is logged. */
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TaskParts parts;
    private final Function<Runnable, Future<?>> aside;
    private final Waker task;
    /** Completed by the opening thread, cancelled by the task's: the second of the two closes the chain, if there is one. */
    private final CompletableFuture<Chain> opened = new CompletableFuture<>();
    /** The task's: null before the opening begins. */
    private Future<?> running;
    private long begunAt;

    /**
     * @param aside runs it on another thread; null for the task's own
     * @param task  woken when the chain is open, or cannot be opened
     */
    Opening(TaskParts parts, Function<Runnable, Future<?>> aside, Waker task) {
        this.parts = parts;
        this.aside = aside;
        this.task = task;
    }

    /**
     * The task's chain; called until it is open.
     *
     * @return null if it is not open yet: the task is woken when it is
     * @throws TaskFailedException if it cannot be opened
     */
    Chain chain() {
        if (aside == null) {
            return Chain.open(parts);
        }
        if (running == null) {
            begunAt = parts.clock().getAsLong();
            running = aside.apply(this::open);
        }
        try {
            return opened.getNow(null);
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) e.getCause();
        }
    }

    private void open() {
        try {
            Chain chain = Chain.open(parts);
            if (!opened.complete(chain)) {
                Thread.interrupted();       // meant for the opening, not for the closing
                chain.abort();
                return;
            }
        } catch (RuntimeException | Error e) {
            opened.completeExceptionally(e);
        }
        task.wake();
    }

    /** The task ends before its chain is open. */
    void giveUp() {
        if (running == null) {
            return;
        }
        running.cancel(true);       // before the thread can know: no interrupt comes while it closes
        if (opened.cancel(false)) {
            tellIfLong();
        } else if (!opened.isCompletedExceptionally()) {
            opened.join().abort();
        }
    }

    private void tellIfLong() {
        long nanos = parts.clock().getAsLong() - begunAt;
        if (nanos >= LONG_NANOS) {
            System.getLogger(Opening.class.getName()).log(Level.WARNING, "task " + parts.spec().id()
                    + " ends before it is open: what it opens, a file or a server, has not answered for "
                    + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s");
        }
    }
}
