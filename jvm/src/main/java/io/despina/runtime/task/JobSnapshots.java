package io.despina.runtime.task;

import io.despina.snapshot.InstanceSnapshot;
import io.despina.spec.BucketMap;
import io.despina.state.Sections;
import io.despina.state.State;
import io.despina.wake.Waker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** The snapshots of a job: what its tasks are restored from, and where they write. Called by the tasks' threads. */
public interface JobSnapshots {
    /** For a job without snapshots: its tasks start empty, and write nothing at barriers. */
    JobSnapshots NONE = new JobSnapshots() {
        @Override
        public int buckets() {
            return 1;
        }

        @Override
        public List<Sections> restored(String operator) {
            return null;
        }

        @Override
        public InstanceSnapshot begin(long epoch, Instance of, List<State> states, Waker waker) {
            return null;
        }
    };

    /**
     * An instance of an operator.
     *
     * @param number from 0
     */
    record Instance(String operator, int number) {
    }

    /** {@link io.despina.operator.OperatorContext#keptFolder} of that instance. */
    default Path keptFolder(Instance of) {
        return null;
    }

    /** {@link io.despina.operator.OperatorContext#isCommitted} of all instances. */
    default boolean isCommitted() {
        return false;
    }

    /** {@link io.despina.operator.OperatorContext#attempt} of all instances. */
    default int attempt() {
        return 1;
    }

    /** The records that have failed the operator in attempt after attempt, by {@link RecordDigest}. */
    default Set<String> leftOut(String operator) {
        return Set.of();
    }

    /** Whether others may go on from that epoch, so that nothing of it is in files that go on. */
    default boolean isWhole(long epoch) {
        return false;
    }

    /** The buckets of keys in the graph. */
    int buckets();

    /** Who had which bucket of the operator's keys there; null if all were as at the start, with all instances. */
    default BucketMap map(String operator) {
        return null;
    }

    /** The epoch from which it goes on; 0 if it begins anew. */
    default long from() {
        return 0;
    }

    /** The names of the states that an operator kept there; empty where that is not known. */
    default Set<String> kept(String operator) {
        return Set.of();
    }

    /**
     * What the instances of an operator wrote, in their order.
     *
     * @return null if it starts empty
     */
    List<Sections> restored(String operator) throws IOException;

    /**
     * Begins to write what an instance keeps. The task writes on, slice by slice, and closes it.
     *
     * @param waker of the task: woken when a buffer is free again
     * @return null if none is wanted
     */
    InstanceSnapshot begin(long epoch, Instance of, List<State> states, Waker waker) throws IOException;
}
