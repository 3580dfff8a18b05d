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
import io.despina.state.Sections;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * One operator instance in a task, with its cursors, outputs and counters. Exceptions of the operator are wrapped with its name.
 */
final class Stage {
    private interface Call {
        void run() throws Exception;
    }

    private final StageParts parts;
    private final StageSpec spec;
    private final StageCounters counters;
    private final Operator operator;
    /** The same, or null if it holds no packets back. */
    private final Holding holding;
    private final PacketCursor[] cursors;
    /** Null unless the operator is a sink. */
    private final Latency latency;
    /** Null unless the operator is a sink that commits. */
    private final SinkEpochs epochs;
    private final StageSnapshots snapshots;
    /** Null until {@link #open}. */
    private StageContext context;
    private PortOutput[] outputs;
    private StagePort[] ports;
    private final StageTimer timer;

    private long watermark = Long.MIN_VALUE;
    private long lastOrigin = Long.MAX_VALUE;
    /** Whether {@link Operator#end} has returned true. */
    private boolean inputsEnded;
    private boolean closed;

    Stage(StageParts parts, boolean objectReuse) {
        this.parts = parts;
        spec = parts.spec();
        counters = parts.counters();
        operator = parts.operator();
        holding = operator instanceof Holding holds ? holds : null;
        timer = new StageTimer(parts.job(), operator);
        latency = operator instanceof Sink ? counters.ofSink() : null;
        epochs = operator instanceof Sink sink && sink.commits() ? new SinkEpochs(sink) : null;
        snapshots = new StageSnapshots(parts);
        cursors = new PacketCursor[spec.ports().inputs().size()];
        for (int k = 0; k < cursors.length; k++) {
            var layout = spec.ports().inputs().get(k).layout();
            cursors[k] = objectReuse ? PacketCursor.reusing(layout) : new AllocatingCursor(layout);
        }
    }

    void open(StagePort[] opened) {
        ports = opened;
        outputs = Arrays.stream(ports).map(StagePort::output).toArray(PortOutput[]::new);
        context = new StageContext(parts, outputs, timer);
        try {
            List<Sections> from = snapshots.from();
            context.restored(from != null);
            operator.open(context);
            snapshots.restore(operator, epochs, from);
            watermark = snapshots.watermark();
        } catch (Exception | LinkageError e) {
            throw failed(e);
        }
    }

    /** Sends the restored watermark on. */
    void resume() {
        if (watermark > Long.MIN_VALUE && holding == null) {
            for (PortOutput output : outputs) {
                output.watermark(operator.outputWatermark(watermark), true);
            }
        }
    }

    private void barrier(long epoch) {
        if (snapshots.areTaken()) {
            attempt(() -> {
                if (epochs != null) {
                    epochs.barrier(epoch);
                }
                snapshots.freeze(epoch, watermark);
            });
        }
    }

    /** @return whether there is more to write now */
    boolean writeSnapshot() {
        try {
            return snapshots.write();
        } catch (IOException | RuntimeException e) {
            throw failed(e);
        }
    }

    StageSnapshots snapshots() {
        return snapshots;
    }

    /** The snapshot of that epoch is complete and kept. */
    void complete(long epoch) {
        attempt(() -> {
            if (epochs != null) {
                epochs.commit(epoch);
            }
            if (operator instanceof Source source) {
                source.acknowledge(epoch);
            }
        });
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
            counters.firstPacket(System.currentTimeMillis());
        }
        counters.packetsIn.add(packets);
        origin(origin);
        if (packets > 0 && latency != null && origin != Long.MAX_VALUE) {
            long age = parts.clock().getAsLong() - origin;
            latency.record(age, packets);
            context.arrived(age);
        }
    }

    /** The packets written next stem from one that was due at {@code nanos}; those that a watermark fires, from the last one. */
    void origin(long nanos) {
        if (nanos != Long.MAX_VALUE) {
            lastOrigin = nanos;
            for (PortOutput output : outputs) {
                output.due(nanos);
            }
        }
    }

    boolean blocks() {
        return operator.blocks();
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
        } catch (Exception | LinkageError | StackOverflowError e) {
            throw failed(e);
        }
    }

    /** @return when to call again, or {@link Source#ENDED} */
    long produce(long now) {
        try {
            return ((Source) operator).produce(now);
        } catch (Exception | LinkageError | StackOverflowError e) {
            throw failed(e);
        }
    }

    boolean stop() {
        return asked(((Source) operator)::stop);
    }

    void inputWatermark(int port, long micros) {
        attempt(() -> operator.inputWatermark(port, micros));
    }

    /** @return false if more is to be written: call again with the same arguments when there is room */
    boolean take(SegmentKind kind, long value, boolean exact) {
        if (kind != SegmentKind.WATERMARK && !asked(operator::release)) {
            return false;
        }
        return switch (kind) {
            case WATERMARK -> watermark(value, exact);
            case END -> end(value);
            case IDLE, BARRIER -> {
                if (kind == SegmentKind.BARRIER) {
                    barrier(value);
                }
                if (kind == SegmentKind.IDLE && holding != null) {
                    attempt(holding::idle);
                } else {
                    signal(kind, value);
                }
                yield true;
            }
            case DATA -> throw new IllegalArgumentException("packets are no signal");
        };
    }

    private boolean watermark(long micros, boolean exact) {
        if (micros > watermark) {
            origin(lastOrigin);
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
        if ((how == Segment.COMPLETE || holding != null) && !inputsEnded && !asked(() -> endInputs(how))) {
            return false;
        }
        prepare();
        signal(SegmentKind.END, how);
        return true;
    }

    private boolean endInputs(long how) throws Exception {
        origin(lastOrigin);
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

    boolean isHolding() {
        return holding != null;
    }

    /** How many packets it holds back. */
    long held() {
        return holding == null ? 0 : holding.held();
    }

    boolean commits() {
        return epochs != null;
    }

    /** @return when to be called again at the latest, for a sink that shows what it has now and then */
    long roll(long now) {
        if (epochs == null || snapshots.areTaken()) {
            return Sink.NEVER;      // with snapshots, rows are shown when the snapshot that has them is complete
        }
        try {
            return epochs.roll(now);
        } catch (Exception | LinkageError e) {
            throw failed(e);
        }
    }

    /** A sink's last epoch. */
    void prepare() {
        if (epochs != null) {
            attempt(epochs::end);
        }
    }

    /** All that a sink which commits has prepared. */
    void commit() {
        attempt(() -> epochs.commit(Long.MAX_VALUE));
    }

    void succeed() {
        attempt(epochs::succeed);
    }

    private boolean asked(Callable<Boolean> question) {
        try {
            return question.call();
        } catch (Exception | LinkageError | StackOverflowError e) {
            throw failed(e);
        }
    }

    private void attempt(Call call) {
        try {
            call.run();
        } catch (Exception | LinkageError e) {
            throw failed(e);
        }
    }

    /** Counts what was written since the last call; once per run. */
    void count() {
        StagePort.count(ports, spec.ports().errors(), counters);
    }

    void close() {
        closed = true;
        try {
            attempt(operator::close);
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
        snapshots.drop();
        try (operator) {
            if (epochs != null) {
                epochs.abort();
            }
        } catch (Exception alreadyFailed) {
            System.getLogger(Stage.class.getName()).log(System.Logger.Level.DEBUG, spec.operatorId(), alreadyFailed);
        } finally {
            if (context != null) {
                context.forgetState();
            }
        }
    }

    TaskFailedException failed(Throwable cause) {
        return cause instanceof TaskFailedException already ? already
                : new TaskFailedException(spec.operatorId(), spec.instance(), cause);
    }
}
