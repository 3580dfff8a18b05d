package io.despina.log;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Where a log is, and who has it.
 *
 * @param name for messages
 */
public record LogPlace(LogDisk disk, int attempt, LogThreads threads, String name) {

    /** A folder of this machine. */
    public static LogPlace of(Path folder, int attempt, String name) throws IOException {
        return new LogPlace(new FolderDisk(folder), attempt, LogThreads.SHARED, name);
    }
}
