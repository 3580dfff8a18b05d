package io.despina.snapshot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Makes an epoch of a state folder from a savepoint, or from an earlier epoch under other ids of its operators. A job goes on
 * from it as from any other, and so does whoever goes on after that job was lost. The manifest is written last: until then,
 * nothing has changed but the logs, which are those of the epoch.
 */
public final class Adoption {
    private final StateFolder folder;
    private final As as;

    /**
     * What becomes of it.
     *
     * @param attempt that goes on from it
     * @param epoch   its number, greater than any that was used here or there
     * @param renamed by old id: the new one
     * @param dropped operators that begin anew, or are gone
     */
    public record As(int attempt, long epoch, Map<String, String> renamed, Set<String> dropped) {
        public As {
            renamed = Map.copyOf(renamed);
            dropped = Set.copyOf(dropped);
        }

        private String id(String old) {
            return renamed.getOrDefault(old, old);
        }
    }

    private Adoption(StateFolder folder, As as) {
        this.folder = folder;
        this.as = as;
    }

    /**
     * Adopts a savepoint: all sinks have committed it.
     *
     * @param manifest as {@link Savepoint#read} has read it
     */
    public static Manifest ofSavepoint(SnapshotStore from, Manifest manifest, StateFolder folder, As as) throws IOException {
        Adoption adoption = new Adoption(folder, as);
        EpochCopy copy = new EpochCopy(from, folder.store());
        List<Manifest.DataFile> states = new ArrayList<>();
        for (Manifest.DataFile each : manifest.files()) {
            if (!Savepoint.isLog(each)) {
                states.add(adoption.states(copy, each, states.size()));
            }
        }
        // a savepoint whose states are damaged has been refused by now, and the folder has lost nothing
        folder.store().delete(folder.paths().logs());
        for (Manifest.DataFile each : manifest.files()) {
            String operator = Savepoint.isLog(each) ? adoption.operatorOf(each.path(), manifest) : null;
            if (operator != null) {
                String path = each.path().substring(each.path().indexOf('/', Savepoint.LOGS.length()));
                copy.verbatim(each, folder.paths().log(as.id(operator)) + path);
            }
        }
        Manifest adopted = adoption.complete(manifest, states);
        folder.committed(new CommitPermit(adopted));
        return adopted;
    }

    /**
     * Adopts an epoch of the same folder, under other ids.
     *
     * @param committed whether all sinks have committed it
     */
    public static Manifest ofEpoch(Manifest manifest, boolean committed, StateFolder folder, As as) throws IOException {
        Adoption adoption = new Adoption(folder, as);
        EpochCopy copy = new EpochCopy(folder.store(), folder.store());
        List<Manifest.DataFile> states = new ArrayList<>();
        for (Manifest.DataFile each : manifest.files()) {
            states.add(adoption.states(copy, each, states.size()));
        }
        for (String each : as.dropped()) {
            folder.store().delete(folder.paths().log(each));
        }
        for (Map.Entry<String, String> each : as.renamed().entrySet()) {
            folder.store().delete(folder.paths().log(each.getValue()));
            copy.logs(folder.paths().log(each.getKey()), folder.paths().log(each.getValue()));
        }
        Manifest adopted = adoption.complete(manifest, states);
        if (committed) {
            folder.committed(new CommitPermit(adopted));
        }
        return adopted;
    }

    private Manifest.DataFile states(EpochCopy copy, Manifest.DataFile file, int number) throws IOException {
        return copy.states(file, folder.paths().data(as.attempt, as.epoch, "adopted-" + number), as.renamed, as.dropped);
    }

    /** @param path in a savepoint */
    private String operatorOf(String path, Manifest manifest) {
        return manifest.operators().keySet().stream().filter(id -> !as.dropped.contains(id)
                && path.startsWith(Savepoint.LOGS + FolderPaths.name(id) + "/")).findAny().orElse(null);
    }

    private Manifest complete(Manifest was, List<Manifest.DataFile> states) throws IOException {
        Map<String, Manifest.Operator> operators = new TreeMap<>();
        was.operators().forEach((id, operator) -> {
            if (!as.dropped.contains(id)) {
                operators.put(as.id(id), operator);
            }
        });
        Manifest.Origin origin = was.origin();
        Map<String, String> schedules = renamed(origin.schedules(), operators.keySet());
        Map<String, Map<String, Long>> given = renamed(origin.given(), operators.keySet());
        Manifest adopted = new Manifest(Manifest.formatOf(operators.values()), new Manifest.Origin(origin.engine(),
                origin.graph(), origin.graphDigest(), origin.planDigest(), origin.buckets(), origin.nowMicros(), schedules,
                given),
                as.attempt, as.epoch, was.takenAtMillis(), states, operators);
        folder.complete(adopted);
        return adopted;
    }

    /** What is kept by operator, under the ids of now. */
    private <V> Map<String, V> renamed(Map<String, V> was, Set<String> ids) {
        Map<String, V> now = new HashMap<>();
        was.forEach((id, value) -> now.put(as.id(id), value));
        now.keySet().retainAll(ids);
        return now;
    }
}
