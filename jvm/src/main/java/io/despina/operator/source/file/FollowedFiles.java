package io.despina.operator.source.file;

import io.despina.operator.FolderNotices;
import io.despina.operator.OperatorContext;
import io.despina.spec.Follow;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Files that grow: each has its turn until it has no more for now. Where {@link FileNotices} tell what happens, a file has its
 * turn when it was written to, and the path is looked at again when a folder has changed. Everything is looked at every
 * {@link #LOOK_NANOS} all the same, and where there are no notices, every file is read every {@link #POLL_NANOS}. A file is
 * known by its identity (device and inode), whatever its name:
 * <ul>
 * <li>one that is renamed and still matches the path is followed on under its new name;
 * <li>one whose name has become another file's is read to its end once the other one has bytes, and then the other one is begun;
 * <li>one that is gone is done with when it has been silent for {@link #GONE_NANOS};
 * <li>one not seen before is read from its beginning, by the instance that its identity says.
 * </ul>
 */
final class FollowedFiles implements FileOrder {
    /** How long files without notices are left alone. */
    static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    static final long GONE_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** Looks take at most this part of the time: a folder may be large. */
    private static final int SELDOM = 20;
    private static final int LEAST_BLOCK_BYTES = 1 << 13;
    private static final int HELD_BYTES = 1 << 24;

    /** A file as the path was looked at. */
    private record Listed(Path path, Object key, long size) {
    }

    /** Where a file stood that matches the path no longer, and has not been written to since. */
    private record Missing(FileMark mark, long since) {
    }

    private final String path;
    /** A file that is cut short is read again from its beginning; else the source fails. */
    private final boolean restarts;
    private final SourceFile.Options options;
    private final OperatorContext context;
    private final FileNotices notices;
    /** In the order in which they were found. Each holds its file open, so that no other can get its identity. */
    private final List<SourceFile> files = new ArrayList<>();
    /** Files without a name, by where they stood when that was seen. */
    private final Map<SourceFile, Missing> missing = new HashMap<>();
    private long nextLook = Long.MIN_VALUE;
    /** When a look may be next, if something has happened. */
    private long soonestLook = Long.MIN_VALUE;
    private boolean roundBegun;
    /** The files that have a turn in this round; null for all. */
    private Set<SourceFile> due;
    private int turn;
    /** How many files have had their turn and nothing to read, one after the other. */
    private int had;
    private long held;

    FollowedFiles(FileSourceOptions source, SourceFile.Options options, OperatorContext context, FolderNotices folders) {
        path = source.path();
        restarts = source.reading().follow() == Follow.RESTART_ON_TRUNCATE;
        this.options = new SourceFile.Options(options.schema(), options.lines(), this::truncated);
        this.context = context;
        notices = new FileNotices(folders, context);
    }

    private void truncated(TruncatedException why) throws IOException {
        if (!restarts) {
            throw new IOException(why.getMessage() + "; rotate it by renaming it, or say \"on_truncate\": \"restart\"", why);
        }
        context.warn(why.getMessage() + "; the source reads it again from its beginning");
    }

    @Override
    public List<SourceFile> files() {
        return files;
    }

    @Override
    public SourceFile current() throws IOException {
        if (notices.takeChanged()) {
            nextLook = Math.min(nextLook, soonestLook);
        }
        if (!roundBegun) {
            roundBegun = true;
            due = notices.areComplete() ? notices.takeWritten() : null;
        }
        while (context.clock().getAsLong() >= nextLook) {
            look();
        }
        while (had < files.size()) {
            SourceFile file = files.get(turn);
            if (due != null && !due.contains(file)) {
                nextTurn();
            } else if (file.isOpen() || open(file)) {
                return file;
            } else {
                passOver(file);
            }
        }
        return null;
    }

    /** The current file has had nothing. */
    private void nextTurn() {
        turn = (turn + 1) % files.size();
        had++;
    }

    /** It has another name or none: the next look tells. */
    private void passOver(SourceFile file) {
        if (file.isLeft()) {
            context.warn(file.path() + " was renamed or deleted before the source could open it, and was not read");
            drop();
        } else {
            nextTurn();
        }
    }

    /** @return whether the file of that name is still the one that was looked at */
    private boolean open(SourceFile file) throws IOException {
        try {
            file.open(Math.max(LEAST_BLOCK_BYTES, Math.min(LineBlocks.BLOCK_BYTES, HELD_BYTES / files.size())));
            if (file.key().equals(key(file.path(), attributes(file.path())))) {
                return true;
            }
        } catch (FileNotFoundException | NoSuchFileException gone) {
            // said by what is returned
        }
        file.close();
        return false;
    }

    private void drop() {
        files.remove(turn);
        turn = turn == files.size() ? 0 : turn;
        nextLook = Long.MIN_VALUE;      // for the file that has its name
    }

    @Override
    public void atEnd() throws IOException {
        SourceFile file = files.get(turn);
        if (file.isLeft()) {
            file.finish();
            drop();
        } else {
            turn = (turn + 1) % files.size();
            had = file.endTurn() ? 0 : had + 1;
        }
    }

    @Override
    public void restart() {
        had = 0;
        roundBegun = false;
    }

    @Override
    public long rest(long now) {
        restart();
        if (notices.haveWritten()) {
            return now;
        }
        return Math.max(now, notices.areComplete() ? nextLook : Math.min(nextLook, now + POLL_NANOS));
    }

    @Override
    public long heldBytes() {
        return held;
    }

    private void look() throws IOException {
        long began = context.clock().getAsLong();
        Map<Path, Listed> listed = list();
        Map<Object, Listed> byKey = new LinkedHashMap<>();
        listed.values().forEach(each -> byKey.putIfAbsent(each.key, each));
        for (SourceFile file : files) {
            check(file, byKey.remove(file.key()), listed.get(file.path()), began);
        }
        Set<Path> claimed = files.stream().map(SourceFile::path).collect(Collectors.toSet());
        for (Listed each : byKey.values()) {
            if (isMine(each) && !claimed.contains(each.path)) {
                files.add(new SourceFile(each.path, each.key, options));
                had = 0;
            }
        }
        held = files.stream().mapToLong(SourceFile::heldBytes).sum();
        due = null;
        boolean more = notices.watch(InputFiles.base(path), files);
        long now = context.clock().getAsLong();
        soonestLook = now + SELDOM * (now - began);
        nextLook = more ? Long.MIN_VALUE : Math.max(soonestLook, now + LOOK_NANOS);
    }

    @Override
    public void close() throws IOException {
        notices.close();
        FileOrder.super.close();
    }

    /**
     * Looks what has become of a file.
     *
     * @param listed as it matches the path now, or null
     * @param heir   the file that has its name now, or null
     */
    private void check(SourceFile file, Listed listed, Listed heir, long now) throws IOException {
        if (listed != null) {
            missing.remove(file);
            if (!listed.path.equals(file.path())) {
                context.warn(file.path() + " has been renamed to " + listed.path + "; the source still follows it");
                file.rename(listed.path);
                turn = 0;       // it comes before the file that has its name now
            }
        } else if (heir != null && heir.size > 0 && !file.isLeft()) {
            context.warn(file.path() + " is another file now: the source reads the old one to its end, then the new one"
                    + " from its beginning");
            leave(file);
        } else if (heir == null && !file.isLeft()) {
            Missing before = missing.get(file);
            if (before == null || !before.mark.equals(file.mark())) {
                missing.put(file, new Missing(file.mark(), now));
            } else if (now - before.since >= GONE_NANOS) {
                context.warn(file.path() + " is gone; the source had read it to its end");
                leave(file);
            }
        }
    }

    private void leave(SourceFile file) {
        missing.remove(file);
        file.leave();
    }

    /** By what a rename does not change: instances look by themselves, and a name may be another one when the next looks. */
    private boolean isMine(Listed each) {
        return InputFiles.instanceOf(each.key.toString(), context.parallelism()) == context.instance();
    }

    /** What the path means now; a file that vanishes meanwhile may be left out. */
    private Map<Path, Listed> list() throws IOException {
        Map<Path, Listed> listed = new LinkedHashMap<>();
        try {
            for (Path each : InputFiles.all(path)) {
                list(each, listed);
            }
        } catch (FileNotFoundException none) {
            return listed;
        } catch (UncheckedIOException walking) {
            if (!(walking.getCause() instanceof NoSuchFileException)) {
                throw walking.getCause();
            }
        }
        return listed;
    }

    private static void list(Path file, Map<Path, Listed> listed) throws IOException {
        try {
            BasicFileAttributes attributes = attributes(file);
            listed.put(file, new Listed(file, key(file, attributes), attributes.size()));
        } catch (NoSuchFileException goneMeanwhile) {
            listed.remove(file);
        }
    }

    private static BasicFileAttributes attributes(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class);
    }

    /** What tells a file from all others, whatever its name; its name where the file system has nothing better. */
    private static Object key(Path file, BasicFileAttributes attributes) {
        return attributes.fileKey() == null ? file : attributes.fileKey();
    }

    /** A file that has another name since is looked for in its folder too. */
    @Override
    public void seek(List<FileMark> marks) throws IOException {
        Map<Path, Listed> listed = list();
        for (FileMark mark : marks) {
            Listed found = find(mark, listed);
            if (found == null) {
                listBeside(mark.path(), listed);
                found = find(mark, listed);
            }
            if (found == null) {
                throw new IOException("cannot go on with a file that does not exist: " + mark.path()
                        + " is gone, or another file now and the old one cannot be found");
            }
            SourceFile file = new SourceFile(found.path, found.key, options);
            file.seek(mark);
            files.add(file);
        }
    }

    private static Listed find(FileMark mark, Map<Path, Listed> listed) {
        return listed.values().stream().filter(each -> each.key.toString().equals(mark.key())).findFirst().orElse(null);
    }

    private static void listBeside(Path file, Map<Path, Listed> listed) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> beside = Files.list(folder)) {
                for (Path each : beside.filter(Files::isRegularFile).toList()) {
                    list(each, listed);
                }
            }
        }
    }
}
