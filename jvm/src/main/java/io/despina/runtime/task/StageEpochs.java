package io.despina.runtime.task;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.Operator;
import io.despina.operator.Sink;
import io.despina.operator.Source;
import io.despina.state.Sections;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What a stage makes durable: its snapshots at barriers, and the rows of a sink that commits. */
final class StageEpochs {
    private final StageParts parts;
    private Operator operator;
    private final StageCalls calls;
    private final StageSnapshots snapshots;
    private final JobSnapshots.Instance instance;
    /** Null unless the operator is a sink that commits. */
    private final SinkEpochs ofSink;
    /** It takes part also without snapshots. */
    private boolean joined;

    StageEpochs(StageParts parts, Operator operator, StageCalls calls) {
        this.parts = parts;
        this.operator = operator;
        this.calls = calls;
        snapshots = new StageSnapshots(parts);
        instance = new JobSnapshots.Instance(parts.spec().operatorId(), parts.spec().instance());
        ofSink = operator instanceof Sink sink && sink.commits()
                ? new SinkEpochs(sink, calls, parts.own(), this::committed) : null;
    }

    private EpochWords words() {
        return parts.job().words();
    }

    /** What the instances of the operator wrote, or null. */
    List<Sections> from() throws Exception {
        return snapshots.from();
    }

    /**
     * The operator is open.
     *
     * @param from as {@link #from} gave it
     */
    void restore(List<Sections> from) throws Exception {
        snapshots.restore(operator, ofSink, from);
    }

    /** A fresh operator, which is open, is in the place of the old one. It is no sink. */
    void renew(Operator fresh) {
        operator = fresh;
        snapshots.renew(fresh);
    }

    /** The watermark that was restored, or {@link Long#MIN_VALUE}. */
    long watermark() {
        return snapshots.watermark();
    }

    /** Whether it is restored, and its input had ended. */
    boolean hadEnded() {
        return snapshots.hadEnded();
    }

    /** Whether it takes part in epochs, also after its END. */
    boolean takesPart() {
        return ofSink != null || snapshots.areTaken();
    }

    /** The END has passed: it waits for epochs to take part in. */
    void join() {
        if (ofSink != null) {
            joined = true;
            calls.run(ofSink::finish);
            words().join(instance);
        }
    }

    /** The barrier of that epoch has come: it is of this instant. */
    void barrier(long epoch, boolean ended, long watermark) {
        if (joined || snapshots.areTaken()) {
            calls.run(() -> freeze(epoch, new FrozenInstance(instance.operator(), instance.number(), ended, watermark,
                    snapshots.counted())));
        }
    }

    private void freeze(long epoch, FrozenInstance now) throws Exception {
        if (operator instanceof Source source) {
            source.barrier(epoch);
        }
        CompletableFuture<Void> prepared = ofSink == null ? Sink.DONE : !snapshots.areTaken() ? ofSink.last(epoch)
                : ofSink.barrier(epoch, snapshots.isWhole(epoch));
        prepared.whenComplete((nothing, failure) -> {
            if (failure != null) {
                parts.own().execute(() -> {
                    throw calls.failed(failure);
                });
            }
        });
        CompletableFuture<?> written = snapshots.freeze(epoch, now);
        CompletableFuture.allOf(prepared, written).whenComplete((nothing, failure) -> {
            if (failure == null) {
                words().frozen(epoch, now);
            } else {
                words().failed(epoch, instance, failure);
            }
        });
    }

    /** Writes a slice of the snapshot. @return whether there is more to write now */
    boolean write() {
        try {
            return snapshots.write();
        } catch (IOException | RuntimeException e) {
            throw calls.failed(e);
        }
    }

    /** Whether the first snapshot after a restore is being written. */
    boolean isFirst() {
        return snapshots.isFirst();
    }

    /** Gives up what is not written yet. */
    void drop() {
        snapshots.drop();
    }

    /** The epoch is complete and kept. */
    void complete(Mailbox.Command.Complete command) {
        if (!takesPart()) {
            return;
        }
        calls.run(() -> {
            if (operator instanceof Source source) {
                source.acknowledge(command.epoch());
            }
            if (ofSink == null) {
                committed(command.epoch());
            } else {
                ofSink.commit(command.epoch(), command.isLast());
            }
        });
    }

    private void committed(long epoch) {
        words().committed(epoch, instance);
    }

    /** Whether the operator is a sink that commits. If not, none of the calls below does anything. */
    boolean commits() {
        return ofSink != null;
    }

    /** @return when to be called again at the latest, for a sink that shows what it has now and then */
    long roll(long now) {
        if (ofSink == null || snapshots.areTaken()) {
            return NEVER;      // with snapshots, rows are shown when the snapshot that has them is complete
        }
        try {
            return ofSink.roll(now);
        } catch (Exception | LinkageError e) {
            throw calls.failed(e);
        }
    }

    void succeed() {
        if (ofSink != null) {
            calls.run(ofSink::succeed);
        }
    }

    /** The job has failed: gives up what is not written. With snapshots, rows that are not committed are the next attempt's. */
    void abort() throws Exception {
        snapshots.drop();
        if (ofSink != null && !snapshots.areTaken()) {
            ofSink.abort();
        }
    }
}
