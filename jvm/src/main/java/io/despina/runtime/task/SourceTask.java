package io.despina.runtime.task;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
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

    private final UserCommands told = new UserCommands();
    private Schedule schedule;
    private Gate gate;
    /** {@link #RUNNING}, or how to end. */
    private long stop = RUNNING;
    /** It is stopped, and the source still writes what it has taken in. */
    private boolean draining;
    /** The epochs whose barriers are still to be sent, and marks: all, because the tasks behind align them by their order. */
    private final ArrayDeque<Long> barriers = new ArrayDeque<>();
    private Chain chain;
    /** When to call the source again. */
    private long nextAt = Long.MIN_VALUE;
    /** The same of one that makes no rows now. */
    private long heldUntil = Long.MAX_VALUE;
    private boolean resumed;
    private boolean endPassed;
    private boolean released;
    /** Once the source has ended; null before, and where the chain takes part in no epochs. */
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
    public ProgressState run(long now) {
        if (end != null) {
            return end.run();
        }
        if (chain == null) {
            chain = opening.chain();
            if (chain == null) {
                return ProgressState.IDLE;
            }
            parts.status().opened();
            if (parts.movesWith(chain)) {
                return ProgressState.BLOCKS;
            }
        }
        if (!resumed) {
            resumed = true;
            chain.resume();
            nextAt = chain.first().hadEnded() ? Source.ENDED : nextAt;
        }
        parts.status().times().begin(now);
        takeCommands();
        if (gate == null) {
            gate = Gate.of(schedule, null, now);
        }
        wakeAt = Long.MAX_VALUE;
        long time = now;
        ProgressState progress;
        int steps = 0;
        do {
            progress = step(time);
            time = parts.clock().getAsLong();
        } while (progress == ProgressState.WORKED && ++steps < STEPS && time < now + SLICE);
        chain.count();
        parts.countRun(progress == ProgressState.WORKED, false, time);
        told.ran(chain);
        flushAt = chain.flush(time);
        if (progress == ProgressState.DONE) {
            return finish();
        }
        return chain.write(parts.clock()) ? ProgressState.WORKED : progress;
    }

    private void takeCommands() {
        for (Mailbox.Command next = mailbox.poll(); next != null; next = mailbox.poll()) {
            if (next instanceof Mailbox.Command.RunBy run) {
                schedule = run.take();
                gate = null;
            } else if (next instanceof Mailbox.Command.Stop ends) {
                stop = ends.how();
                draining = chain.first().stop();
                nextAt = Long.MIN_VALUE;
            } else if (next instanceof Mailbox.Command.Barrier barrier) {
                barriers.add(barrier.epoch());
            } else if (next instanceof Mailbox.Command.Complete complete) {
                chain.complete(complete);
            } else if (next instanceof Mailbox.Command.Call call) {
                call.call().run();
            } else {
                told.add(next, chain);
                if (next instanceof Mailbox.Command.Pass pass) {
                    barriers.add(pass.mark());
                }
            }
        }
    }

    private ProgressState finish() {
        flushAt = Long.MAX_VALUE;
        wakeAt = Long.MAX_VALUE;
        release();
        parts.status().ended();
        told.end();
        end = TaskEnd.of(chain, parts, 0, barriers.stream().mapToLong(Long::longValue).max().orElse(0));
        return end == null ? ProgressState.DONE : end.run();
    }

    @Override
    public ProgressState cut() {
        if (end != null) {
            return end.run();
        }
        if (chain == null) {
            opening.giveUp();
            release();
            parts.status().ended();
            mailbox.close();
            return ProgressState.DONE;
        }
        parts.completion().drop(chain.cut(endPassed));
        chain.count();
        return finish();
    }

    private ProgressState step(long now) {
        if (!chain.settle()) {
            return stalled();
        }
        if (endPassed) {
            return ProgressState.DONE;
        }
        if (chain.isRinging()) {
            return ring(now);
        }
        if (!barriers.isEmpty()) {
            if (!chain.first().take(SegmentKind.BARRIER, barriers.peek(), false)) {
                return unreleased();
            }
            barriers.remove();
            return ProgressState.WORKED;
        }
        if (stop != RUNNING && !draining || nextAt == Source.ENDED) {
            endPassed = chain.first().take(SegmentKind.END, stop == RUNNING ? Segment.COMPLETE : stop, false);
            return endPassed ? ProgressState.WORKED : unreleased();
        }
        if (!chain.hasRoom()) {
            return ProgressState.IDLE;
        }
        if (chain.timerAt() <= now) {
            return ring(now);
        }
        if (!told.isEmpty()) {
            return told.obey(chain) ? ProgressState.WORKED : unreleased();
        }
        if (nextAt > now && !mailbox.hasNews()) {
            wakeAt = Math.min(nextAt == Source.WHEN_WOKEN ? Long.MAX_VALUE : nextAt, chain.timerAt());
            return ProgressState.IDLE;
        }
        boolean held = !draining && !gate.isOpen(now);
        if (held && heldUntil > now && !mailbox.hasNews()) {
            wakeAt = Math.min(Math.min(gate.deadline(now), heldUntil), chain.timerAt());
            return ProgressState.IDLE;
        }
        produce(now, held);
        return ProgressState.WORKED;
    }

    private void produce(long now, boolean held) {
        mailbox.forgetNews();
        chain.first().origin(now);
        long again = chain.first().produce(now, held);
        if (held) {
            heldUntil = again == Source.WHEN_WOKEN ? Long.MAX_VALUE : again;
            nextAt = Long.MIN_VALUE;        // what is new is looked at as soon as it goes on
        } else {
            nextAt = again;
            gate.exhausted();
        }
    }

    /** The source has more to send before the signal, or waits for news of it, which wake this task. */
    private ProgressState unreleased() {
        return chain.first().waits() ? ProgressState.IDLE : stalled();
    }

    /** Packets in the chain wait for room: either there is some by now, or the port wakes this task. */
    private ProgressState stalled() {
        return chain.hasRoom() ? ProgressState.WORKED : ProgressState.IDLE;
    }

    private ProgressState ring(long now) {
        if (!chain.hasRoom()) {
            return ProgressState.IDLE;
        }
        chain.ring(now);
        return ProgressState.WORKED;
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
        parts.status().ended();
        mailbox.close();
        told.end();
        release();
    }

    private void release() {
        if (!released) {
            released = true;
            parts.closeOutputs();
        }
    }
}
