package io.despina.metrics;

/** What the time of a task goes to: read from its clock once before and once after each run. */
public final class TaskTimes {
    private final SpentTime busy = new SpentTime();
    private final SpentTime paused = new SpentTime();

    /**
     * What it was.
     *
     * @param instance    of the operator, from 0
     * @param thread      that runs the task: tasks of one number, of a job and a resource, share one
     * @param busyNanos   in which the task ran, and calls that block with it
     * @param pausedNanos in which it could not run because a link had no room
     */
    public record Snapshot(int instance, int thread, long busyNanos, long pausedNanos) {

        /** What it went to since {@code start}. */
        public Snapshot since(Snapshot start) {
            return new Snapshot(instance, thread, busyNanos - start.busyNanos, pausedNanos - start.pausedNanos);
        }
    }

    /** A run begins. Only the task's thread calls this. @param now nanoseconds */
    public void begin(long now) {
        paused.end(now);
        busy.begin(now);
    }

    /** The run has ended. Only the task's thread calls this. @param stalls whether the next one waits for room in a link */
    public void end(long now, boolean stalls) {
        busy.end(now);
        if (stalls) {
            paused.begin(now);
        }
    }

    /** The task has ended. Only its thread calls this. */
    public void close(long now) {
        busy.end(now);
        paused.end(now);
    }

    /** Any thread may ask. */
    public Snapshot snapshot(int instance, int thread, long now) {
        return new Snapshot(instance, thread, busy.nanos(now), paused.nanos(now));
    }
}
