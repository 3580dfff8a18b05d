package io.despina.runtime;

import io.despina.buffer.Segment;
import io.despina.operator.Source;
import io.despina.spec.Schedule;

/** A task whose first stage is a source: produces while its outputs have room and something is due. */
final class SourceTask implements Task {
    private static final long SLICE = 500_000;
    /** Bounds a run where the clock does not move. */
    private static final int STEPS = 64;
    private static final int RUNNING = -1;

    private final TaskParts parts;
    private final Opening opening;
    /** Written (volatile) by any thread, read by the task's. */
    private volatile Schedule wanted;
    /** {@link #RUNNING}, or how to end. Written (volatile) by any thread, read by the task's. */
    private volatile long stop = RUNNING;

    /** Written (volatile) by whoever brings the source something, and by the task's thread before it looks. */
    private volatile boolean woken;

    private Schedule schedule;
    private Gate gate;
    private Chain chain;
    /** When the source wants to be called again. */
    private long nextAt = Long.MIN_VALUE;
    private boolean endPassed;
    private boolean released;
    /** Once the source has ended; null before, and where the chain has no sink that commits. */
    private TaskEnd end;

    private long flushAt = Long.MAX_VALUE;
    private long wakeAt = Long.MAX_VALUE;

    SourceTask(TaskParts parts, Opening opening) {
        this.parts = parts;
        this.opening = opening;
        wanted = parts.spec().schedule();
    }

    /** From any thread; wake the task afterwards. */
    void schedule(Schedule next) {
        wanted = next;
    }

    /**
     * Produces nothing more. From any thread; wake the task afterwards.
     *
     * @param how {@link Segment#COMPLETE} or {@link Segment#STOPPED}
     */
    void stop(long how) {
        stop = how;
    }

    /** There is something new for the source. From any thread; wake the task afterwards. */
    void lookAgain() {
        woken = true;
    }

    @Override
    public Progress run(long now) {
        if (end != null) {
            return end.run();
        }
        if (chain == null) {
            chain = opening.chain();
            if (chain == null) {
                return Progress.IDLE;
            }
            if (parts.movesWith(chain)) {
                return Progress.BLOCKS;
            }
        }
        if (schedule != wanted) {
            schedule = wanted;
            gate = Gate.of(schedule, null, now);
        }
        wakeAt = Long.MAX_VALUE;
        long time = now;
        Progress progress;
        int steps = 0;
        do {
            progress = step(time);
            time = parts.clock().getAsLong();
        } while (progress == Progress.WORKED && ++steps < STEPS && time < now + SLICE);
        chain.count();
        parts.countRun();
        flushAt = chain.flush(time);
        return progress == Progress.DONE ? finish() : progress;
    }

    private Progress finish() {
        flushAt = Long.MAX_VALUE;
        wakeAt = Long.MAX_VALUE;
        release();
        end = TaskEnd.of(chain, parts.closing());
        return end == null ? Progress.DONE : end.run();
    }

    @Override
    public Progress cut() {
        if (end != null) {
            return end.run();
        }
        if (chain == null) {
            opening.giveUp();
            release();
            return Progress.DONE;
        }
        parts.closing().drop(chain.cut(endPassed));
        chain.count();
        return finish();
    }

    private Progress step(long now) {
        if (!chain.settle()) {
            return chain.hasRoom() ? Progress.WORKED : Progress.IDLE;
        }
        if (endPassed) {
            return Progress.DONE;
        }
        if (stop != RUNNING || nextAt == Source.ENDED) {
            chain.first().take(Segment.Kind.END, stop == RUNNING ? Segment.COMPLETE : stop, false);
            endPassed = true;
            return Progress.WORKED;
        }
        if (!chain.hasRoom()) {
            return Progress.IDLE;
        }
        if (nextAt > now && !woken) {
            wakeAt = nextAt == Source.WHEN_WOKEN ? Long.MAX_VALUE : nextAt;
            return Progress.IDLE;
        }
        if (!gate.isOpen(now)) {
            wakeAt = gate.deadline(now);
            return Progress.IDLE;
        }
        if (woken) {
            woken = false;
        }
        chain.first().origin(now);
        nextAt = chain.first().produce(now);
        gate.exhausted();
        return Progress.WORKED;
    }

    @Override
    public long deadline() {
        return Math.min(flushAt, wakeAt);
    }

    @Override
    public void abort() {
        if (chain == null) {
            opening.giveUp();
        } else {
            chain.abort();
        }
        release();
    }

    private void release() {
        if (!released) {
            released = true;
            parts.closeOutputs();
        }
    }
}
