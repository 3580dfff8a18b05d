package io.despina.simulation.disk;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A disk that knows what was written, what of it is synced, and which names are durable. What a process has written that is
 * killed stays. A power failure keeps what was forced, and of the rest what the seed says: some blocks of a file, some names of
 * a folder. A name is durable only when its folder was forced. One thread.
 */
public final class SimulatedDisk {
    private static final int BLOCK = 512;

    /** What somebody does with it. */
    public enum Operation { CREATE, MAKE_FOLDER, WRITE, FORCE, FORCE_FOLDER, MOVE, LINK, DELETE, OPEN, LIST }

    /** What may be wrong with it for a while. */
    public enum Trouble {
        FULL, READ_ONLY,
        /** Forcing fails, and what was to be forced is never synced, as Linux does it. */
        FORCE_FAILS,
        /** Forcing succeeds, and nothing is synced. */
        FORCE_LIES
    }

    /** Is asked before each operation, and may make it fail. */
    @FunctionalInterface
    public interface Faults {
        void before(Operation operation, String path) throws IOException;
    }

    abstract static class Inode {
        long modifiedMillis;
    }

    static final class FolderNode extends Inode {
        private final Map<String, Inode> entries = new TreeMap<>();
        private final Map<String, Inode> named = new TreeMap<>();
        private final List<Change> pending = new ArrayList<>();

        Map<String, Inode> entries() {
            return entries;
        }

        private void change(Change change) {
            change.in(this, entries);
            pending.add(change);
        }

        void force() {
            pending.clear();
            named.clear();
            named.putAll(entries);
        }
    }

    static final class FileNode extends Inode {
        byte[] bytes = new byte[0];
        int length;
        private byte[] synced = new byte[0];
        private boolean poisoned;
        private boolean torn;
        /** The process that has locked it; null if none has. */
        Object locker;

        void force() {
            if (!poisoned) {
                synced = Arrays.copyOf(bytes, length);
            }
        }

        private void lose(Random random) {
            byte[] now = Arrays.copyOf(bytes, length);
            if (!Arrays.equals(now, synced)) {
                switch (poisoned ? 0 : random.nextInt(3)) {
                    case 0 -> now = synced;
                    case 1 -> {
                        now = torn(random, now);
                        torn = true;
                    }
                    default -> { }
                }
            }
            bytes = now;
            length = now.length;
            synced = now.clone();
            poisoned = false;
            locker = null;
        }

        private byte[] torn(Random random, byte[] now) {
            int shorter = Math.min(synced.length, now.length);
            byte[] torn = Arrays.copyOf(now, shorter + random.nextInt(Math.max(synced.length, now.length) - shorter + 1));
            for (int at = 0; at < torn.length; at += BLOCK) {
                if (random.nextBoolean()) {
                    for (int k = at; k < Math.min(at + BLOCK, torn.length); k++) {
                        torn[k] = k < synced.length ? synced[k] : 0;
                    }
                }
            }
            return torn;
        }
    }

    /** A name that goes, one that comes, or both at once; all of it is durable or nothing. */
    private record Change(FolderNode from, String gone, FolderNode to, String come, Inode node) {

        void in(FolderNode folder, Map<String, Inode> names) {
            if (folder == from) {
                names.remove(gone);
            }
            if (folder == to) {
                names.put(come, node);
            }
        }
    }

    private final String name;
    private final FolderNode root = new FolderNode();
    private final Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
    private final List<SimulatedChannel> open = new ArrayList<>();
    private Faults faults = (operation, path) -> { };
    private Object process = "nobody";
    private java.util.function.LongSupplier millis = () -> 0;
    private long room = Long.MAX_VALUE;
    private boolean links = true;
    private boolean locks = true;
    private int tears;

    SimulatedDisk(String name) {
        this.name = name;
    }

    /** A new disk, found by its name in addresses such as {@code simulated://name/folder} until it is {@link #remove removed}. */
    public static SimulatedDisk create(String name) {
        return SimulatedDisks.create(name);
    }

    public void remove() {
        SimulatedDisks.remove(name);
    }

    String name() {
        return name;
    }

    /** Its root. */
    public Path path() {
        return SimulatedDisks.path(this, "/");
    }

    /** Whose calls come now: files that are opened and locked belong to that process. */
    public void as(Object now) {
        process = now;
    }

    /** Whose calls come now. */
    public Object process() {
        return process;
    }

    public void faults(Faults asked) {
        faults = asked;
    }

    /** The time of day, for files. */
    public void clock(java.util.function.LongSupplier wall) {
        millis = wall;
    }

    long now() {
        return millis.getAsLong();
    }

    /** Leaves room for so many bytes more. */
    public void leave(long bytes) {
        room = bytes;
    }

    public void trouble(Trouble trouble, boolean on) {
        if (on) {
            troubles.add(trouble);
        } else {
            troubles.remove(trouble);
        }
    }

    boolean has(Trouble trouble) {
        return troubles.contains(trouble);
    }

    /** How many files the last power failure has torn. */
    public int tears() {
        return tears;
    }

    /** Whether a file may have a second name, as a link. */
    public void links(boolean possible) {
        links = possible;
    }

    /** Whether files can be locked. */
    public void locks(boolean possible) {
        locks = possible;
    }

    boolean hasLocks() {
        return locks;
    }

    boolean hasLinks() {
        return links;
    }

    void before(Operation operation, String path) throws IOException {
        faults.before(operation, path);
        boolean writes = operation.ordinal() < Operation.OPEN.ordinal();
        if (writes && has(Trouble.READ_ONLY)) {
            throw new FileSystemException(path, null, "Read-only file system");
        }
        boolean grows = operation == Operation.CREATE || operation == Operation.MAKE_FOLDER || operation == Operation.WRITE;
        if (grows && has(Trouble.FULL)) {
            throw new FileSystemException(path, null, "No space left on device");
        }
    }

    /** @return how many of these bytes there is room for */
    int grow(int bytes) {
        int possible = (int) Math.min(bytes, room);
        room = room == Long.MAX_VALUE ? room : room - possible;
        return possible;
    }

    void force(Inode node, String path) throws IOException {
        before(node instanceof FolderNode ? Operation.FORCE_FOLDER : Operation.FORCE, path);
        if (has(Trouble.FORCE_FAILS)) {
            if (node instanceof FileNode file) {
                file.poisoned = true;
            }
            throw new IOException("Input/output error");
        }
        if (has(Trouble.FORCE_LIES)) {
            return;
        }
        if (node instanceof FolderNode folder) {
            folder.force();
        } else {
            ((FileNode) node).force();
        }
    }

    void opened(SimulatedChannel channel) {
        open.add(channel);
    }

    void closed(SimulatedChannel channel) {
        open.remove(channel);
    }

    /** Files that are open, and by which process. */
    public List<String> openFiles() {
        return open.stream().map(channel -> channel + " by " + channel.process()).toList();
    }

    /** A process ends: what it has open is closed, its locks go, and all that it has written stays. */
    public void kill(Object ended) {
        List.copyOf(open).stream().filter(channel -> channel.process().equals(ended)).forEach(SimulatedChannel::die);
    }

    /** The power fails: all processes end, and what was not forced is kept or not. */
    public void powerFailure(Random random) {
        List.copyOf(open).forEach(SimulatedChannel::die);
        tears = 0;
        lose(root, random, new IdentityHashMap<>());
    }

    private void lose(FolderNode folder, Random random, Map<Change, Boolean> kept) {
        for (Change change : folder.pending) {
            if (kept.computeIfAbsent(change, any -> random.nextBoolean())) {
                change.in(folder, folder.named);
            }
        }
        folder.entries.clear();
        folder.entries.putAll(folder.named);
        folder.pending.clear();
        for (Inode node : folder.entries.values()) {
            if (node instanceof FolderNode below) {
                lose(below, random, kept);
            } else {
                ((FileNode) node).lose(random);
                tears += ((FileNode) node).torn ? 1 : 0;
            }
        }
    }

    /** What a file holds whatever happens, or null if there may be no such file. */
    public byte[] durable(String path) {
        return find(path, true) instanceof FileNode file ? file.synced.clone() : null;
    }

    /** Flips one bit of a file. @return false if the file is empty */
    public boolean flip(String path, Random random) throws IOException {
        FileNode content = (FileNode) node(path);
        if (content.length == 0) {
            return false;
        }
        int at = random.nextInt(content.length);
        content.bytes[at] ^= (byte) (1 << random.nextInt(8));
        content.force();
        return true;
    }

    /** The paths of all files, in order. */
    public List<String> files() {
        List<String> found = new ArrayList<>();
        list(root, "", found);
        return found;
    }

    private static void list(FolderNode folder, String path, List<String> found) {
        folder.entries.forEach((each, node) -> {
            if (node instanceof FolderNode below) {
                list(below, path + "/" + each, found);
            } else {
                found.add(path + "/" + each);
            }
        });
    }

    Inode find(String path) {
        return find(path, false);
    }

    private Inode find(String path, boolean named) {
        Inode node = root;
        for (int from = 0; from < path.length() && node != null;) {
            int slash = path.indexOf('/', from);
            int to = slash < 0 ? path.length() : slash;
            String part = path.substring(from, to);
            if (!part.isEmpty() && !part.equals(".")) {
                node = !(node instanceof FolderNode folder) ? null : named ? folder.named.get(part) : folder.entries.get(part);
            }
            from = to + 1;
        }
        return node;
    }

    Inode node(String path) throws NoSuchFileException {
        Inode node = find(path);
        if (node == null) {
            throw new NoSuchFileException(path);
        }
        return node;
    }

    FolderNode folder(String path) throws IOException {
        if (node(path) instanceof FolderNode folder) {
            return folder;
        }
        throw new NotDirectoryException(path);
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(path.lastIndexOf('/'), 0));
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    void add(String path, Inode node) throws IOException {
        FolderNode folder = folder(parent(path));
        node.modifiedMillis = now();
        folder.change(new Change(null, null, folder, last(path), node));
    }

    void remove(String path) throws IOException {
        FolderNode folder = folder(parent(path));
        folder.change(new Change(folder, last(path), null, null, null));
    }

    void move(String from, String to) throws IOException {
        Inode node = node(from);
        FolderNode source = folder(parent(from));
        FolderNode target = folder(parent(to));
        Change change = new Change(source, last(from), target, last(to), node);
        source.change(change);
        if (target != source) {
            target.change(change);
        }
    }
}
