package io.despina.runtime.task;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.link.PortOutput;
import io.despina.metrics.Latency;
import io.despina.metrics.StageCounters;
import io.despina.operator.Holding;
import io.despina.operator.Operator;
import io.despina.operator.Sink;
import io.despina.operator.Source;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.StageSpec;
import io.despina.state.Held;
import io.despina.state.Sections;
import io.despina.state.State;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One operator instance in a task, with its cursors, outputs and counters. Exceptions of the operator are wrapped with its name.
 */
final class Stage implements StageMove.Renewable {
    private final StageParts parts;
    private final StageSpec spec;
    private final StageCounters counters;
    private Operator operator;
    /** The same, or null if it holds no packets back. */
    private final Holding holding;
    private final PacketCursor[] cursors;
    /** Null unless the operator is a sink. */
    private final Latency latency;
    private final StageCalls calls;
    private final StageEpochs epochs;
    private final StageMove move;
    /** Null until {@link #open}. */
    private StageContext context;
    private PortOutput[] outputs;
    private StagePort[] ports;
    private final StageTimer timer;
    private long watermark = Long.MIN_VALUE;
    /** Whether {@link Operator#end} has returned true. */
    private boolean inputsEnded;
    /** The END of a whole input has been passed on. */
    private boolean ended;
    private boolean closed;
    /** The last mark that was passed on, as barriers say it; 0 before the first. */
    private long marked;

    Stage(StageParts parts, boolean objectReuse) {
        this.parts = parts;
        spec = parts.spec();
        counters = parts.counters();
        operator = parts.operator();
        holding = operator instanceof Holding holds ? holds : null;
        timer = new StageTimer(parts.job(), operator);
        latency = operator instanceof Sink ? counters.ofSink() : null;
        calls = new StageCalls(spec);
        epochs = new StageEpochs(parts, operator, calls);
        move = new StageMove(parts, this, calls);
        cursors = AllocatingCursor.of(spec.ports().inputs(), objectReuse);
        LeavingOutCursor.put(cursors, spec.ports().inputs(), parts.snapshots().leftOut(spec.operatorId()), (schema, packet) ->
                context.badRecord(new IllegalStateException("it has failed its operator in one attempt after the other"), schema,
                        packet));
    }

    void open(StagePort[] opened) {
        ports = opened;
        outputs = Arrays.stream(ports).map(StagePort::output).toArray(PortOutput[]::new);
        context = new StageContext(parts, outputs, timer);
        try {
            List<Sections> from = epochs.from();
            context.restored(from != null);
            operator.open(context);
            epochs.restore(from);
            watermark = epochs.watermark();
            inputsEnded = epochs.hadEnded();
            counters.opened(TimeUnit.MICROSECONDS.toMillis(context.wallMicros()));
        } catch (Exception | LinkageError e) {
            throw failed(e);
        }
    }

    /** Whether its input had ended when it was restored: only its END is left to be sent. */
    boolean hadEnded() {
        return epochs.hadEnded();
    }

    /** Sends the restored watermark on. */
    void resume() {
        if (watermark > Long.MIN_VALUE && holding == null && !hadEnded()) {
            for (PortOutput output : outputs) {
                output.watermark(operator.outputWatermark(watermark), true);
            }
        }
    }

    StageEpochs epochs() {
        return epochs;
    }

    StageTimer timer() {
        return timer;
    }

    StageSpec spec() {
        return spec;
    }

    PacketCursor cursor(int port) {
        return cursors[port];
    }

    boolean hasRoom() {
        for (PortOutput output : outputs) {
            if (!output.hasRoom()) {
                return false;
            }
        }
        return true;
    }

    /** Packets have arrived, the oldest of them due at {@code origin}: counts them, and their latency if this is a sink. */
    void arrive(int packets, long origin) {
        if (packets > 0 && latency != null && counters.firstPacketMillis() == StageCounters.NONE) {
            counters.firstPacket(TimeUnit.MICROSECONDS.toMillis(context.wallMicros()));
        }
        counters.packetsIn.add(packets);
        context.came(origin);
        if (packets > 0 && latency != null && origin != Long.MAX_VALUE) {
            long age = parts.clock().getAsLong() - origin;
            latency.record(age, packets);
            context.arrived(age);
        }
    }

    /** Packets that arrive, for users who look. */
    void tail(int port, byte[] bytes, int from, int to) {
        parts.tails().see(port, bytes, from, to);
    }

    /** Packets that have arrived are dropped before the operator has taken them: they do not count as taken. */
    void leave(long packets) {
        counters.packetsIn.add(-packets);
    }

    void origin(long nanos) {
        context.origin(nanos);
    }

    boolean blocks() {
        return operator.blocks();
    }

    boolean waits() {
        return operator.waits();
    }

    boolean passesOn() {
        return operator.passesOn();
    }

    /** @return whether the segment, which {@link #arrive} has counted, now belongs to the receiver */
    boolean passOn(Segment segment) {
        return outputs[0].passOn(segment);
    }

    void process(int port) {
        try {
            operator.process(port, cursors[port]);
        } catch (Exception e) {
            throw failed(e);
        } catch (Error e) {
            throw calls.failed(e, port, cursors[port].given(spec.ports().inputs().get(port).layout()));
        }
    }

    /** @param held whether it must make no rows now. @return when to call again, or {@link Source#ENDED} */
    long produce(long now, boolean held) {
        try {
            Source source = (Source) operator;
            return held ? source.held(now) : source.produce(now);
        } catch (Exception | LinkageError | StackOverflowError e) {
            throw failed(e);
        }
    }

    boolean stop() {
        return calls.ask(((Source) operator)::stop);
    }

    void inputWatermark(int port, long micros) {
        calls.run(() -> operator.inputWatermark(port, micros));
    }

    /** @return false if more is to be written: call again with the same arguments when there is room */
    boolean take(SegmentKind kind, long value, boolean exact) {
        if (kind != SegmentKind.WATERMARK && !calls.ask(operator::release)) {
            return false;
        }
        return switch (kind) {
            case WATERMARK -> watermark(value, exact);
            case END -> end(value);
            case IDLE, BARRIER -> {
                if (kind == SegmentKind.BARRIER) {
                    freeze(value);
                }
                if (kind == SegmentKind.IDLE && holding != null) {
                    calls.run(holding::idle);
                } else if (kind == SegmentKind.BARRIER || calls.ask(operator::passesIdle)) {
                    signal(kind, value);
                }
                yield true;
            }
            case DATA -> throw new IllegalArgumentException("packets are no signal");
        };
    }

    private boolean watermark(long micros, boolean exact) {
        if (micros > watermark) {
            context.originAgain();
            try {
                if (!operator.watermark(micros)) {
                    return false;
                }
            } catch (Exception | LinkageError | StackOverflowError e) {
                throw failed(e);
            }
            watermark = micros;
        } else if (!exact) {
            return true;
        }
        if (holding != null) {
            return true;
        }
        for (PortOutput output : outputs) {
            output.watermark(operator.outputWatermark(watermark), exact);
        }
        return true;
    }

    private boolean end(long how) {
        if ((how == Segment.COMPLETE || holding != null) && !inputsEnded && !calls.ask(() -> endInputs(how))) {
            return false;
        }
        ended = how == Segment.COMPLETE;
        signal(SegmentKind.END, how);
        return true;
    }

    /** The epoch is of this instant; or a mark passes, which is of none. */
    void freeze(long epoch) {
        if (SyncMarks.isMove(epoch)) {
            epochs.drop();      // what no epoch waits for: none is being frozen while a move passes
            move.begin(epoch);
        } else if (SyncMarks.isMark(epoch)) {
            marked = epoch;
        } else if (epochs.takesPart()) {
            count();
            epochs.barrier(epoch, ended, watermark);
        }
    }

    private boolean endInputs(long how) throws Exception {
        context.originAgain();
        if (how == Segment.COMPLETE) {
            if (watermark != Long.MAX_VALUE && !operator.watermark(Long.MAX_VALUE)) {
                return false;
            }
            watermark = Long.MAX_VALUE;
        }
        inputsEnded = operator.end();
        return inputsEnded;
    }

    private void signal(SegmentKind kind, long value) {
        for (PortOutput output : outputs) {
            output.signal(kind, value);
        }
    }

    /** The task is cut short: what a sink has gathered still leaves. */
    void cut() {
        if (latency != null) {
            calls.ask(operator::release);
        }
    }

    /** What a user tells the operator. @return false if rows must leave before: call again */
    boolean obey(Mailbox.Command.Tell tell) {
        return calls.obey(operator, tell);
    }

    StageMove move() {
        return move;
    }

    @Override
    public List<State> states() {
        return holding == null ? operator.states() : List.of();
    }

    @Override
    public List<State> renew() throws Exception {
        operator.close();
        operator = parts.operator();
        timer.renew(operator);
        context.restored(true);
        operator.open(context);
        epochs.renew(operator);
        return operator.states();
    }

    @Override
    public void restored() throws Exception {
        operator.restored();
    }

    long marked() {
        return marked;
    }

    /** How many keys its operator has values for. */
    long keys() {
        return operator.states().stream().mapToLong(State::keys).sum();
    }

    boolean isHolding() {
        return holding != null;
    }

    /** The task ends. Counts what the operator still holds, unless its input has ended. */
    void leave() {
        if (watermark != Long.MAX_VALUE || !inputsEnded) {
            Held held = calls.ask(operator::held);
            counters.held.set(held.packets());
            counters.openWindows.set(held.windows());
        }
    }

    /** Counts what was written since the last call; once per run. */
    void count() {
        StagePort.count(ports, spec.ports().errors(), counters);
        counters.watermark.set(watermark);
    }

    void close() {
        closed = true;
        move.drop();
        try {
            calls.run(operator::close);
        } finally {
            context.forgetState();
        }
    }

    /** Leaves what the sink has not committed, and closes the operator; its errors then no longer matter. */
    void abort() {
        if (closed) {
            return;
        }
        closed = true;
        move.drop();
        Operator last = operator;
        try (last) {
            epochs.abort();
        } catch (Exception alreadyFailed) {
            System.getLogger(Stage.class.getName()).log(System.Logger.Level.DEBUG, spec.operatorId(), alreadyFailed);
        } finally {
            if (context != null) {
                context.forgetState();
            }
        }
    }

    TaskFailedException failed(Throwable cause) {
        return calls.failed(cause);
    }
}
