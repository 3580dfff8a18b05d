package io.despina.operator.source.file;

import io.despina.operator.OperatorContext;
import io.despina.operator.disk.FolderNotices;
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
 * Files that grow: each keeps its turn until nothing is left to read for now. With {@link FileNotices}, a file gets a turn after
 * a write to it, and the path is listed again after a folder has changed. Even so the path is listed every {@link #LOOK_NANOS}.
 * Without notices every file is read every {@link #POLL_NANOS}. A file is known by its identity (device and inode), whatever its
 * name:
 * <ul>
 * <li>a renamed file that still matches the path is followed under its new name;
 * <li>if another file takes a file's name, the old file is read to its end as soon as the new one has bytes; then the new one is
 * read;
 * <li>a file that cannot grow, because it is packed or has rows, is done at its end;
 * <li>a removed file is done when nothing was written to it for {@link #GONE_NANOS};
 * <li>a new file is read from its beginning, by the instance that its identity determines.
 * </ul>
 */
final class FollowedFiles implements FileOrder {
    /** How often files without notices are read. */
    static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    static final long GONE_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** Listing takes at most this part of the time: a folder may be large. */
    private static final int SELDOM = 20;
    private static final int LEAST_BLOCK_BYTES = 1 << 13;
    private static final int HELD_BYTES = 1 << 24;

    /** A file in the last listing of the path. */
    private record Listed(Path path, Object key, long size) {
    }

    /** The mark of a file that no longer matches the path, and since when nothing was written to it. */
    private record Missing(FileMark mark, long since) {
    }

    private final String path;
    /** Whether a truncated file is read again from its beginning; else the source fails. */
    private final boolean restarts;
    private final SourceFile.Options options;
    private final OperatorContext context;
    private final FileNotices notices;
    /** In the order in which they were found. Each keeps its file open, so that no other file can get its identity. */
    private final List<SourceFile> files = new ArrayList<>();
    /** Files that have lost their name, with their marks at that time. */
    private final Map<SourceFile, Missing> missing = new HashMap<>();
    private long nextLook = Long.MIN_VALUE;
    /** The earliest time of the next listing, if something has changed. */
    private long soonestLook = Long.MIN_VALUE;
    private boolean roundBegun;
    /** The files that have a turn in this round; null for all. */
    private Set<SourceFile> due;
    private int turn;
    /** How many files in a row had nothing to read in their turn. */
    private int had;
    private long held;

    FollowedFiles(FileSourceOptions source, SourceFile.Options options, OperatorContext context, FolderNotices folders) {
        path = source.path();
        restarts = source.reading().follow() == Follow.RESTART_ON_TRUNCATE;
        this.options = new SourceFile.Options(options.schema(), options.opener(), this::truncated);
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
            if (file.isDone() || due != null && !due.contains(file)) {
                nextTurn();
            } else if (file.isOpen() || open(file)) {
                return file;
            } else {
                passOver(file);
            }
        }
        return null;
    }

    /** The current file had nothing to read. */
    private void nextTurn() {
        turn = (turn + 1) % files.size();
        had++;
    }

    /** The file has another name or none: the next listing will tell. */
    private void passOver(SourceFile file) {
        if (file.isLeft()) {
            context.warn(file.path() + " was renamed or deleted before the source could open it, and was not read");
            drop();
        } else {
            nextTurn();
        }
    }

    /** @return whether the file of that name is still the listed one */
    private boolean open(SourceFile file) throws IOException {
        try {
            file.open(Math.max(LEAST_BLOCK_BYTES, Math.min(LineBlocks.BLOCK_BYTES, HELD_BYTES / files.size())));
            if (file.key().equals(key(file.path(), attributes(file.path())))) {
                return true;
            }
        } catch (FileNotFoundException | NoSuchFileException gone) {
            // the return value says it
        }
        file.close();
        return false;
    }

    private void drop() {
        files.remove(turn);
        turn = turn == files.size() ? 0 : turn;
        nextLook = Long.MIN_VALUE;      // to find the file that has its name now
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
        if (files.removeIf(file -> file.isDone() && !byKey.containsKey(file.key()))) {
            had = 0;
            turn = 0;
        }
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
     * Finds out what has happened to a file.
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
                turn = 0;       // it is read before the file that has its name now
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

    /** Decided by what a rename does not change: each instance lists on its own, and a name may change between two listings. */
    private boolean isMine(Listed each) {
        return InputFiles.instanceOf(each.key.toString(), context.parallelism()) == context.instance();
    }

    /** The files that match the path now. A file that vanishes meanwhile may be missing. */
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

    /** A file's identity, whatever its name; its name if the file system has nothing better. */
    private static Object key(Path file, BasicFileAttributes attributes) {
        return attributes.fileKey() == null ? file : attributes.fileKey();
    }

    /** Also looks in the file's folder for a file that was renamed since. */
    @Override
    public void seek(List<FileMark> marks) throws IOException {
        Map<Path, Listed> listed = list();
        for (FileMark mark : marks) {
            Listed found = find(mark, listed);
            if (found == null) {
                listBeside(mark.path(), listed);
                found = find(mark, listed);
            }
            if (found == null && mark.done()) {
                continue;
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
