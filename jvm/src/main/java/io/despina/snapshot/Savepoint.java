package io.despina.snapshot;

import io.despina.state.SnapshotException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * An epoch in a folder of its own: {@code manifest.json}, and beside it all files that it names, by paths within that folder: the
 * states in {@code data}, and in {@code log} what the logs of operators have. So it may be moved and copied, and is read from
 * anywhere. Nothing collects it.
 */
public final class Savepoint {
    private static final String MANIFEST = "manifest.json";
    private static final String DATA = "data";
    private static final String LOG = "log";
    /** What the paths of files of logs begin with. */
    static final String LOGS = LOG + "/";
    private static final String BASE = ".base";
    private static final String THERE = "it has a savepoint already";

    private final SnapshotStore to;
    private final List<Manifest.DataFile> logs = new ArrayList<>();
    /** Somebody else has written one there meanwhile. */
    private boolean anothers;
    /** Whether its folder was not there before. */
    private final boolean made;

    private Savepoint(SnapshotStore to, boolean made) {
        this.to = to;
        this.made = made;
    }

    /**
     * Begins to write one.
     *
     * @param to an empty folder, or none
     * @throws SnapshotException if there is something already
     * @throws IOException       if nothing can be written there
     */
    public static Savepoint begin(SnapshotStore to) throws IOException {
        if (to.exists(MANIFEST)) {
            throw new SnapshotException(THERE);
        }
        if (!to.list("").isEmpty()) {
            throw new SnapshotException("it is not empty: a savepoint gets a folder of its own");
        }
        boolean makes = !to.exists("");
        to.create(DATA + "/begun").abort();
        return new Savepoint(to, makes);
    }

    /** Copies what the logs of a graph have. Nothing that the epoch needs may be cut from them before that. */
    public void logs(SnapshotStore from, FolderPaths paths) throws IOException {
        logs.addAll(new EpochCopy(from, to).logs(paths.logs(), LOG));
    }

    /**
     * Writes the states of an epoch that all sinks have committed, all into one file, and what its manifest says. The manifest is
     * written last, so what ends early is no savepoint.
     *
     * @param from where the epoch's files are
     * @return the savepoint's manifest
     * @throws SnapshotException if a file of the epoch is damaged
     */
    public Manifest write(SnapshotStore from, Manifest epoch) throws IOException {
        MergedStates states = MergedStates.write(new RestoredStates(from, epoch), to, DATA + "/0" + BASE);
        List<Manifest.DataFile> files = new ArrayList<>(states.files());
        files.addAll(logs);
        Manifest manifest = new Manifest(Manifest.formatOf(states.operators().values()), epoch.origin(), epoch.attempt(),
                epoch.epoch(), epoch.takenAtMillis(), files, states.operators());
        if (!manifest.create(to, MANIFEST)) {
            anothers = true;
            throw new SnapshotException(THERE);
        }
        return manifest;
    }

    /** Removes what was written of one that cannot be finished. Its manifest goes first: it may be there, although it failed. */
    public void giveUp() {
        for (String each : anothers ? List.<String>of() : List.of(MANIFEST, DATA, LOG)) {
            try {
                to.delete(each);
            } catch (IOException stays) {
                System.getLogger(Savepoint.class.getName()).log(System.Logger.Level.WARNING, each + " stays in " + to, stays);
            }
        }
        try {
            if (made && to.files("").isEmpty()) {
                to.delete("");
            }
        } catch (IOException stays) {
            System.getLogger(Savepoint.class.getName()).log(System.Logger.Level.DEBUG, to + " stays, empty", stays);
        }
    }

    /** Whether a file of a savepoint is of a log; it is below the folder of its operator there. */
    static boolean isLog(Manifest.DataFile file) {
        return file.path().startsWith(LOGS);
    }

    /**
     * The manifest of a savepoint. Its states are those of {@link RestoredStates} in the same store.
     *
     * @throws SnapshotException if the folder is no savepoint, or is damaged
     */
    public static Manifest read(SnapshotStore at) throws IOException {
        Manifest manifest;
        try {
            manifest = Manifest.read(at, MANIFEST);
        } catch (FileNotFoundException none) {
            throw new SnapshotException(at + " is no savepoint: " + without(at));
        } catch (SnapshotException damaged) {
            throw damaged instanceof LaterFormatException ? damaged
                    : new SnapshotException(at + " is a damaged savepoint: " + damaged.getMessage());
        }
        for (Manifest.DataFile each : manifest.files()) {
            refuseIncomplete(at, each);
        }
        return manifest;
    }

    private static void refuseIncomplete(SnapshotStore at, Manifest.DataFile file) throws IOException {
        try {
            if (at.length(file.path()) == file.length()) {
                return;
            }
        } catch (FileNotFoundException gone) {
            throw new SnapshotException(at + " is a damaged savepoint: " + file.path() + " is not there");
        }
        throw new SnapshotException(at + " is a damaged savepoint: " + file.path() + " has " + at.length(file.path())
                + " bytes, where the manifest has " + file.length());
    }

    /** Why there is no manifest. */
    private static String without(SnapshotStore at) throws IOException {
        List<String> names = at.list("");
        if (names.isEmpty()) {
            return "it is empty or not there";
        }
        for (String each : names) {
            if (at.exists(each + "/folder.json")) {
                return "it is a state folder, and `" + each + "` is a graph in it; name a folder in " + each + "/savepoints, or "
                        + "an epoch by its number";
            }
        }
        return names.contains("folder.json")
                ? "it is what a state folder keeps of one graph; name a folder in its savepoints, or an epoch by its number"
                : List.of(DATA, LOG).containsAll(names) ? "it was not finished" : "it has no " + MANIFEST;
    }
}
