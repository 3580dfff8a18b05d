package io.despina.control.epoch;

import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.EpochFacts.Standing;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.FolderPaths;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.SnapshotStore.Stored;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides which files of a state folder are not needed any more: a function of what lies there. Whoever deletes them may die
 * at any step, and asks again later. A manifest goes before what it names, so none is ever left that names what is gone.
 */
public final class Retention {
    /** Epochs that are kept at least, so that one which turns out to be damaged has others before it. */
    static final int KEPT = 3;     // logs rely on it: KeptPlaces has the same number, since they know no epochs of a folder
    /** What nobody names may be of something that is under way; afterwards it is not. */
    static final long UNKNOWN_MILLIS = 600_000;

    private final FolderFacts folder;
    private final FolderPaths paths;
    private final int attempt;
    private final Set<Long> kept = new TreeSet<>();
    private final Set<String> named = new HashSet<>();
    private int oldestAttempt;
    /** The newest epoch that is whole. What follows it shows which numbers were used, until there is a newer one. */
    private long newest;

    private Retention(FolderFacts folder, FolderPaths paths, int attempt) {
        this.folder = folder;
        this.paths = paths;
        this.attempt = attempt;
        oldestAttempt = attempt;
    }

    /**
     * The files that may be deleted, in that order.
     *
     * @param files all of the folder, as they were listed before or after {@code folder} was read
     */
    public static List<String> deletable(FolderFacts folder, FolderPaths paths, List<Stored> files, Who who) {
        Retention retention = new Retention(folder, paths, who.attempt);
        retention.keep(who.pinned);
        retention.keepOtherBases();
        return retention.deletable(files, who.nowMillis);
    }

    /**
     * Who asks.
     *
     * @param attempt   what greater ones have written is left alone
     * @param pinned    epochs that someone reads, such as for a savepoint
     * @param nowMillis by the clock of the file system
     */
    public record Who(int attempt, Set<Long> pinned, long nowMillis) {
    }

    private void keep(Set<Long> pinned) {
        int whole = 0;
        boolean committed = false;
        for (int k = folder.epochs().size() - 1; k >= 0; k--) {
            EpochFacts each = folder.epochs().get(k);
            newest = each.standing().isWhole() ? Math.max(newest, each.epoch()) : newest;
            boolean last = each.standing().isWhole() && whole++ < KEPT;
            boolean lastCommitted = each.standing() == Standing.COMMITTED && !committed;
            committed |= lastCommitted;
            // what comes before the first whole epoch is still being looked at
            if (last || lastCommitted || pinned.contains(each.epoch()) || whole == 0 && each.standing() != Standing.WRITTEN
                    || each.standing() == Standing.LATER || isOfLater(each.manifest())) {
                kept.add(each.epoch());
                name(each.manifest());
            }
        }
    }

    /**
     * Without the base of a chain all epochs of that chain are lost, which the last ones may all be of. So of each base one epoch
     * is kept that does not need it.
     */
    private void keepOtherBases() {
        List<EpochFacts> whole = new ArrayList<>(folder.epochs().stream().filter(each -> each.standing().isWhole()).toList());
        if (whole.isEmpty()) {
            return;
        }
        Collections.reverse(whole);
        for (String base : whole.get(0).manifest().bases()) {
            whole.stream().map(EpochFacts::manifest).filter(each -> !each.names(base)).findFirst().ifPresent(other -> {
                kept.add(other.epoch());
                name(other);
            });
        }
    }

    private boolean isOfLater(Manifest manifest) {
        return manifest != null && manifest.attempt() > attempt;
    }

    private void name(Manifest manifest) {
        if (manifest != null) {
            manifest.files().forEach(each -> named.add(each.path()));
            manifest.operators().values().forEach(operator -> operator.instances().forEach(instance ->
                    instance.log().forEach(segment -> named.add(segment.path()))));
            oldestAttempt = Math.min(oldestAttempt, manifest.attempt());
        }
    }

    private List<String> deletable(List<Stored> files, long nowMillis) {
        if (folder.epochs().stream().noneMatch(each -> each.standing().isWhole())) {
            return List.of();       // nothing may be judged by what cannot be read
        }
        Set<String> known = new HashSet<>();
        List<String> manifests = new ArrayList<>();
        List<String> beside = new ArrayList<>();
        for (EpochFacts each : folder.epochs()) {
            if (!kept.contains(each.epoch()) && each.standing() != Standing.WRITTEN) {
                manifests.add(paths.manifest(each.epoch()));
                beside.add(paths.committed(each.epoch()));
                beside.add(paths.rotten(each.epoch()));
                if (each.manifest() != null) {
                    each.manifest().files().forEach(file -> known.add(file.path()));
                }
            }
        }
        List<String> all = new ArrayList<>(manifests);
        all.addAll(beside);
        Set<String> there = new HashSet<>();
        files.forEach(each -> there.add(each.path()));
        all.removeIf(each -> !there.contains(each));
        for (Stored each : files) {
            boolean old = nowMillis - each.modifiedMillis() > UNKNOWN_MILLIS;
            if (isUnneeded(each.path(), known.contains(each.path()) || old, old)) {
                all.add(each.path());
            }
        }
        return all;
    }

    /** @param known whether it was of an epoch that is not kept, or is of nothing that is under way */
    private boolean isUnneeded(String path, boolean known, boolean old) {
        String inFolder = path.substring(paths.folder().length());
        return switch (FolderPaths.purpose(inFolder)) {
            case DATA -> known && !named.contains(path) && FolderPaths.attempt(inFolder) <= attempt
                    && FolderPaths.epoch(inFolder) < newest;
            case CLAIM -> old && FolderPaths.attempt(inFolder) < oldestAttempt;
            case ASIDE -> old;
            case OTHER -> false;
        };
    }
}
