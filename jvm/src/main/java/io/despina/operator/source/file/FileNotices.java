package io.despina.operator.source.file;

import io.despina.operator.disk.FolderNotices;
import io.despina.wake.Waker;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The file system's notices about one source's files: which files were written to, and that folders changed. Each notice wakes
 * the source.
 */
final class FileNotices implements FolderNotices.ChangeListener, Closeable {
    private final FolderNotices folders;
    private final Waker source;
    /** Used by the source only: the watched folders. */
    private Set<Path> watched = Set.of();
    /** Used by the source only: whether notices cover everything that can happen to its files. */
    private boolean complete;
    /** By their real paths. Written (volatile) by the source, read by the notices' thread. */
    private volatile Map<Path, SourceFile> files = Map.of();
    /** The notices' thread adds, the source removes. */
    private final Set<SourceFile> written = ConcurrentHashMap.newKeySet();
    /** Set (volatile) by the notices' thread, reset by the source. */
    private volatile boolean changed;

    FileNotices(FolderNotices folders, Waker source) {
        this.folders = folders;
        this.source = source;
    }

    @Override
    public void written(Path file) {
        SourceFile found = files.get(file);
        if (found != null && written.add(found)) {
            source.wake();
        }
    }

    @Override
    public void changed() {
        changed = true;
        source.wake();
    }

    /**
     * Watches these files, and the folder where others may appear, instead of those watched before.
     *
     * @return whether a folder is newly watched: earlier changes in it are not reported
     */
    boolean watch(Path base, Collection<SourceFile> followed) {
        Map<Path, SourceFile> byPath = new HashMap<>();
        Set<Path> wanted = new HashSet<>();
        complete = true;
        want(base, wanted);
        for (SourceFile file : followed) {
            try {
                Path real = file.path().toRealPath();
                byPath.put(real, file);
                want(real.getParent(), wanted);
            } catch (IOException gone) {
                complete = false;
            }
        }
        files = byPath;
        Set<Path> before = watched;
        watched = new HashSet<>();
        for (Path folder : wanted) {
            if (folders.watch(folder, this)) {
                watched.add(folder);
            } else {
                complete = false;
            }
        }
        before.stream().filter(folder -> !watched.contains(folder)).forEach(folder -> folders.forget(folder, this));
        return !before.containsAll(watched);
    }

    private void want(Path folder, Set<Path> wanted) {
        try {
            wanted.add(folder.toRealPath());
        } catch (IOException gone) {
            complete = false;
        }
    }

    /** Whether every change of the files, under their names at the last look, causes a notice. */
    boolean areComplete() {
        return complete;
    }

    /** Whether names were added to the folders or removed since the last call. */
    boolean takeChanged() {
        if (!changed) {
            return false;
        }
        changed = false;
        return true;
    }

    boolean haveWritten() {
        return !written.isEmpty();
    }

    /** The files that were written to since the last call. */
    Set<SourceFile> takeWritten() {
        Set<SourceFile> taken = new HashSet<>();
        for (SourceFile file : written) {
            written.remove(file);
            taken.add(file);
        }
        return taken;
    }

    @Override
    public void close() {
        watched.forEach(folder -> folders.forget(folder, this));
        watched = Set.of();
    }
}
