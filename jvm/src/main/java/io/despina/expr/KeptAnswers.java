package io.despina.expr;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Answers of the expression compiler on disk, for JVMs that start later: a file for each, named by the digest of its question.
 * The folder belongs to the user and to one set of jars. An answer whose digest does not fit is ignored. Errors of reading and
 * writing are ignored, because every answer can be computed again. Thread-safe, also between processes.
 *
 * <pre>
 * 32 bytes   SHA-256 of what follows
 * the rest   the answer
 * </pre>
 */
public final class KeptAnswers {
    private static final String ENDING = ".answer";
    private static final int DIGEST_BYTES = 32;
    private static final int MOST_FILES = 4096;
    /** How many are deleted at once: those whose last reading is longest ago. */
    private static final int AT_ONCE = MOST_FILES / 4;
    private static final int LOOK_EVERY = 256;
    private static final int MOST_BYTES = 1 << 20;
    /** Reading updates the time of an answer, to a day's accuracy. */
    private static final long DAY_MILLIS = 86_400_000;

    private final Path folder;
    private final Function<Path, FileTime> time;
    private final AtomicInteger puts = new AtomicInteger();

    private record Dated(Path file, FileTime time) {
    }

    /** @param folder created with the first answer, accessible to its user only */
    public KeptAnswers(Path folder) {
        this(folder, KeptAnswers::time);
    }

    /** @param time when a file was last read */
    KeptAnswers(Path folder, Function<Path, FileTime> time) {
        this.folder = folder;
        this.time = time;
    }

    /** The answer to a question; null if it is not kept. */
    byte[] get(byte[] question) {
        Path file = file(question);
        try {
            byte[] whole = Files.size(file) > MOST_BYTES ? new byte[0] : Files.readAllBytes(file);
            if (whole.length < DIGEST_BYTES) {
                return null;
            }
            byte[] answer = Arrays.copyOfRange(whole, DIGEST_BYTES, whole.length);
            if (!Arrays.equals(sha256(answer), 0, DIGEST_BYTES, whole, 0, DIGEST_BYTES)) {
                return null;
            }
            long now = System.currentTimeMillis();      // of the clock by which files get their times
            if (now - Files.getLastModifiedTime(file).toMillis() > DAY_MILLIS) {
                Files.setLastModifiedTime(file, FileTime.fromMillis(now));
            }
            return answer;
        } catch (IOException notKept) {
            return null;
        }
    }

    /** Whether {@link #get} would find something; it may still be damaged. */
    boolean has(byte[] question) {
        return Files.isReadable(file(question));
    }

    void put(byte[] question, byte[] answer) {
        if (answer.length > MOST_BYTES - DIGEST_BYTES) {
            return;
        }
        Path writing = null;
        try {
            makeFolder();
            writing = Files.createTempFile(folder, "", ".writing");
            byte[] whole = Arrays.copyOf(sha256(answer), DIGEST_BYTES + answer.length);
            System.arraycopy(answer, 0, whole, DIGEST_BYTES, answer.length);
            Files.write(writing, whole);
            Files.move(writing, file(question), StandardCopyOption.ATOMIC_MOVE);
            if (puts.getAndIncrement() % LOOK_EVERY == 0) {
                removeOldest();
            }
        } catch (IOException | UncheckedIOException notKept) {
            remove(writing);
        }
    }

    private void makeFolder() throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Files.createDirectories(folder.getParent());
        try {
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (UnsupportedOperationException noPosix) {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException byAnother) {
            return;
        }
    }

    private void removeOldest() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.toList();
        }
        if (files.size() <= MOST_FILES) {
            return;
        }
        // each time is read once: other processes change them meanwhile
        files.stream().map(file -> new Dated(file, time.apply(file))).sorted(Comparator.comparing(Dated::time))
                .limit(files.size() - MOST_FILES + AT_ONCE).forEach(old -> remove(old.file()));
    }

    private static FileTime time(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException gone) {
            return FileTime.fromMillis(0);
        }
    }

    private static void remove(Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException stays) {
            return;
        }
    }

    private Path file(byte[] question) {
        return folder.resolve(HexFormat.of().formatHex(sha256(question)) + ENDING);
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
