package io.despina.runtime.worker;

import java.util.function.IntConsumer;

/**
 * The threads of a resource.
 *
 * @param count     of the pool of workers, at least one
 * @param ioThreads that serve connections beside it; 0 if workers serve those of their own tasks
 * @param pollNanos how long a worker of the pool that has nothing to do looks for work before it sleeps
 * @param begun     called by each thread of the pool with its number, before anything else
 */
public record WorkerOptions(int count, int ioThreads, long pollNanos, IntConsumer begun) {

    public WorkerOptions {
        if (count < 1) {
            throw new IllegalArgumentException("workers=" + count + ": at least one");
        }
    }

    /** So many workers, which serve connections and sleep when they have nothing to do. */
    public static WorkerOptions of(int count) {
        return new WorkerOptions(count, 0, 0, worker -> { });
    }

    /** The threads of the network: for control, and for the channels of tasks whose workers serve none. */
    public int wireThreads() {
        return Math.max(1, ioThreads);
    }
}
