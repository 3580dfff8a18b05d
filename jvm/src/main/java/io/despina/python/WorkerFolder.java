package io.despina.python;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A folder for the sockets of this process's workers, and the program that they run. Nobody else may enter it. It is there while
 * there are workers. One that is left of a process that was killed is removed by the next that makes one: whether its process
 * lives is said by a lock, since a number of a process means nothing in another container that has the same {@code /tmp}.
 */
final class WorkerFolder {
    private static final String PROGRAM = "despina_worker.zip";
    /** A socket's path must have less than 108 bytes. */
    private static final int LONGEST = 76;
    private static final Path SHORT = Path.of("/tmp");
    private static final String NAME = "dsp-";
    static final String LOCK = "lock";

    /** Guarded by the class: null while there is no worker. */
    private static WorkerFolder shared;

    private final Path path;
    /** Locks it as long as it is open. Nobody in this process opens that file again: to close it would unlock it. */
    private final FileChannel lock;
    /** Guarded by the class. */
    private int users;
    /** Guarded by the class. */
    private long sockets;

    private WorkerFolder() throws IOException {
        Path given = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
        Path temporary = given.toString().length() > LONGEST ? SHORT : given;
        Path made = Files.createTempDirectory(temporary, "." + NAME,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        lock = FileChannel.open(made.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        // it gets the name by which others find it when it is locked
        path = isLocked() ? Files.move(made, temporary.resolve(own() + Integer.toHexString(made.hashCode()))) : made;
        try (InputStream program = WorkerFolder.class.getResourceAsStream(PROGRAM)) {
            Files.copy(program, program(), StandardCopyOption.REPLACE_EXISTING);
        }
        clear(temporary, Files.getOwner(path));
    }

    /** Nobody else has the file yet. To wait for its lock would fail where a job is killed that starts its first worker. */
    private boolean isLocked() {
        try {
            return lock.tryLock() != null;
        } catch (IOException noLocks) {
            log("no locks in " + System.getProperty("java.io.tmpdir"), noLocks);
            return false;
        }
    }

    private static void log(String what, Exception why) {
        System.getLogger(WorkerFolder.class.getName()).log(System.Logger.Level.DEBUG, what, why);
    }

    private static String own() {
        return NAME + ProcessHandle.current().pid() + "-";
    }

    /** Removes what is left of processes that have died, of that user: nobody else can put another file in the place of one. */
    static void clear(Path temporary, UserPrincipal owner) throws IOException {
        List<Path> others;
        try (Stream<Path> listed = Files.list(temporary)) {
            others = listed.filter(each -> each.getFileName().toString().startsWith(NAME)
                    && !each.getFileName().toString().startsWith(own())).toList();
        }
        for (Path each : others) {
            try {
                if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)
                        && Files.getOwner(each, LinkOption.NOFOLLOW_LINKS).equals(owner)) {
                    removeUnlessHeld(each);
                }
            } catch (IOException goneOrStays) {
                log(each + " is left alone", goneOrStays);
            }
        }
    }

    private static void removeUnlessHeld(Path left) throws IOException {
        try (FileChannel held = FileChannel.open(left.resolve(LOCK), StandardOpenOption.WRITE)) {
            if (held.tryLock() != null) {
                remove(left);
            }
        }
    }

    /** What vanishes meanwhile is no failure: a socket's file goes when its thread closes it. */
    private static void remove(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {      // it follows no links
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException why) throws IOException {
                return why instanceof NoSuchFileException ? FileVisitResult.CONTINUE : super.visitFileFailed(file, why);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException why) throws IOException {
                Files.deleteIfExists(visited);
                return super.postVisitDirectory(visited, why);
            }
        });
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

    /**
     * A folder with these modules, which is made once and goes with this one.
     *
     * @param files by the place in it, {@code acme/scores.py}, the bytes in base64
     * @throws IOException one would lie outside of it, or it cannot be written
     */
    Path modules(Map<String, String> files) throws IOException {
        synchronized (WorkerFolder.class) {
            Path into = path.resolve("m" + digest(files));
            if (!Files.exists(into)) {
                Path made = Files.createTempDirectory(path, ".m");
                try {
                    for (Map.Entry<String, String> file : files.entrySet()) {
                        write(made, file.getKey(), file.getValue());
                    }
                    Files.move(made, into);
                } catch (IOException failed) {
                    remove(made);       // it is tried again with each process
                    throw failed;
                }
            }
            return into;
        }
    }

    private static void write(Path folder, String place, String base64) throws IOException {
        try {
            Path file = folder.resolve(place).normalize();
            if (!file.startsWith(folder) || file.equals(folder)) {
                throw new IOException("a module that came with the job has the place " + place);
            }
            Files.createDirectories(file.getParent());
            Files.write(file, Base64.getDecoder().decode(base64));
        } catch (IllegalArgumentException broken) {
            throw new IOException("a module that came with the job cannot be read: " + place, broken);
        }
    }

    /** SHA-256 of all places and bytes. */
    private static String digest(Map<String, String> files) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            new TreeMap<>(files).forEach((place, bytes) -> digest.update((place + "\n" + bytes + "\n").getBytes(UTF_8)));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException never) {
            throw new AssertionError(never);        // every Java has it
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
        try (lock) {
            remove(path);
        }
    }
}
