package io.despina.runtime.task;

import io.despina.runtime.host.FrozenEpoch;
import io.despina.snapshot.EpochChain;
import io.despina.snapshot.EpochFile;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.ManifestDraft;
import io.despina.snapshot.RestoredStates;
import io.despina.snapshot.SnapshotStore;
import io.despina.state.Sections;
import io.despina.state.State;
import io.despina.wake.Waker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;

/** The epochs of a job in one resource, as its coordinator keeps them. The disk does something when it is told to. */
final class StoredEpochs implements JobSnapshots {
    private final SnapshotStore store;
    private final Queue<Runnable> disk = new ArrayDeque<>();
    private final Map<Long, EpochFile> files = new HashMap<>();
    private final TreeMap<Long, Manifest> kept = new TreeMap<>();
    private EpochChain chain = new EpochChain();
    private int starts;
    private long from;

    StoredEpochs(Path folder) {
        store = new LocalStore(folder);
    }

    @Override
    public int buckets() {
        return 256;
    }

    @Override
    public List<Sections> restored(String operator) {
        return from == 0 ? null : new RestoredStates(store, kept.get(from)).of(operator);
    }

    @Override
    public InstanceSnapshot begin(long epoch, Instance of, List<State> states, Waker waker) {
        return files.computeIfAbsent(epoch, any -> new EpochFile(store, "data/" + epoch + "." + starts, disk::add,
                chain.begin(epoch)))
                .begin(of.operator(), of.number(), states, waker);
    }

    /** All have frozen: it is kept when the disk has worked. */
    void finish(FrozenEpoch frozen) {
        EpochChain attempts = chain;
        files.get(frozen.epoch()).finish().thenAccept(written -> {
            attempts.durable(frozen.epoch(), written);
            keep(frozen, written);
        });
    }

    private void keep(FrozenEpoch frozen, EpochFile.Written written) {
        Manifest.Origin origin = new Manifest.Origin("", "g", "", "", buckets(), 0, Map.of(), Map.of());
        ManifestDraft draft = new ManifestDraft(origin, starts, frozen.epoch());
        draft.add(written);
        frozen.instances().forEach(each -> draft.add(each.operator(), each.instance(),
                new ManifestDraft.InstanceFacts(each.ended(), each.watermark(), each.counters(), List.of())));
        try {
            kept.put(frozen.epoch(), draft.whole(Map.of(), frozen.epoch()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The last epoch that is kept, or 0. */
    long complete() {
        return kept.isEmpty() ? 0 : kept.lastKey();
    }

    /** The attempt has ended: what it was writing is lost. The next one goes on from the last that is kept. */
    void startAgain() {
        disk.clear();
        files.clear();
        chain = new EpochChain();
        starts++;
        from = complete();
    }

    /** Some of what there is to do. @return whether it did something */
    boolean work() {
        Runnable next = disk.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    void workOff() {
        while (work()) {
            continue;
        }
    }
}
