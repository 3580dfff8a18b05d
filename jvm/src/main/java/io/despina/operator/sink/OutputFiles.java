package io.despina.operator.sink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of one file sink instance. In a folder they are {@code part-IIIII-EEEEE.ending} (instance, epoch), as Spark
 * reads and ignores: until its epoch is committed a file's name begins with a dot. Names follow from instance and epoch, so a
 * commit may be repeated, and a second run of the same epoch replaces the first. A single file takes each epoch's bytes at
 * its end.
 *
 * <pre>
 * .part-00000.csv.writing          in the writing; of no worth after a restart
 * .part-00000-00007.csv.prepared   epoch 7, complete and on disk, not yet to be seen
 * part-00000-00007.csv             committed
 * .part-00000.done                 this instance has come to its end; the last one to do so writes _SUCCESS
 * </pre>
 */
final class OutputFiles {
    static final String SUCCESS = "_SUCCESS";
    private static final Pattern PART = Pattern.compile("part-(\\d{5})[-.].*");
    private static final String WRITING = ".writing";
    private static final String PREPARED = ".prepared";
    private static final String DONE = ".done";

    /**
     * Where and what.
     *
     * @param path    a folder, or with {@code single} the one file
     * @param ending  of part files: {@code csv}, {@code json}, {@code txt}
     * @param replace what an earlier run left is removed; else it is an error
     */
    record Options(Path path, boolean single, String ending, boolean replace) {
    }

    private final Options options;
    private final int instance;
    private final int parallelism;
    private final Path folder;
    private FileChannel writing;
    /** The topmost folder that this instance made; null if all were there. */
    private Path made;

    OutputFiles(Options options, int instance, int parallelism) {
        this.options = options;
        this.instance = instance;
        this.parallelism = parallelism;
        folder = options.single ? options.path.toAbsolutePath().getParent() : options.path;
        if (options.single && parallelism > 1) {
            throw new IllegalArgumentException(options.path + ": a single file has one writer; parallelism is " + parallelism);
        }
    }

    /**
     * Makes the folder, and sees to what is there. Each instance looks after its own parts, the first one also after the rest:
     * the others may have begun.
     *
     * @throws IOException in words for the user
     */
    void begin() throws IOException {
        makeFolder();
        Files.deleteIfExists(writingPath());
        if (options.single) {
            if (Files.isDirectory(options.path)) {
                throw new IOException(options.path + " is a folder, and single_file wants a file");
            }
            removeOrRefuse(options.path);
            delete(preparedPattern());
            return;
        }
        for (Path file : list()) {
            String name = file.getFileName().toString();
            Matcher part = PART.matcher(name.startsWith(".") ? name.substring(1) : name);
            int owner = part.matches() ? Integer.parseInt(part.group(1)) : -1;
            boolean mine = owner == instance || instance == 0 && owner >= parallelism;
            if (name.startsWith(".")) {
                if (mine) {
                    Files.delete(file);
                }
            } else if (mine || instance == 0 && (name.equals(SUCCESS))) {
                removeOrRefuse(file);
            } else if (instance == 0 && owner < 0) {
                throw new IOException(folder + " holds `" + name + "`, which is no output; choose another folder");
            }
        }
    }

    /** Goes on where an earlier run stopped: only what was not prepared is dropped. */
    void resume() throws IOException {
        makeFolder();
        Files.deleteIfExists(writingPath());
    }

    private void makeFolder() throws IOException {
        Path missing = null;
        for (Path at = folder.toAbsolutePath(); at != null && !Files.exists(at); at = at.getParent()) {
            missing = at;
        }
        try {
            Files.createDirectories(folder);
            made = missing == null ? made : missing;
        } catch (IOException e) {
            throw new IOException("cannot make the folder " + folder + ": " + (e instanceof FileAlreadyExistsException
                    || e instanceof NoSuchFileException ? e.getMessage() + " cannot be a folder" : e.getMessage()), e);
        }
    }

    /** A run that is refused, or drops all it wrote, leaves no folder that was not there before. */
    private void removeMade() throws IOException {
        try {
            for (Path at = folder.toAbsolutePath(); made != null && at.startsWith(made); at = at.getParent()) {
                Files.deleteIfExists(at);
            }
        } catch (DirectoryNotEmptyException inUse) {
            return;
        }
    }

    private void removeOrRefuse(Path file) throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        if (!options.replace) {
            throw new IOException(options.path + (options.single ? " exists" : " holds output of an earlier run (`"
                    + file.getFileName() + "`)") + "; remove it, or say \"if_exists\": \"replace\"");
        }
        Files.delete(file);
    }

    private List<Path> list() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted().toList();
        }
    }

    private void delete(Pattern names) throws IOException {
        for (Path file : list()) {
            if (names.matcher(file.getFileName().toString()).matches()) {
                Files.delete(file);
            }
        }
    }

    /** What this instance's file names begin with. */
    private String base() {
        return options.single ? options.path.getFileName().toString() : String.format(Locale.ROOT, "part-%05d", instance);
    }

    private Path writingPath() {
        return folder.resolve("." + base() + "." + options.ending + WRITING);
    }

    private Pattern preparedPattern() {
        return Pattern.compile(Pattern.quote("." + base()) + "-\\d+(-\\d+)?\\." + options.ending + Pattern.quote(PREPARED));
    }

    boolean isWriting() {
        return writing != null;
    }

    /** Appends whole lines to what is in the writing. */
    void write(byte[] lines, int length) throws IOException {
        try {
            append(lines, length);
        } catch (FileSystemException namesItsFile) {
            throw namesItsFile;
        } catch (IOException e) {
            throw new IOException("cannot write to " + folder + ": " + e.getMessage(), e);
        }
    }

    private void append(byte[] lines, int length) throws IOException {
        if (writing == null) {
            makeFolder();       // gone, perhaps, with an epoch that was dropped
            writing = FileChannel.open(writingPath(), StandardOpenOption.WRITE, StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING);
        }
        ByteBuffer buffer = ByteBuffer.wrap(lines, 0, length);
        while (buffer.hasRemaining()) {
            writing.write(buffer);
        }
    }

    /** Puts what was written on disk as that epoch's; nothing if nothing was written. */
    void prepare(long epoch) throws IOException {
        if (writing == null) {
            return;
        }
        writing.force(true);
        writing.close();
        writing = null;
        Files.move(writingPath(), prepared(epoch), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        forceFolder();
    }

    private Path prepared(long epoch) throws IOException {
        String size = options.single ? "-" + (Files.exists(options.path) ? Files.size(options.path) : 0) : "";
        return folder.resolve("." + base() + "-" + number(epoch) + size + "." + options.ending + PREPARED);
    }

    private static String number(long epoch) {
        return String.format(Locale.ROOT, "%05d", epoch);
    }

    /** Shows a prepared epoch; does nothing if that is done. */
    void commit(long epoch) throws IOException {
        Path file = find(epoch);
        if (file == null) {
            return;
        }
        if (options.single) {
            append(file);
        } else {
            Path shown = folder.resolve(base() + "-" + number(epoch) + "." + options.ending);
            Files.move(file, shown, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        forceFolder();
    }

    /** The single file's size before this epoch is in the name, so that a commit cut short is done again from there. */
    private void append(Path file) throws IOException {
        Matcher name = Pattern.compile(".*-(\\d+)\\." + options.ending + Pattern.quote(PREPARED)).matcher(file.toString());
        long size = name.matches() ? Long.parseLong(name.group(1)) : 0;
        if (size == 0) {
            Files.move(file, options.path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return;
        }
        try (FileChannel to = FileChannel.open(options.path, StandardOpenOption.WRITE);
                FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
            to.truncate(size);
            to.position(size);
            for (long at = 0; at < from.size();) {
                at += from.transferTo(at, from.size() - at, to);
            }
            to.force(true);
        }
        Files.delete(file);
    }

    private Path find(long epoch) throws IOException {
        String prefix = "." + base() + "-" + number(epoch);
        for (Path file : list()) {
            String name = file.getFileName().toString();
            if (name.startsWith(prefix) && preparedPattern().matcher(name).matches()
                    && !Character.isDigit(name.charAt(prefix.length()))) {
                return file;
            }
        }
        return null;
    }

    /** Drops what is in the writing, that epoch if it is prepared, and a folder made for them that then is empty. */
    void abort(long epoch) throws IOException {
        close();
        Files.deleteIfExists(writingPath());
        try {
            Path file = find(epoch);
            if (file != null) {
                Files.delete(file);
            }
        } catch (NoSuchFileException neverMade) {
            return;
        }
        removeMade();
    }

    /** This instance has come to the end of its input, and committed. */
    void done() throws IOException {
        if (options.single) {
            return;
        }
        if (parallelism > 1) {
            Files.write(marker(instance), new byte[0]);
            for (int k = 0; k < parallelism; k++) {
                if (!Files.exists(marker(k))) {
                    return;
                }
            }
        }
        Files.write(folder.resolve(SUCCESS), new byte[0]);
        for (int k = 0; k < parallelism; k++) {
            Files.deleteIfExists(marker(k));
        }
    }

    private Path marker(int of) {
        return folder.resolve(String.format(Locale.ROOT, ".part-%05d%s", of, DONE));
    }

    private void forceFolder() throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    void close() throws IOException {
        if (writing != null) {
            writing.close();
            writing = null;
        }
    }
}
