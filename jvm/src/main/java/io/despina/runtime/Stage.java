package io.despina.runtime;

import io.despina.buffer.Segment;
import io.despina.link.PortOutput;
import io.despina.metrics.Latency;
import io.despina.operator.Operator;
import io.despina.operator.Sink;
import io.despina.operator.Source;
import io.despina.packet.PacketCursor;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.state.Numbers;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.State;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/** One operator instance inside a task, with its cursors, outputs and counters. What its operator throws leaves with its name. */
final class Stage {
    /** An output port, and whether anything is linked to it. */
    record Port(PortOutput output, boolean linked) {
    }

    private static final int MAIN_PORT = 0;

    private final StageParts parts;
    private final StageSpec spec;
    private final LongSupplier clock;
    private final StageCounters counters;
    private final Operator operator;
    private final PacketCursor[] cursors;
    /** Null unless the operator is a sink. */
    private final Latency latency;
    /** The operator, if it is a sink that commits; or null. */
    private final Sink committing;
    /** Null until {@link #open}. */
    private StageContext context;
    private PortOutput[] outputs;
    /** What a snapshot has of this stage. */
    private final List<State> states = new ArrayList<>();
    private final Numbers reached = new Numbers("reached_watermark", Long.MIN_VALUE);
    /** The snapshot in the writing, or null. */
    private InstanceSnapshot snapshot;
    private boolean[] linked;

    private long watermark = Long.MIN_VALUE;
    private long lastOrigin = Long.MAX_VALUE;
    /** Of {@link #finish}: whether the operator has been told that its inputs ended. */
    private boolean inputsEnded;
    private boolean prepared;
    private boolean closed;
    /** What a sink takes until it rolls, until the next barrier or until the end is one epoch. */
    private long epoch = 1;
    /** Epochs that the sink has prepared. */
    private final ArrayDeque<Long> uncommitted = new ArrayDeque<>();

    Stage(StageParts parts, boolean objectReuse) {
        this.parts = parts;
        spec = parts.spec();
        counters = parts.counters();
        clock = parts.clock();
        operator = made(spec);
        latency = operator instanceof Sink ? counters.ofSink() : null;
        committing = operator instanceof Sink sink && sink.commits() ? sink : null;
        cursors = new PacketCursor[spec.inputs().size()];
        for (int k = 0; k < cursors.length; k++) {
            var layout = spec.inputs().get(k).layout();
            cursors[k] = objectReuse ? PacketCursor.reusing(layout) : new AllocatingCursor(layout);
        }
    }

    private static Operator made(StageSpec spec) {
        try {
            return spec.operator().get();
        } catch (RuntimeException | LinkageError e) {
            throw new TaskFailedException(spec.operatorId(), spec.instance(), e);
        }
    }

    void open(Port[] ports) {
        outputs = Arrays.stream(ports).map(Port::output).toArray(PortOutput[]::new);
        linked = new boolean[ports.length];
        for (int k = 0; k < ports.length; k++) {
            linked[k] = ports[k].linked();
        }
        context = new StageContext(parts, outputs);
        try {
            List<Sections> from = parts.snapshots().restored(spec.operatorId());
            context.restored(from != null);
            operator.open(context);
            states.addAll(operator.states());
            states.add(reached);
            if (from != null) {
                new Share(spec.instance(), spec.parallelism(), parts.snapshots().buckets()).restore(states, from);
                watermark = reached.get(0);
                operator.restored();
                restoreEpochs();
            }
        } catch (Exception | LinkageError e) {
            throw failed(e);
        }
    }

    private void restoreEpochs() {
        if (committing != null) {
            uncommitted.addAll(committing.prepared());
            epoch = 1 + uncommitted.stream().mapToLong(each -> each).reduce(committing.committed(), Math::max);
        }
    }

    /** Those behind are to know again how far the time has come. */
    void resume() {
        if (watermark > Long.MIN_VALUE) {
            for (PortOutput output : outputs) {
                output.watermark(watermark, true);
            }
        }
    }

    /** The snapshot of that epoch is of this instant. */
    private void freeze(long at) {
        try {
            if (parts.snapshots() == JobSnapshots.NONE) {
                return;
            }
            if (committing != null && !prepared) {
                committing.prepare(at);
                uncommitted.add(at);
                epoch = at + 1;
            }
            reached.set(0, watermark);
            dropSnapshot();
            snapshot = parts.snapshots().begin(at, new JobSnapshots.Instance(spec.operatorId(), spec.instance()), states, parts.wake());
        } catch (Exception | LinkageError e) {
            throw failed(e);
        }
    }

    /** @return whether there is more to write now */
    boolean writeSnapshot() {
        if (snapshot == null) {
            return false;
        }
        try {
            InstanceSnapshot.Progress progress = snapshot.write();
            if (progress == InstanceSnapshot.Progress.DONE) {
                snapshot.close();
                snapshot = null;
            }
            return progress == InstanceSnapshot.Progress.WORKED;
        } catch (IOException | RuntimeException e) {
            throw failed(e);
        }
    }

    boolean isWriting() {
        return snapshot != null;
    }

    /** Gives up a snapshot that is not written yet. */
    void dropSnapshot() {
        if (snapshot != null) {
            snapshot.close();
            snapshot = null;
        }
    }

    /** The snapshot of that epoch is complete and kept. */
    void complete(long of) {
        commitUpTo(of);
        if (operator instanceof Source source) {
            tell(() -> source.acknowledge(of));
        }
    }

    StageSpec spec() {
        return spec;
    }

    StageCounters counters() {
        return counters;
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

    /** Packets have come to this stage, the oldest of them due at {@code origin}: counted, and their latency if it is a sink. */
    void arrive(int packets, long origin) {
        counters.packetsIn.add(packets);
        origin(origin);
        if (packets > 0 && latency != null && origin != Long.MAX_VALUE) {
            long age = clock.getAsLong() - origin;
            latency.record(age, packets);
            context.arrived(age);
        }
    }

    /** What is written next stems from a packet due at {@code nanos}; what a watermark fires, from the last one. */
    void origin(long nanos) {
        if (nanos != Long.MAX_VALUE) {
            lastOrigin = nanos;
            for (PortOutput output : outputs) {
                output.origin(nanos);
            }
        }
    }

    boolean blocks() {
        return operator.blocks();
    }

    boolean passesOn() {
        return operator.passesOn();
    }

    /** @return whether the segment, of which {@link #arrive} has been told, is now somebody else's */
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

    void inputWatermark(int port, long micros) {
        try {
            operator.inputWatermark(port, micros);
        } catch (RuntimeException | LinkageError e) {
            throw failed(e);
        }
    }

    /** @return false if more is to be emitted: call again with the same arguments when there is room */
    boolean take(Segment.Kind kind, long value, boolean exact) {
        return switch (kind) {
            case WATERMARK -> watermark(value, exact);
            case END -> end(value);
            case IDLE, BARRIER -> {
                if (kind == Segment.Kind.BARRIER) {
                    freeze(value);
                }
                for (PortOutput output : outputs) {
                    output.signal(kind, value, exact);
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
        for (PortOutput output : outputs) {
            output.watermark(watermark, exact);
        }
        return true;
    }

    private boolean end(long how) {
        try {
            if (how == Segment.COMPLETE && !inputsEnded) {
                origin(lastOrigin);
                if (watermark != Long.MAX_VALUE && !operator.watermark(Long.MAX_VALUE)) {
                    return false;
                }
                watermark = Long.MAX_VALUE;
                if (!operator.end()) {
                    return false;
                }
                inputsEnded = true;
            }
        } catch (Exception | LinkageError | StackOverflowError e) {
            throw failed(e);
        }
        prepare();
        for (PortOutput output : outputs) {
            output.signal(Segment.Kind.END, how, false);
        }
        return true;
    }

    boolean commits() {
        return committing != null;
    }

    /** @return when to be called again at the latest, for a sink that shows what it has now and then */
    long roll(long now) {
        if (committing == null || prepared || parts.snapshots() != JobSnapshots.NONE) {
            return Sink.NEVER;      // with snapshots, rows are shown when the snapshot that has them is complete
        }
        try {
            if (committing.roll(epoch, now)) {
                epoch++;
            }
            return committing.rollAt();
        } catch (Exception | LinkageError e) {
            throw failed(e);
        }
    }

    /** A sink's last epoch. */
    void prepare() {
        if (committing != null && !prepared) {
            prepared = true;
            tell(() -> committing.prepare(epoch));
            uncommitted.add(epoch);
        }
    }

    void commit() {
        commitUpTo(epoch);
    }

    private void commitUpTo(long last) {
        while (!uncommitted.isEmpty() && uncommitted.peek() <= last) {
            tell(() -> committing.commit(uncommitted.peek()));
            uncommitted.remove();
        }
    }

    void succeed() {
        if (committing != null) {
            tell(committing::succeed);
        }
    }

    private interface Call {
        void run() throws Exception;
    }

    private void tell(Call sink) {
        try {
            sink.run();
        } catch (Exception | LinkageError e) {
            throw failed(e);
        }
    }

    /** Tells what was written since the last call; once per run. */
    void count() {
        long out = 0;
        long dropped = 0;
        for (int k = 0; k < outputs.length; k++) {
            long packets = outputs[k].packets();
            if (!linked[k]) {
                dropped += packets;
            } else if (k == MAIN_PORT && k != spec.errorsPort()) {      // a sink's first port is `errors`
                out = packets;
            }
        }
        counters.packetsOut.set(out);
        counters.dropped.set(dropped);
    }

    void close() {
        closed = true;
        try {
            operator.close();
        } catch (IOException | RuntimeException e) {
            throw failed(e);
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
        dropSnapshot();
        try (operator) {
            if (committing != null) {
                committing.abort();
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
