package io.despina.snapshot;

import io.despina.json.RecordJson;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The state folder of a graph: who may complete epochs, and those that are complete. It reads and writes, and decides nothing.
 * {@code docs/state-folder.md} has the layout.
 */
public final class StateFolder {
    private final SnapshotStore store;
    private final String graph;
    private final FolderPaths paths;
    private final FolderReader reader;
    /** In which the attempts that it is about are directed. */
    private final int turn;

    private record Mark(long epoch, int attempt) {
    }

    private StateFolder(SnapshotStore store, String graph, int turn) {
        this.store = store;
        this.graph = graph;
        this.turn = turn;
        paths = new FolderPaths(graph);
        reader = new FolderReader(store, paths);
    }

    public static StateFolder at(SnapshotStore store, String graph) {
        return new StateFolder(store, graph, 0);
    }

    /** The same, for a coordinator that has taken an attempt over. */
    public StateFolder inTurn(int other) {
        return new StateFolder(store, graph, other);
    }

    public SnapshotStore store() {
        return store;
    }

    public FolderPaths paths() {
        return paths;
    }

    /**
     * All that lies here.
     *
     * @throws LaterFormatException if a later engine keeps the folder in another way
     */
    public FolderFacts facts() throws IOException {
        return reader.facts();
    }

    /** @throws SnapshotException if it is damaged */
    public Manifest read(long epoch) throws IOException {
        return Manifest.read(store, paths.manifest(epoch));
    }

    /** The id of this folder, which it gets when it is first asked for. */
    public String id() throws IOException {
        try {
            return identity();
        } catch (CutShortException half) {
            store.delete(paths.id());      // who made it died meanwhile, so nobody can have claimed anything
            return identity();
        }
    }

    /** A job begins anew, so its rows are others under the same numbers. */
    public void renewId() throws IOException {
        store.delete(paths.id());
        id();
    }

    private String identity() throws IOException {
        if (!store.exists(paths.id())) {
            store.createIfAbsent(paths.id(), ManifestText.sealed(RecordJson.object(
                    new FolderReader.Identity(FolderReader.Identity.FORMAT, UUID.randomUUID().toString(), graph))));
        }
        return reader.sealed(paths.id(), FolderReader.Identity.class).id();
    }

    /**
     * Claims an attempt. What was read before may be old now: read {@link #facts} again, and {@link #start} from there. Who has
     * claimed it and could not go on, as on a full disk, may claim it again.
     *
     * @throws FencedException if another has claimed that number
     */
    public void claim(Claim wanted) throws IOException {
        id();
        if (!create(paths.claim(wanted.attempt()), ManifestText.sealed(RecordJson.object(wanted)))) {
            Claim other = reader.sealed(paths.claim(wanted.attempt()), Claim.class);
            if (!other.coordinator().equals(wanted.coordinator())) {
                throw new FencedException("attempt " + wanted.attempt() + " of graph `" + graph + "` was claimed by process "
                        + other.pid() + " on " + other.host() + ": two starts at once");
            }
            store.force(paths.claim(wanted.attempt()));
        }
    }

    /**
     * Who directs the last attempt: that has claimed it, or has taken it over since.
     *
     * @return null if there is none, or what says so cannot be read
     */
    public TurnClaim last() throws IOException {
        FolderReader.Latest latest = reader.latest();
        int attempt = (int) latest.attempt();
        try {
            if (attempt == 0 || latest.turn() > 0) {
                return attempt == 0 ? null : reader.sealed(paths.turn(attempt, latest.turn()), TurnClaim.class);
            }
            Claim claim = reader.sealed(paths.claim(attempt), Claim.class);
            return new TurnClaim(attempt, 0, claim.coordinator(), claim.host(), claim.pid(), claim.claimedAtMillis());
        } catch (SnapshotException unreadable) {
            return null;
        }
    }

    /**
     * Takes an attempt over that goes on. What was read before may be old now, as with {@link #claim}.
     *
     * @throws FencedException if another has taken it in that turn, or has claimed a later attempt
     */
    public void takeOver(TurnClaim wanted) throws IOException {
        if (!create(paths.turn(wanted.attempt(), wanted.turn()), ManifestText.sealed(RecordJson.object(wanted)))) {
            throw new FencedException("attempt " + wanted.attempt() + " of graph `" + graph + "` was taken over by another");
        }
        inTurn(wanted.turn()).refuseIfFenced(wanted.attempt());
    }

    /**
     * Before who has directed the last attempt claims the next. It may have been cut off for so long that another has the job.
     *
     * @throws FencedException if another has
     */
    public void refuseTaken(Holder by) throws IOException {
        TurnClaim last = last();
        if (last != null && !last.coordinator().equals(by.coordinator())) {
            throw new FencedException("attempt " + last.attempt() + " of graph `" + graph + "` was claimed or taken over by"
                    + " process " + last.pid() + " on " + last.host());
        }
    }

    /**
     * A run of the job has ended by itself, so that nobody need take it over. One that has lost the job says nothing of it.
     *
     * @return whether it had the job still
     */
    public boolean ended(Holder by) throws IOException {
        TurnClaim last = last();
        boolean had = last == null || last.coordinator().equals(by.coordinator());
        if (had) {
            store.replace(paths.ended(), ManifestText.sealed(RecordJson.object(by)));
        }
        return had;
    }

    /** Whether the run of that coordinator has ended by itself. */
    public boolean hasEnded(String coordinator) throws IOException {
        try {
            return store.exists(paths.ended()) && reader.sealed(paths.ended(), Holder.class).coordinator().equals(coordinator);
        } catch (SnapshotException unreadable) {
            return false;
        }
    }

    /** Says where a claimed attempt starts, before anything is deployed. */
    public void start(int attempt, Claim.Start where) throws IOException {
        refuseIfFenced(attempt);
        create(paths.start(attempt), ManifestText.sealed(RecordJson.object(where)));
    }

    /** Creates a file, or finds that exactly this one was created: the answer to an earlier try may have been lost. */
    private boolean create(String path, byte[] content) throws IOException {
        try {
            if (store.createIfAbsent(path, content)) {
                return true;
            }
        } catch (IOException unknown) {
            if (!store.exists(path)) {
                throw unknown;
            }
        }
        boolean ours = Arrays.equals(content, reader.bytes(path));
        if (ours) {
            store.force(path);
        }
        return ours;
    }

    /** The greatest claim is never deleted, nor are its turns, so it is enough to look whether there is a greater one. */
    private void refuseIfFenced(int attempt) throws IOException {
        FolderReader.Latest latest = reader.latest();
        if (latest.attempt() > attempt) {
            throw new FencedException("attempt " + latest.attempt() + " of graph `" + graph + "` was claimed: attempt " + attempt
                    + " completes nothing any more");
        }
        if (latest.turn() > turn) {
            throw new FencedException("attempt " + attempt + " of graph `" + graph + "` was taken over by another coordinator: "
                    + "this one completes nothing any more");
        }
    }

    /**
     * Keeps a manifest: the epoch is complete.
     *
     * @throws FencedException   if a later attempt was claimed, or this one was taken over
     * @throws SnapshotException if the epoch has another manifest
     */
    public CommitPermit complete(Manifest manifest) throws IOException {
        refuseIfFenced(manifest.attempt());
        if (!create(paths.manifest(manifest.epoch()), ManifestText.of(manifest))) {
            throw new SnapshotException(paths.manifest(manifest.epoch()) + " is there already, of another attempt");
        }
        refuseIfFenced(manifest.attempt());     // who claims after this line finds the manifest
        return new CommitPermit(manifest);
    }

    /** The permit to commit an epoch again, from which an attempt goes on. Makes its manifest durable, and reads it back. */
    public CommitPermit again(long epoch) throws IOException {
        read(epoch);        // one that is damaged is not written anew
        store.force(paths.manifest(epoch));       // who created it may have died before that
        return new CommitPermit(read(epoch));
    }

    /** All sinks have committed. */
    public void committed(CommitPermit permit) throws IOException {
        store.createIfAbsent(paths.committed(permit.epoch()),
                ManifestText.sealed(RecordJson.object(new Mark(permit.epoch(), permit.manifest().attempt()))));
    }

    /** Its states were read and are damaged: the next start does not meet them. Nor those of others that name the same file. */
    public void rotten(long epoch, RottenStatesException problem) throws IOException {
        byte[] rot = ManifestText.sealed(RecordJson.object(new FolderReader.Rot(problem.getMessage())));
        store.createIfAbsent(paths.rotten(epoch), rot);
        for (EpochFacts each : facts().epochs()) {
            if (each.standing().isWhole() && each.manifest().names(problem.file())) {
                store.createIfAbsent(paths.rotten(each.epoch()), rot);
            }
        }
    }

    /**
     * Says that somebody reads an epoch, until it is closed. Where the folder cannot be written to, nothing is said. Whether the
     * epoch is still there is looked at afterwards.
     *
     * @param later for renewing it
     */
    public Pin pin(long epoch, Pin.Later later) {
        return Pin.at(store, paths.pin(epoch, UUID.randomUUID().toString()), later);
    }

    /** Epochs that somebody reads. */
    public Set<Long> pinned(long nowMillis) throws IOException {
        Set<Long> pinned = new TreeSet<>();
        for (SnapshotStore.Stored each : store.files(paths.folder() + FolderPaths.PINS)) {
            if (nowMillis - each.modifiedMillis() < Pin.MILLIS) {
                pinned.add(FolderPaths.number(each.path().substring(each.path().lastIndexOf('/') + 1), ""));
            }
        }
        return pinned;
    }

    /** The files of epochs and attempts, for {@code Retention}. What else lies here has owners of its own, and may be much. */
    public List<SnapshotStore.Stored> files() throws IOException {
        List<SnapshotStore.Stored> all = new ArrayList<>();
        for (String each : FolderPaths.COLLECTED) {
            all.addAll(store.files(paths.folder() + each));
        }
        return all;
    }

    /** Deletes files, in that order; those that are gone already do no harm. */
    public void delete(Collection<String> files) throws IOException {
        for (String each : files) {
            store.delete(each);
        }
    }

    @Override
    public String toString() {
        return store + "/" + paths.folder();
    }
}
