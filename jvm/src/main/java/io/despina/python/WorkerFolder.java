package io.despina.python;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder for the sockets of this process's workers, and the program that they run. Nobody else may enter it. It is there while
 * there are workers.
 */
final class WorkerFolder {
    private static final String PROGRAM = "despina_worker.zip";
    /** A socket's path must have less than 108 bytes. */
    private static final int LONGEST = 80;
    private static final Path SHORT = Path.of("/tmp");

    /** Guarded by the class: null while there is no worker. */
    private static WorkerFolder shared;

    private final Path path;
    /** Guarded by the class. */
    private int users;
    /** Guarded by the class. */
    private long sockets;

    private WorkerFolder() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
        path = Files.createTempDirectory(temporary.toString().length() > LONGEST ? SHORT : temporary, "dsp",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (InputStream program = WorkerFolder.class.getResourceAsStream(PROGRAM)) {
            Files.copy(program, program(), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Every call needs one of {@link #give}. */
    static synchronized WorkerFolder take() throws IOException {
        if (shared == null) {
            shared = new WorkerFolder();
        }
        shared.users++;
        return shared;
    }

    /** A path for a new socket. */
    Path socket() {
        synchronized (WorkerFolder.class) {
            return path.resolve("s" + sockets++);
        }
    }

    Path program() {
        return path.resolve(PROGRAM);
    }

    /** The folder goes with the last worker. */
    void give() throws IOException {
        synchronized (WorkerFolder.class) {
            if (--users > 0) {
                return;
            }
            shared = null;
        }
        List<Path> files;
        try (Stream<Path> listed = Files.list(path)) {
            files = listed.toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
        Files.delete(path);
    }
}
