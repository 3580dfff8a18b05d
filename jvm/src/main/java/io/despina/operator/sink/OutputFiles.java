package io.despina.operator.sink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of one file sink instance. In a folder they are {@code part-IIIII-EEEEE.ending} (instance, epoch), as Spark
 * reads and ignores: until its epoch is committed a file's name begins with a dot. Names follow from owner, instance and epoch,
 * so a commit may be repeated, and a second run of the same epoch replaces the first. A single file takes each epoch's bytes at
 * its end.
 *
 * <p>The owner is one sink of one job, all its instances. One that meets the lock of another that lives refuses; what dead
 * ones left hidden is removed.
 *
 * <pre>
 * .part-00000.OWNER.lock                 held as long as this instance lives
 * .part-00000.OWNER.made                 only where this instance made the folder
 * .part-00000.OWNER.csv.writing          in the writing; of no worth after a restart
 * .part-00000-00007.OWNER.csv.prepared   epoch 7, complete and on disk, not yet to be seen
 * part-00000-00007.csv                   committed
 * .part-00000.OWNER.done                 this instance has come to its end; the last one to do so writes _SUCCESS
 * </pre>
 */
final class OutputFiles {
    static final String SUCCESS = "_SUCCESS";
    private static final Pattern PART = Pattern.compile("part-(\\d{5})[-.].*");
    private static final String LOCK = ".lock";
    private static final String MADE = ".made";
    private static final String WRITING = ".writing";
    private static final String PREPARED = ".prepared";
    private static final String DONE = ".done";
    /** A longer owner is cut: a file's name has room for 255. */
    private static final int MOST_OWNER = 120;

    /**
     * Where and what.
     *
     * @param path    a folder, or with {@code single} the one file
     * @param ending  of part files: {@code csv}, {@code json}, {@code txt}
     * @param replace what an earlier run left is removed; else it is an error
     * @param owner   no other sink's, of this job or any
     */
    record Options(Path path, boolean single, String ending, boolean replace, String owner) {
        Options {
            String plain = owner.replaceAll("[^A-Za-z0-9_-]", "_");
            owner = plain.length() <= MOST_OWNER ? plain
                    : Integer.toHexString(owner.hashCode()) + plain.substring(plain.length() - MOST_OWNER);
        }
    }

    private final Options options;
    private final int instance;
    private final int parallelism;
    private final Path folder;
    private final MadeFolder made;
    /** What is hidden of a single file, whoever its owner is. */
    private final Pattern hidden;
    private OutputLock lock;
    private FileChannel writing;
    /** Whether no earlier run of this job wrote here: what is in the way of a commit then is another's. */
    private boolean fresh;
    /** Whether the single file is there by a commit of this instance. */
    private boolean shown;
    private boolean aborted;

    OutputFiles(Options options, int instance, int parallelism) {
        this.options = options;
        this.instance = instance;
        this.parallelism = parallelism;
        folder = options.single ? options.path.toAbsolutePath().getParent() : options.path;
        hidden = Pattern.compile(Pattern.quote("." + base())
                + "(\\.[^.]+\\.(lock|made)|(-\\d+-\\d+)?\\.[^.]+\\.(csv|json|txt)\\.(writing|prepared))");
        made = new MadeFolder(hidden(MADE), "." + options.owner + MADE);
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
        lock();
        try {
            clear();
        } catch (IOException e) {
            drop();
            throw e;
        }
        fresh = true;
    }

    /** Goes on where an earlier run stopped: only what was not prepared is dropped. */
    void resume() throws IOException {
        lock();
        Files.deleteIfExists(writingPath());
    }

    /** The lock is taken before others are looked for: of two that begin at once, at least one finds the other. */
    private void lock() throws IOException {
        made.make();
        Path own = hidden(LOCK);
        lock = OutputLock.take(own);
        Path held = lock == null ? own : heldByOthers();
        if (held != null) {
            drop();
            throw new IOException(options.path + " is being written by another job or sink, which holds `"
                    + held.getFileName() + "`; wait for its end, or choose another path");
        }
    }

    private Path heldByOthers() throws IOException {
        for (Path file : made.list()) {
            String name = file.getFileName().toString();
            if (name.endsWith(LOCK) && instanceOf(name) >= 0 && !isOwners(name, LOCK) && OutputLock.isHeld(file)) {
                return file;
            }
        }
        return null;
    }

    private boolean isOwners(String name, String kind) {
        return name.endsWith("." + options.owner + kind);
    }

    /** Which instance a file is of, whoever its owner is; -1 if it is no sink's. */
    private int instanceOf(String name) {
        if (options.single) {
            return hidden.matcher(name).matches() ? 0 : -1;
        }
        Matcher part = PART.matcher(name.startsWith(".") ? name.substring(1) : name);
        return part.matches() ? Integer.parseInt(part.group(1)) : -1;
    }

    private void clear() throws IOException {
        if (options.single) {
            if (Files.isDirectory(options.path)) {
                throw new IOException(options.path + " is a folder, and single_file wants a file");
            }
            removeOrRefuse(options.path);
        }
        for (Path file : made.list()) {
            String name = file.getFileName().toString();
            int of = instanceOf(name);
            boolean mine = of == instance || instance == 0 && of >= parallelism;
            if (name.startsWith(".")) {
                if (mine && !isOwners(name, LOCK) && !isOwners(name, MADE)) {
                    Files.deleteIfExists(file);
                }
            } else if (!options.single) {
                clearVisible(file, mine, of < 0);
            }
        }
    }

    private void clearVisible(Path file, boolean mine, boolean foreign) throws IOException {
        String name = file.getFileName().toString();
        if (mine || instance == 0 && name.equals(SUCCESS)) {
            removeOrRefuse(file);
        } else if (instance == 0 && foreign) {
            throw new IOException(folder + " holds `" + name + "`, which is no output; choose another folder");
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

    /** What this instance's file names begin with. */
    private String base() {
        return options.single ? options.path.getFileName().toString() : String.format(Locale.ROOT, "part-%05d", instance);
    }

    private Path hidden(String kind) {
        return folder.resolve("." + base() + "." + options.owner + kind);
    }

    private Path writingPath() {
        return hidden("." + options.ending + WRITING);
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
            made.make();       // gone, perhaps, with an epoch that was dropped
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
        String size = "";
        if (options.single) {
            refuseOthers(options.path);
            size = "-" + (Files.exists(options.path) ? Files.size(options.path) : 0);
        }
        return folder.resolve("." + base() + "-" + number(epoch) + size + "." + options.owner + "." + options.ending + PREPARED);
    }

    /** Another job began here when this one had, or its lock could not be seen. */
    private void refuseOthers(Path shownBefore) throws IOException {
        if (fresh && !shown && Files.exists(shownBefore)) {
            throw new IOException(shownBefore + " has been written by another job meanwhile: what this one wrote is dropped");
        }
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
            refuseOthers(options.path);
            append(file);
            shown = true;
        } else {
            Path visible = folder.resolve(base() + "-" + number(epoch) + "." + options.ending);
            refuseOthers(visible);
            Files.move(file, visible, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        forceFolder();
    }

    /** The single file's size before this epoch is in the name, so that a commit cut short is done again from there. */
    private void append(Path file) throws IOException {
        Matcher name = Pattern.compile(".*-(\\d+)\\." + ofOwner()).matcher(file.toString());
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

    private String ofOwner() {
        return Pattern.quote(options.owner + "." + options.ending + PREPARED);
    }

    private Path find(long epoch) throws IOException {
        Pattern wanted = Pattern.compile(Pattern.quote("." + base() + "-" + number(epoch)) + "(-\\d+)?\\." + ofOwner());
        for (Path file : made.list()) {
            if (wanted.matcher(file.getFileName().toString()).matches()) {
                return file;
            }
        }
        return null;
    }

    /** Drops what is in the writing, and that epoch if it is prepared. */
    void abort(long epoch) throws IOException {
        aborted = true;
        closeWriting();
        try {
            Files.deleteIfExists(writingPath());
            Path file = find(epoch);
            if (file != null) {
                Files.delete(file);
            }
        } catch (NoSuchFileException neverMade) {
            return;
        }
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
        return folder.resolve(String.format(Locale.ROOT, ".part-%05d.%s%s", of, options.owner, DONE));
    }

    private void forceFolder() throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private void closeWriting() throws IOException {
        if (writing != null) {
            writing.close();
            writing = null;
        }
    }

    private void drop() throws IOException {
        aborted = true;
        close();
    }

    /** Lets others write here. A run that is refused, or drops all it wrote, leaves no folder that was not there before. */
    void close() throws IOException {
        closeWriting();
        if (lock != null) {
            lock.release();
            lock = null;
        }
        if (made.isMade() || !options.single) {
            made.close(aborted);
        }
    }
}
