package io.despina.runtime.task;

import io.despina.operator.Operator;
import io.despina.runtime.deployment.StageSpec;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.state.NamedNumbers;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What a stage is restored from, and what it writes at barriers: its operator's states and its watermark. */
final class StageSnapshots {
    private final StageParts parts;
    private final JobSnapshots job;
    private final List<State> states = new ArrayList<>();
    private final NamedNumbers reached = new NamedNumbers("reached_watermark", Long.MIN_VALUE);
    /** Being written; or null. */
    private InstanceSnapshot running;

    StageSnapshots(StageParts parts) {
        this.parts = parts;
        job = parts.spec().role() == StageSpec.Role.PARTIAL ? JobSnapshots.NONE : parts.snapshots();
    }

    /** Whether the job has snapshots. */
    boolean areTaken() {
        return job != JobSnapshots.NONE;
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
        states.addAll(operator.states());
        states.add(reached);
        if (epochs != null) {
            states.add(epochs.state());
        }
        if (from != null) {
            StageSpec spec = parts.spec();
            new Share(spec.instance(), spec.parallelism(), job.buckets()).restore(states, from);
            operator.restored();
            if (epochs != null) {
                epochs.restored();
            }
        }
    }

    /** The watermark that was restored, if any. */
    long watermark() {
        return reached.get(0);
    }

    /** The snapshot of that epoch is of this instant. */
    void freeze(long epoch, long watermark) throws IOException {
        reached.set(0, watermark);
        drop();
        StageSpec spec = parts.spec();
        running = job.begin(epoch, new JobSnapshots.Instance(spec.operatorId(), spec.instance()), states, parts.waker());
    }

    /** Writes a slice. @return whether there is more to write now */
    boolean write() throws IOException {
        if (running == null) {
            return false;
        }
        InstanceSnapshot.SliceResult progress = running.write();
        if (progress == InstanceSnapshot.SliceResult.DONE) {
            drop();
        }
        return progress == InstanceSnapshot.SliceResult.WORKED;
    }

    /** Whether something is still to be written, now or when a buffer is free. */
    boolean isWriting() {
        return running != null;
    }

    /** Gives up what is not written yet. */
    void drop() {
        if (running != null) {
            running.close();
            running = null;
        }
    }
}
