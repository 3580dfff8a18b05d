package io.despina.runtime.task;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How the tasks of a job that run here end together: a task settles when it has passed its END; a task that takes part in epochs
 * then waits for the job's decision. Thread-safe.
 */
public final class JobCompletion {

    /** What a settled task does. */
    public enum Decision {
        WAIT,
        /** Close: the job was stopped or cut short. */
        CLOSE,
        /** The same, after the whole job has succeeded. */
        SUCCEED
    }

    private final AtomicInteger unsettled;
    private final AtomicLong dropped = new AtomicLong();
    private final Queue<String> leftBehind = new ConcurrentLinkedQueue<>();
    private final Runnable allSettled;
    /** Written (volatile) by control, read by tasks. */
    private volatile Decision decision = Decision.WAIT;

    /** @param allSettled run once, by the last task that settles, or by {@link #settleIfEmpty} */
    public JobCompletion(int tasks, Runnable allSettled) {
        unsettled = new AtomicInteger(tasks);
        this.allSettled = allSettled;
    }

    /** For a job without tasks here. */
    public void settleIfEmpty() {
        if (unsettled.compareAndSet(0, -1)) {
            allSettled.run();
        }
    }

    public boolean isSettled() {
        return unsettled.get() <= 0;
    }

    /** The caller wakes the tasks afterwards. */
    public void decide(Decision next) {
        decision = next;
    }

    /** Packets between the operators of a task when it was cut short. */
    public long dropped() {
        return dropped.get();
    }

    /** Paths at which sinks have left what they did not commit. */
    public List<String> leftBehind() {
        return List.copyOf(leftBehind);
    }

    /** One task's part in it; called by its thread. */
    public final class Part {
        private boolean settled;

        Decision decision() {
            return decision;
        }

        void drop(long packets) {
            dropped.addAndGet(packets);
        }

        void leaveBehind(String where) {
            leftBehind.add(where);
        }

        /** The task has passed its END, or ended without it: whichever comes first. */
        public void settle() {
            if (!settled) {
                settled = true;
                if (unsettled.decrementAndGet() == 0) {
                    allSettled.run();
                }
            }
        }
    }
}
