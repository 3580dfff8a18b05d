package io.despina.operator.sink.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A file that is locked as long as its sink lives. The system releases the lock with the process, so an unlocked file belongs to
 * a sink that was killed. On a file system without locks every other sink counts as dead.
 */
public final class OutputLock {
    /** Files that sinks of this JVM hold or check. Each has its own monitor, because a file system may take any time. */
    private static final Map<Path, Use> USED = new ConcurrentHashMap<>();

    /** The use of one file in this JVM. */
    private static final class Use {
        /** How many hold or check the file; changed only inside {@link #USED}. */
        private int users;
        /**
         * Guarded by this. A process that opens and closes a locked file again loses its lock, so a held file is not opened to
         * check it.
         */
        private boolean held;
    }

    private final Path file;
    private final FileChannel channel;

    private OutputLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Makes the file, and locks it.
     *
     * @return null if another holds it
     */
    static OutputLock take(Path path) throws IOException {
        Path file = real(path);
        Use use = use(file);
        try {
            synchronized (use) {
                OutputLock lock = use.held ? null : lock(file);
                if (lock != null) {
                    use(file);
                    use.held = true;
                }
                return lock;
            }
        } finally {
            leave(file);
        }
    }

    private static OutputLock lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        if (isFree(channel)) {
            return new OutputLock(file, channel);
        }
        channel.close();
        return null;
    }

    private static Use use(Path file) {
        return USED.compute(file, (path, known) -> {
            Use use = known == null ? new Use() : known;
            use.users++;
            return use;
        });
    }

    private static void leave(Path file) {
        USED.computeIfPresent(file, (path, use) -> --use.users == 0 ? null : use);
    }

    /** Whether a live sink holds that file; if not, the file is deleted. For Spark's writers, which take no lock themselves. */
    public static boolean isHeld(String path) throws IOException {
        return isHeld(Path.of(path));
    }

    /** Whether a live sink holds that file; if not, the file is deleted. */
    static boolean isHeld(Path path) throws IOException {
        Path file = real(path);
        Use use = use(file);
        try {
            synchronized (use) {
                return use.held || isLocked(file);
            }
        } finally {
            leave(file);
        }
    }

    private static boolean isLocked(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            boolean free = isFree(channel);
            if (free) {
                Files.delete(file);
            }
            return !free;
        } catch (NoSuchFileException givenUp) {
            return false;
        }
    }

    private static boolean isFree(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (IOException noLocksHere) {
            return true;
        }
    }

    /** The same name for a file, whatever links lead to its folder. */
    private static Path real(Path path) throws IOException {
        return path.toAbsolutePath().getParent().toRealPath().resolve(path.getFileName());
    }

    /** Deletes the file; others may then take the name. */
    void release() throws IOException {
        Use use = USED.get(file);
        synchronized (use) {
            try (channel) {
                Files.deleteIfExists(file);
            } finally {
                use.held = false;
                leave(file);
            }
        }
    }
}
