package io.despina.control.resource;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.PoisonRecord;
import io.despina.control.protocol.StatePlace;
import io.despina.runtime.task.JobSnapshots;
import io.despina.snapshot.EpochChain;
import io.despina.snapshot.EpochFile;
import io.despina.snapshot.FolderPaths;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.RestoredStates;
import io.despina.snapshot.RottenStatesException;
import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.StateFolder;
import io.despina.spec.BucketMap;
import io.despina.state.Sections;
import io.despina.state.State;
import io.despina.wake.Waker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

/**
 * What the tasks of a job with state are restored from here, and the file of each epoch, which they write together. Any thread
 * may call it, and none waits for a disk but when it restores.
 */
final class ResourceEpochs implements JobSnapshots {
    private final StateFolder folder;
    private final int buckets;
    private final Logs logs;
    private final List<PoisonRecord> poison;
    private final Writing writing;
    /** Since the last base. */
    private final EpochChain chain = new EpochChain();
    /** Null if the job begins anew. */
    private final RestoredStates from;
    private final Map<Long, EpochFile> files = new ConcurrentHashMap<>();
    /** Epochs up to this one are written no more. Written by control, one thread at a time, and when all tasks have ended. */
    private volatile long dropped;
    /** Written by control, read by tasks. */
    private volatile long savepoint;

    /**
     * Where operators keep logs.
     *
     * @param folder    null where the store is not on this machine
     * @param committed whether the epoch from which the job goes on is committed everywhere
     */
    private record Logs(Path folder, FolderPaths paths, int attempt, boolean committed) {
    }

    /** What it knows of its job. */
    private record Kept(StateFolder folder, int buckets, Logs logs, List<PoisonRecord> poison) {
    }

    /**
     * Where it writes.
     *
     * @param attempt of the job, which no other has
     */
    private record Writing(SnapshotStore store, FolderPaths paths, int attempt, String resource, Executor disk) {

        EpochFile file(long epoch, EpochFile.Written before) {
            return new EpochFile(store, before.files().isEmpty() ? paths.data(attempt, epoch, resource)
                    : paths.changes(attempt, epoch, resource), disk, before);
        }
    }

    private ResourceEpochs(Kept kept, Writing writing, RestoredStates from) {
        folder = kept.folder;
        buckets = kept.buckets;
        poison = kept.poison;
        logs = kept.logs;
        this.writing = writing;
        this.from = from;
    }

    /** @return null for a job that keeps no state */
    static ResourceEpochs of(Message.Deploy deploy, String resource, int buckets, StateStores stores) throws IOException {
        StatePlace place = deploy.state();
        if (place == null) {
            return null;
        }
        SnapshotStore store = stores.stores().open(place.address());
        int attempt = deploy.attempt().number();
        StateFolder folder = StateFolder.at(store, place.graph());
        Logs logs = new Logs(store.local(), folder.paths(), attempt, place.committed());
        return new ResourceEpochs(new Kept(folder, buckets, logs, place.poison()),
                new Writing(store, folder.paths(), attempt, resource, stores.disk()),
                place.from() == 0 ? null : new RestoredStates(store, folder.read(place.from())));
    }

    @Override
    public Path keptFolder(Instance of) {
        return logs.folder == null ? null : logs.folder.resolve(logs.paths.log(of.operator(), of.number()));
    }

    /** Whether operators keep logs. */
    boolean areLogged() {
        return logs.folder != null;
    }

    @Override
    public int attempt() {
        return logs.attempt;
    }

    @Override
    public Set<String> leftOut(String operator) {
        return poison.stream().filter(each -> each.operator().equals(operator)).map(PoisonRecord::record)
                .collect(Collectors.toSet());
    }

    @Override
    public boolean isWhole(long epoch) {
        return epoch == savepoint;
    }

    /** @param epoch see {@link Message.Barrier} */
    void savepoint(long epoch) {
        savepoint = epoch;
    }

    @Override
    public int buckets() {
        return buckets;
    }

    @Override
    public BucketMap map(String operator) {
        Manifest.Operator of = from == null ? null : from.manifest().operators().get(operator);
        return of == null || of.buckets() == null ? null : BucketMap.parse(of.buckets());
    }

    @Override
    public boolean isCommitted() {
        return logs.committed;
    }

    @Override
    public long from() {
        return from == null ? 0 : from.manifest().epoch();
    }

    @Override
    public Set<String> kept(String operator) {
        Manifest.Operator kept = from == null ? null : from.manifest().operators().get(operator);
        return kept == null ? Set.of() : kept.states().stream().map(Manifest.StateType::name).collect(Collectors.toSet());
    }

    @Override
    public List<Sections> restored(String operator) {
        List<Sections> all = from == null ? null : from.of(operator);
        return all == null ? null : all.stream().map(this::remembered).toList();
    }

    /** Rot that is met here is written down, so that the next attempt does not meet it again. */
    private Sections remembered(Sections of) {
        return new Sections() {
            @Override
            public int pieces() {
                return of.pieces();
            }

            @Override
            public InputStream section(String state, int k) throws IOException {
                try {
                    return of.section(state, k);
                } catch (RottenStatesException rot) {
                    folder.rotten(from.manifest().epoch(), rot);
                    throw rot;
                }
            }
        };
    }

    @Override
    public InstanceSnapshot begin(long epoch, Instance of, List<State> states, Waker waker) {
        return epoch <= dropped ? null
                : files.computeIfAbsent(epoch, any -> writing.file(epoch, chain.begin(epoch)))
                        .begin(of.operator(), of.number(), states, waker);
    }

    /** All instances have handed over what they keep. Completes when the epoch's file is durable. */
    CompletableFuture<EpochFile.Written> finish(long epoch) {
        EpochFile file = files.remove(epoch);
        if (file == null) {
            return CompletableFuture.completedFuture(EpochFile.Written.NOTHING);
        }
        return file.finish().thenApply(written -> {
            chain.durable(epoch, written);
            return written;
        });
    }

    /** The epochs up to that one are not written any further. */
    void drop(long epoch) {
        dropped = Math.max(dropped, epoch);
        files.forEach((number, file) -> {
            if (number <= epoch && files.remove(number, file)) {
                file.close();
            }
        });
    }
}
