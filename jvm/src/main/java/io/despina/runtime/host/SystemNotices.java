package io.despina.runtime.host;

import io.despina.operator.disk.FileKind;
import io.despina.operator.disk.FolderNotices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The notices of Linux (inotify), for folders on disks of this machine: there are no notices of what another machine writes. The
 * process shares one, since a user may have few of them. Its thread lives while a folder is watched.
 */
public final class SystemNotices implements FolderNotices {
    /** On other systems Java polls the folders itself, less often than the engine does. */
    public static final FolderNotices SHARED = System.getProperty("os.name").equals("Linux") ? new SystemNotices() : NONE;

    /** One folder, under the name by which it is watched. */
    private static final class Watched {
        private WatchKey key;
        private final Set<ChangeListener> listeners = new HashSet<>();
    }

    /** Guarded by this. */
    private final Map<Path, Watched> folders = new HashMap<>();
    /** Guarded by this: null while no folder is watched. */
    private WatchService service;

    private SystemNotices() {
    }

    @Override
    public boolean watch(Path folder, ChangeListener listener) {
        try {
            // not under the lock: it asks the file system, which may never answer
            if (FileKind.mayBeRemote(folder)) {
                forget(folder, listener);
                return false;
            }
            register(folder, listener);
            return true;
        } catch (IOException gone) {    // or there are as many notices as the system allows
            System.getLogger(SystemNotices.class.getName()).log(System.Logger.Level.DEBUG, folder + " is not watched", gone);
            forget(folder, listener);
            return false;
        }
    }

    private synchronized void register(Path folder, ChangeListener listener) throws IOException {
        if (service == null) {
            service = FileSystems.getDefault().newWatchService();
            start(service);
        }
        try {
            WatchKey key = folder.register(service, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE,
                    StandardWatchEventKinds.ENTRY_MODIFY);
            Watched watched = folders.computeIfAbsent(folder, name -> new Watched());
            WatchKey before = watched.key;
            watched.key = key;
            watched.listeners.add(listener);
            if (before != null && before != key) {
                cancelUnused(before);
            }
        } finally {
            closeIfUnused();
        }
    }

    @Override
    public synchronized void forget(Path folder, ChangeListener listener) {
        Watched watched = folders.get(folder);
        if (watched != null && watched.listeners.remove(listener) && watched.listeners.isEmpty()) {
            folders.remove(folder);
            cancelUnused(watched.key);
            closeIfUnused();
        }
    }

    /** A folder may have two names, and then both have one key. */
    private void cancelUnused(WatchKey key) {
        if (folders.values().stream().noneMatch(watched -> watched.key == key)) {
            key.cancel();
        }
    }

    private void closeIfUnused() {
        if (!folders.isEmpty() || service == null) {
            return;
        }
        try {
            service.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            service = null;
        }
    }

    private void start(WatchService opened) {
        Thread thread = new Thread(() -> listen(opened), "despina-file-notices");
        thread.setDaemon(true);
        thread.start();
    }

    private void listen(WatchService opened) {
        try {
            while (true) {
                WatchKey key = opened.take();
                // the key is reset first: what happens from here on is the next notice
                List<WatchEvent<?>> events = key.pollEvents();
                boolean exists = key.reset();
                named(key).forEach((folder, listeners) -> listeners.forEach(listener -> tell(listener, folder, events, exists)));
            }
        } catch (ClosedWatchServiceException | InterruptedException closed) {
            // no folder is watched any more
        }
    }

    /** The names of the folder, and the listeners by each. */
    private synchronized Map<Path, List<ChangeListener>> named(WatchKey key) {
        Map<Path, List<ChangeListener>> named = new HashMap<>();
        folders.forEach((folder, watched) -> {
            if (watched.key == key) {
                named.put(folder, List.copyOf(watched.listeners));
            }
        });
        return named;
    }

    /** @param exists whether the folder is still there */
    private static void tell(ChangeListener listener, Path folder, List<WatchEvent<?>> events, boolean exists) {
        boolean changed = !exists;
        for (WatchEvent<?> event : events) {
            if (event.kind() == StandardWatchEventKinds.ENTRY_MODIFY) {
                listener.written(folder.resolve((Path) event.context()));
            } else {
                changed = true;
            }
        }
        if (changed) {
            listener.changed();
        }
    }
}
