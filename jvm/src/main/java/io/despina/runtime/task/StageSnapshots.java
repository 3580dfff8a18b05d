package io.despina.runtime.task;

import io.despina.operator.Operator;
import io.despina.operator.Sink;
import io.despina.runtime.deployment.StageSpec;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.snapshot.RottenStatesException;
import io.despina.state.NamedNumbers;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.SnapshotException;
import io.despina.state.State;
import io.despina.state.UnfitStateException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** What a stage is restored from, and what it writes at barriers: its operator's states and its watermark. */
final class StageSnapshots {
    private final StageParts parts;
    private final JobSnapshots job;
    private final List<State> states = new ArrayList<>();
    /** Indices of what a stage has reached. At another parallelism it has ended if all instances had. */
    private static final int WATERMARK = 0;
    private static final int ENDED = 1;

    /** Of sinks: what is committed needs them no more. */
    private static final Set<String> UNTIL_COMMITTED = Set.of("sink_epochs", "outbox");

    private final NamedNumbers reached = new NamedNumbers("reached", Long.MIN_VALUE, 0);
    private final KeptCounters counters;
    /** Being written; or null. */
    private InstanceSnapshot running;
    /** Nothing was written since it was restored. */
    private boolean first;

    StageSnapshots(StageParts parts) {
        this.parts = parts;
        counters = new KeptCounters(parts);
        job = parts.spec().role() == StageSpec.Role.PARTIAL ? JobSnapshots.NONE : parts.snapshots();
    }

    /** Whether the job has snapshots. */
    boolean areTaken() {
        return job != JobSnapshots.NONE;
    }

    /** {@link JobSnapshots#isWhole}. */
    boolean isWhole(long epoch) {
        return job.isWhole(epoch);
    }

    /** What the instances of the operator wrote, or null. */
    List<Sections> from() throws IOException {
        return job.restored(parts.spec().operatorId());
    }

    /**
     * The operator is open.
     *
     * @param epochs of a sink that commits; else null
     * @param from   as {@link #from} gave it
     */
    void restore(Operator operator, SinkEpochs epochs, List<Sections> from) throws Exception {
        renew(operator);
        if (epochs != null) {
            states.add(epochs.state());
        }
        if (from == null) {
            return;
        }
        try {
            restore(operator, from);
        } catch (RottenStatesException damaged) {
            throw damaged;
        } catch (SnapshotException unfit) {
            throw new UnfitStateException(operator.userClass(), job.from(), unfit);
        }
        first = true;
        if (epochs != null) {
            epochs.restored();
        }
    }

    /** The operator, which is open, takes the place of the one before it, if any. */
    void renew(Operator fresh) {
        states.clear();
        states.addAll(fresh.states());
        states.add(reached);
        states.add(counters.state());
    }

    private void restore(Operator operator, List<Sections> from) throws Exception {
        StageSpec spec = parts.spec();
        refuseLost(job.kept(spec.operatorId()));
        share(spec).restore(states, from);
        counters.restored(spec.instance(), spec.parallelism());
        operator.restored();
    }

    private Share share(StageSpec spec) {
        return parts.buckets() == null ? new Share(spec.instance(), spec.parallelism(), job.buckets())
                : new Share(spec.instance(), parts.buckets().first(), job.map(spec.operatorId()));
    }

    /** A state that nobody reads would be lost without a word. */
    private void refuseLost(Set<String> kept) throws SnapshotException {
        for (String name : kept) {
            boolean isNeeded = !job.isCommitted() || !UNTIL_COMMITTED.contains(name);
            if (isNeeded && states.stream().noneMatch(each -> each.name().equals(name))) {
                throw new SnapshotException("it kept state `" + name + "`, and keeps no such state now");
            }
        }
    }

    /** The watermark that was restored, if any. */
    long watermark() {
        return reached.get(WATERMARK);
    }

    /** Whether the input had ended. */
    boolean hadEnded() {
        return reached.get(ENDED) != 0;
    }

    /** What the stage has counted, by name. */
    Map<String, Long> counted() {
        return counters.now();
    }

    /**
     * The snapshot of that epoch is of this instant.
     *
     * @return completes when it is written
     */
    CompletableFuture<?> freeze(long epoch, FrozenInstance now) throws IOException {
        reached.set(WATERMARK, now.watermark());
        reached.set(ENDED, now.ended() ? 1 : 0);
        drop();
        StageSpec spec = parts.spec();
        running = job.begin(epoch, new JobSnapshots.Instance(spec.operatorId(), spec.instance()), states, parts.waker());
        return running == null ? Sink.DONE : running.written();
    }

    /** Writes a slice. @return whether there is more to write now */
    boolean write() throws IOException {
        if (running == null) {
            return false;
        }
        InstanceSnapshot.SliceResult progress = running.write();
        if (progress == InstanceSnapshot.SliceResult.DONE) {
            first = false;
            drop();
        }
        return progress == InstanceSnapshot.SliceResult.WORKED;
    }

    /** Whether the first snapshot after a restore is being written. */
    boolean isFirst() {
        return first && running != null;
    }

    /** Gives up what is not written yet. */
    void drop() {
        if (running != null) {
            running.close();
            running = null;
        }
    }
}
