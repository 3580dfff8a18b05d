package io.despina.operator.sink;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * A file that is locked as long as its sink lives. The system's lock ends with the process, so a file that nobody holds is of
 * a sink that was killed. On a file system without locks every other sink counts as dead.
 */
public final class OutputLock {
    /**
     * Those that sinks of this JVM hold; guarded by itself. A process that opens and closes such a file once more loses its lock
     * on it, so these are never opened to see.
     */
    private static final Set<Path> HELD = new HashSet<>();

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
        synchronized (HELD) {
            Path file = real(path);
            if (HELD.contains(file)) {
                return null;
            }
            FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
            if (!isFree(channel)) {
                channel.close();
                return null;
            }
            HELD.add(file);
            return new OutputLock(file, channel);
        }
    }

    /** Whether a sink that lives holds that file, for Spark's writers, which hold none themselves. If not, it is deleted. */
    public static boolean isHeld(String path) throws IOException {
        return isHeld(Path.of(path));
    }

    /** Whether a sink that lives holds that file. If not, it is deleted. */
    static boolean isHeld(Path path) throws IOException {
        synchronized (HELD) {
            Path file = real(path);
            if (HELD.contains(file)) {
                return true;
            }
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
    }

    private static boolean isFree(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (IOException noLocksHere) {
            return true;
        }
    }

    /** One name for one file, whatever links lead to its folder. */
    private static Path real(Path path) throws IOException {
        return path.toAbsolutePath().getParent().toRealPath().resolve(path.getFileName());
    }

    /** Deletes the file, and others may take it. */
    void release() throws IOException {
        synchronized (HELD) {
            try (channel) {
                Files.deleteIfExists(file);
            } finally {
                HELD.remove(file);
            }
        }
    }
}
