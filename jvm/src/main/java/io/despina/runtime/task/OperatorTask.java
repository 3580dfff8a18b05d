package io.despina.runtime.task;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.packet.PacketCursor;
import io.despina.runtime.worker.Task;
import io.despina.spec.Schedule;
import java.util.List;

/** A task with inputs: takes a segment while its outputs have room, and moves its packets or its signal through the chain. */
final class OperatorTask implements Task {
    /** Bounds a run where the clock does not move. */
    private static final int STEPS = 64;

    private final TaskParts parts;
    private final Opening opening;
    private final Inputs inputs;
    private final Batching batching;
    private final Mailbox mailbox;

    private final UserCommands told = new UserCommands();
    private Schedule schedule;
    private Gate gate;
    private Chain chain;
    /** Whole segments may be passed on. */
    private boolean passesOn;
    /** The segment being processed, and its channel. */
    private Segment segment;
    private Inputs.Channel channel;
    /** Whether the first operator has left packets of the segment until it is woken, or its timer rings. */
    private boolean waiting;

    private boolean watermarkPending;
    private boolean watermarkExact;
    /** A signal to be passed on, or null. */
    private SegmentKind signal;
    /** The last epoch whose barrier was commanded, and the last whose barrier has come. */
    private long asked;
    private long epoch;
    /** The last barrier that has come: of an epoch, or a mark. */
    private long barrier;
    private boolean resumed;
    private boolean endPassed;
    private boolean released;
    /** Once its input has ended; null before, and where the chain takes part in no epochs. */
    private TaskEnd end;

    private long flushAt = Long.MAX_VALUE;
    private long gateAt = Long.MAX_VALUE;

    OperatorTask(TaskParts parts, Opening opening, List<Inputs.Channel> channels, Batching batching) {
        this.parts = parts;
        this.opening = opening;
        this.batching = batching;
        inputs = new Inputs(channels);
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
            passesOn = chain.passesOn() && batching.isWhole() && parts.spec().settings().objectReuse();
            if (parts.movesWith(chain)) {
                return ProgressState.BLOCKS;
            }
        }
        if (!resumed) {
            resumed = true;
            chain.resume();
        }
        parts.status().times().begin(now);
        takeCommands();
        if (gate == null) {
            gate = Gate.of(schedule, inputs, now);
        }
        gateAt = Long.MAX_VALUE;
        long until = now + batching.slice();
        ProgressState progress;
        int steps = 0;
        do {
            progress = step(now);
        } while (progress == ProgressState.WORKED && ++steps < STEPS && parts.clock().getAsLong() < until);
        chain.count();
        long time = parts.clock().getAsLong();
        parts.countRun(progress == ProgressState.WORKED, waiting, time);
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
            } else if (next instanceof Mailbox.Command.Complete complete) {
                chain.complete(complete);
            } else if (next instanceof Mailbox.Command.Barrier ordered) {
                asked = ordered.epoch();
            } else if (next instanceof Mailbox.Command.Call call) {
                call.call().run();
            } else {
                told.add(next, chain);
            }
        }
    }

    private ProgressState finish() {
        flushAt = Long.MAX_VALUE;
        gateAt = Long.MAX_VALUE;
        // before the task waits for the job's decision: no sender must wait for this task
        release();
        parts.status().ended();
        told.end();
        end = TaskEnd.of(chain, parts, epoch, asked);
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
        if (segment != null) {
            PacketCursor cursor = chain.first().cursor(channel.port);
            do {
                chain.first().leave(FusedLink.rest(cursor));
            } while (batching.next(cursor));
            channel.receiver.consumed(segment);
            segment = null;
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
        if (chain.first().move().isUnderWay()) {
            return move();
        }
        if (chain.isRinging()) {
            return ring(now);
        }
        if (watermarkPending || signal != null) {
            return waiting && chain.timerAt() <= now ? ring(now) : pass();
        }
        if (segment != null) {
            return waiting && chain.timerAt() <= now ? ring(now) : work();
        }
        if (!told.isEmpty() && chain.hasRoom()) {
            return waiting && chain.timerAt() <= now ? ring(now) : obey();
        }
        // what is held back leaves by timers before the end is passed on
        if (inputs.allEnded() && !(chain.first().isHolding() && chain.timerAt() <= now)) {
            return end(now);
        }
        if (!chain.hasRoom()) {
            return ProgressState.IDLE;
        }
        if (chain.timerAt() <= now) {
            return ring(now);
        }
        if (gate.isOpen(now)) {
            channel = inputs.next();
            if (channel != null) {
                take(channel.receiver.poll());
                return ProgressState.WORKED;
            }
            gate.exhausted();
        }
        gateAt = Math.min(gate.deadline(now), chain.timerAt());
        return ProgressState.IDLE;
    }

    /** Buckets move from or to the first operator: nothing else is done before that. */
    private ProgressState move() {
        if (!chain.first().move().go()) {
            return ProgressState.IDLE;
        }
        for (int port = 0; port < inputs.ports() && !chain.first().move().isUnderWay(); port++) {
            chain.first().inputWatermark(port, inputs.portWatermark(port));     // the fresh operator knows none
        }
        return ProgressState.WORKED;
    }

    private ProgressState obey() {
        waiting = false;
        return told.obey(chain) ? ProgressState.WORKED : unreleased();
    }

    private ProgressState ring(long now) {
        if (!chain.hasRoom()) {
            return ProgressState.IDLE;
        }
        chain.ring(now);
        return ProgressState.WORKED;
    }

    /** Packets in the chain wait for room: either there is some by now, or the port wakes this task. */
    private ProgressState stalled() {
        return chain.hasRoom() ? ProgressState.WORKED : ProgressState.IDLE;
    }

    private ProgressState work() {
        PacketCursor cursor = chain.first().cursor(channel.port);
        waiting = false;
        if (!cursor.isEmpty()) {
            chain.first().process(channel.port);
            if (!chain.settle()) {
                return stalled();
            }
        }
        if (!cursor.isEmpty()) {
            waiting = chain.first().waits();
            gateAt = waiting ? chain.timerAt() : gateAt;
            return waiting ? ProgressState.IDLE : stalled();
        }
        if (!batching.next(cursor)) {
            Segment done = segment;
            segment = null;
            cursor.letGo();
            channel.receiver.consumed(done);
        }
        return ProgressState.WORKED;
    }

    private void take(Segment next) {
        if (next.kind == SegmentKind.DATA) {
            // the tasks behind judge these packets by the watermark of now, wherever their segments end
            watermarkExact = inputs.active(channel);
            watermarkPending = watermarkExact;
            int capacity = next.capacity();
            chain.first().arrive(next.packets, next.origin);
            chain.first().tail(channel.port, next.bytes(), next.start, next.end);
            if (passesOn && !watermarkPending && chain.first().passOn(next)) {
                channel.receiver.passedOn(capacity);
                return;
            }
            segment = next;
            batching.begin(channel.port, chain.first().cursor(channel.port), next);
            return;
        }
        SegmentKind kind = next.kind;
        long value = next.value;
        boolean exact = next.exact;
        channel.receiver.consumed(next);
        switch (kind) {
            case WATERMARK -> {
                watermarkExact = inputs.watermark(channel, value) || exact;
                watermarkPending = true;
            }
            case IDLE -> {
                inputs.idle(channel);
                // the watermark that this channel held back may grow, though that of its port does not
                watermarkPending = true;
                signal = inputs.allIdle() ? kind : null;
            }
            case BARRIER -> {
                barrier = value;
                epoch = SyncMarks.isMark(value) ? epoch : value;
                signal = inputs.barrier(channel) ? kind : null;
            }
            default -> ended(value);
        }
        if (inputs.portGrew(channel.port)) {
            watermarkPending = true;
            chain.first().inputWatermark(channel.port, inputs.portWatermark(channel.port));
        }
    }

    private void ended(long how) {
        watermarkPending = true;
        if (inputs.end(channel, how)) {
            signal = SegmentKind.BARRIER;
        } else if (!inputs.allEnded() && inputs.allIdle()) {
            signal = SegmentKind.IDLE;
        }
    }

    private ProgressState pass() {
        if (watermarkPending) {
            long micros = inputs.allEnded() ? Long.MIN_VALUE : inputs.watermark();
            if (micros > Long.MIN_VALUE && !chain.first().take(SegmentKind.WATERMARK, micros, watermarkExact)) {
                return stalled();
            }
            watermarkPending = false;
            watermarkExact = false;
        }
        if (signal != null) {
            waiting = false;
            if (!chain.first().take(signal, signal == SegmentKind.BARRIER ? barrier : 0, false)) {
                return unreleased();
            }
            signal = null;
        }
        return ProgressState.WORKED;
    }

    /** The first operator has more to send before the signal, or waits for an answer before it knows. */
    private ProgressState unreleased() {
        waiting = chain.first().waits();
        gateAt = waiting ? chain.timerAt() : gateAt;
        return waiting ? ProgressState.IDLE : stalled();
    }

    private ProgressState end(long now) {
        if (!chain.first().take(SegmentKind.END, inputs.how(), false)) {
            if (chain.first().isHolding() && chain.timerAt() > now) {
                gateAt = chain.timerAt();
                return ProgressState.IDLE;
            }
            return stalled();
        }
        endPassed = true;
        return ProgressState.WORKED;
    }

    @Override
    public long deadline() {
        return Math.min(flushAt, gateAt);
    }

    @Override
    public void abort() {
        if (segment != null) {
            channel.receiver.consumed(segment);
            segment = null;
        }
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
            inputs.close();
            parts.closeOutputs();
        }
    }
}
