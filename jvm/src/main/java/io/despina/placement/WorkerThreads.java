package io.despina.placement;

/**
 * The threads of a resource that run tasks, and those beside them.
 *
 * @param count      of workers; 0 for as many as it has processors
 * @param io         threads that serve connections; 0 if workers serve those of their own tasks
 * @param pollMicros how long a worker that has nothing to do looks for work before it sleeps
 * @param arePinned  whether each worker stays on one processor
 */
public record WorkerThreads(int count, int io, int pollMicros, boolean arePinned) {

    /** So many workers, and nothing else said. */
    public static WorkerThreads of(int count) {
        return new WorkerThreads(count, 0, 0, false);
    }
}
