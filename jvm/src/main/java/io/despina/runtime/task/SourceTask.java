package io.despina.runtime.task;

import io.despina.buffer.Segment;
import io.despina.operator.Source;
import io.despina.runtime.worker.Task;
import io.despina.spec.Schedule;
import java.util.ArrayDeque;

/** A task whose first stage is a source: produces while its outputs have room and something is due. */
final class SourceTask implements Task {
    private static final long SLICE = 500_000;
    /** Bounds a run where the clock does not move. */
    private static final int STEPS = 64;
    private static final int RUNNING = -1;

    private final TaskParts parts;
    private final Opening opening;
    private final Mailbox mailbox;

    private Schedule schedule;
    private Gate gate;
    /** {@link #RUNNING}, or how to end. */
    private long stop = RUNNING;
    /** The epochs whose barriers are to be passed on. */
    private final ArrayDeque<Long> barriers = new ArrayDeque<>();
    private Chain chain;
    /** When the source wants to be called again. */
    private long nextAt = Long.MIN_VALUE;
    private boolean resumed;
    private boolean endPassed;
    private boolean released;
    /** Once the source has ended; null before, and where the chain has no sink that commits. */
    private TaskEnd end;

    private long flushAt = Long.MAX_VALUE;
    private long wakeAt = Long.MAX_VALUE;

    SourceTask(TaskParts parts, Opening opening) {
        this.parts = parts;
        this.opening = opening;
        mailbox = parts.mailbox();
        schedule = parts.spec().schedule();
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
        if (!resumed) {
            resumed = true;
            chain.resume();
        }
        takeCommands();
        if (gate == null) {
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
        return chain.writesOn(progress) ? Progress.WORKED : progress == Progress.DONE ? finish() : progress;
    }

    private void takeCommands() {
        for (Mailbox.Command next = mailbox.poll(); next != null; next = mailbox.poll()) {
            if (next instanceof Mailbox.Command.RunBy run) {
                schedule = run.schedule();
                gate = null;
            } else if (next instanceof Mailbox.Command.Stop ends) {
                stop = ends.how();
            } else if (next instanceof Mailbox.Command.Barrier barrier) {
                barriers.add(barrier.epoch());
            } else if (next instanceof Mailbox.Command.Complete complete) {
                chain.complete(complete.epoch());
            }
        }
    }

    private Progress finish() {
        mailbox.close();
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
        if (!barriers.isEmpty()) {
            chain.first().take(Segment.Kind.BARRIER, barriers.remove(), false);
            return Progress.WORKED;
        }
        if (stop != RUNNING || nextAt == Source.ENDED) {
            chain.first().take(Segment.Kind.END, stop == RUNNING ? Segment.COMPLETE : stop, false);
            endPassed = true;
            return Progress.WORKED;
        }
        if (!chain.hasRoom()) {
            return Progress.IDLE;
        }
        if (nextAt > now && !mailbox.hasNews()) {
            wakeAt = nextAt == Source.WHEN_WOKEN ? Long.MAX_VALUE : nextAt;
            return Progress.IDLE;
        }
        if (!gate.isOpen(now)) {
            wakeAt = gate.deadline(now);
            return Progress.IDLE;
        }
        mailbox.forgetNews();
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
