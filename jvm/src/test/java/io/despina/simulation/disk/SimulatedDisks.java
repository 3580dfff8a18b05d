package io.despina.simulation.disk;

import io.despina.simulation.disk.SimulatedDisk.FileNode;
import io.despina.simulation.disk.SimulatedDisk.FolderNode;
import io.despina.simulation.disk.SimulatedDisk.Inode;
import io.despina.simulation.disk.SimulatedDisk.Operation;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.spi.FileSystemProvider;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Java's way to the simulated disks: {@code Files} and {@code FileChannel} do what they do with any other. */
public final class SimulatedDisks extends FileSystemProvider {
    static final String SCHEME = "simulated";
    private static final Map<String, SimulatedDisk> DISKS = new ConcurrentHashMap<>();
    private static final SimulatedDisks PROVIDER = new SimulatedDisks();

    static SimulatedDisk create(String name) {
        SimulatedDisk disk = new SimulatedDisk(name);
        if (DISKS.putIfAbsent(name, disk) != null) {
            throw new IllegalStateException("there is a disk " + name);
        }
        return disk;
    }

    static void remove(String name) {
        DISKS.remove(name);
    }

    static Path path(SimulatedDisk disk, String path) {
        return new SimulatedPath(new SimulatedFileSystem(PROVIDER, disk), disk, Path.of(path));
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public Path getPath(URI address) {
        SimulatedDisk disk = DISKS.get(address.getAuthority());
        if (disk == null) {
            throw new IllegalArgumentException("there is no disk of " + address);
        }
        return path(disk, address.getPath());
    }

    @Override
    public FileSystem newFileSystem(URI address, Map<String, ?> settings) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileSystem getFileSystem(URI address) {
        return getPath(address).getFileSystem();
    }

    private static SimulatedDisk disk(Path path) {
        return ((SimulatedPath) path).disk();
    }

    private static String name(Path path) {
        return ((SimulatedPath) path).absolute();
    }

    @Override
    public SeekableByteChannel newByteChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        SimulatedDisk disk = disk(path);
        String name = name(path);
        Inode node = disk.find(name);
        boolean writes = options.contains(StandardOpenOption.WRITE) || options.contains(StandardOpenOption.APPEND);
        if (node == null && writes && (options.contains(StandardOpenOption.CREATE)
                || options.contains(StandardOpenOption.CREATE_NEW))) {
            disk.before(Operation.CREATE, name);
            node = new FileNode();
            disk.add(name, node);
        } else if (node == null) {
            throw new NoSuchFileException(name);
        } else if (options.contains(StandardOpenOption.CREATE_NEW)) {
            throw new FileAlreadyExistsException(name);
        } else {
            disk.before(writes ? Operation.WRITE : Operation.OPEN, name);
        }
        SimulatedChannel channel = new SimulatedChannel(disk, name, node, options);
        if (writes && options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
            channel.truncate(0);
        }
        return channel;
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        SimulatedDisk disk = disk(path);
        disk.before(Operation.LIST, name(path));
        List<Path> found = disk.folder(name(path)).entries().keySet().stream().map(path::resolve).toList();
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                return found.iterator();
            }

            @Override
            public void close() {
            }
        };
    }

    @Override
    public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
        refuseExisting(path);
        disk(path).before(Operation.MAKE_FOLDER, name(path));
        disk(path).add(name(path), new FolderNode());
    }

    private static void refuseExisting(Path path) throws FileAlreadyExistsException {
        if (disk(path).find(name(path)) != null) {
            throw new FileAlreadyExistsException(name(path));
        }
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        refuseExisting(link);
        if (!disk(link).hasLinks()) {
            throw new UnsupportedOperationException();
        }
        disk(link).before(Operation.LINK, name(link));
        disk(link).add(name(link), disk(existing).node(name(existing)));
    }

    @Override
    public void delete(Path path) throws IOException {
        SimulatedDisk disk = disk(path);
        if (disk.node(name(path)) instanceof FolderNode folder && !folder.entries().isEmpty()) {
            throw new DirectoryNotEmptyException(name(path));
        }
        disk.before(Operation.DELETE, name(path));
        disk.remove(name(path));
    }

    @Override
    public void copy(Path from, Path to, CopyOption... options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void move(Path from, Path to, CopyOption... options) throws IOException {
        boolean replaces = Arrays.asList(options).contains(StandardCopyOption.REPLACE_EXISTING)
                || Arrays.asList(options).contains(StandardCopyOption.ATOMIC_MOVE);
        if (!replaces) {
            refuseExisting(to);
        }
        disk(from).before(Operation.MOVE, name(to));
        disk(from).move(name(from), name(to));
    }

    @Override
    public boolean isSameFile(Path one, Path other) throws IOException {
        return disk(one) == disk(other) && disk(one).node(name(one)) == disk(other).node(name(other));
    }

    @Override
    public boolean isHidden(Path path) {
        return path.getFileName().toString().startsWith(".");
    }

    @Override
    public FileStore getFileStore(Path path) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        disk(path).node(name(path));
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
        return type == BasicFileAttributeView.class ? type.cast(new View(path)) : null;
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        if (type != BasicFileAttributes.class) {
            throw new UnsupportedOperationException(type.getName());
        }
        return type.cast(new Attributes(disk(path).node(name(path))));
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String names, LinkOption... options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setAttribute(Path path, String name, Object value, LinkOption... options) {
        throw new UnsupportedOperationException();
    }

    private record View(Path path) implements BasicFileAttributeView {
        @Override
        public String name() {
            return "basic";
        }

        @Override
        public BasicFileAttributes readAttributes() throws IOException {
            return new Attributes(disk(path).node(SimulatedDisks.name(path)));
        }

        @Override
        public void setTimes(FileTime modified, FileTime accessed, FileTime created) throws IOException {
            if (modified != null) {
                disk(path).node(SimulatedDisks.name(path)).modifiedMillis = modified.toMillis();
            }
        }
    }

    private record Attributes(Inode node) implements BasicFileAttributes {
        @Override
        public FileTime lastModifiedTime() {
            return FileTime.fromMillis(node.modifiedMillis);
        }

        @Override
        public FileTime lastAccessTime() {
            return lastModifiedTime();
        }

        @Override
        public FileTime creationTime() {
            return lastModifiedTime();
        }

        @Override
        public boolean isRegularFile() {
            return node instanceof FileNode;
        }

        @Override
        public boolean isDirectory() {
            return node instanceof FolderNode;
        }

        @Override
        public boolean isSymbolicLink() {
            return false;
        }

        @Override
        public boolean isOther() {
            return false;
        }

        @Override
        public long size() {
            return node instanceof FileNode file ? file.length : 0;
        }

        @Override
        public Object fileKey() {
            return node;
        }
    }
}
