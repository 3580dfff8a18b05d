package io.despina.snapshot;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Snapshots in a folder of this machine. */
public final class LocalStore implements SnapshotStore {
    private static final String HIDDEN = ".";

    private final Path root;
    /** Folders whose names are durable. */
    private final Set<Path> durable = ConcurrentHashMap.newKeySet();

    public LocalStore(Path root) {
        this.root = root.toAbsolutePath();
    }

    @Override
    public Path local() {
        return root;
    }

    private Path resolve(String path) throws IOException {
        Path resolved = root.resolve(path).normalize();
        if (!resolved.startsWith(root.normalize())) {
            throw new IOException(path + " leads out of " + root);
        }
        return resolved;
    }

    @Override
    public NewFile create(String path) throws IOException {
        Path file = resolve(path);
        makeFolder(file.getParent());
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new NewFile(Channels.newOutputStream(channel)) {
            @Override
            void keep() throws IOException {
                try (channel) {
                    channel.force(true);
                }
                force(file.getParent());
            }

            @Override
            void drop() throws IOException {
                channel.close();
                Files.deleteIfExists(file);
            }
        };
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        Path file = resolve(path);
        makeFolder(file.getParent());
        if (Files.exists(file)) {
            return false;
        }
        Path hidden = hidden(file);
        try {
            write(hidden, content);
            link(hidden, file, content);
            force(file.getParent());
            return true;
        } catch (FileAlreadyExistsException another) {
            return false;
        } finally {
            Files.deleteIfExists(hidden);
        }
    }

    private static void link(Path hidden, Path file, byte[] content) throws IOException {
        try {
            Files.createLink(file, hidden);
        } catch (FileAlreadyExistsException another) {
            throw another;
        } catch (UnsupportedOperationException | FileSystemException noLinks) {
            write(file, content);      // may be found half made, which its checksum tells
        }
    }

    @Override
    public void replace(String path, byte[] content) throws IOException {
        Path file = resolve(path);
        makeFolder(file.getParent());
        Path hidden = hidden(file);
        try {
            Files.write(hidden, content, StandardOpenOption.CREATE_NEW);
            Files.move(hidden, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(hidden);
        }
    }

    @Override
    public Closeable lock(String path, byte[] content) throws IOException {
        Path file = resolve(path);
        makeFolder(file.getParent());
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean ours = false;
        try {
            if (!tryLock(channel)) {
                return null;
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(content));
            ours = true;
            return channel;
        } finally {
            if (!ours) {
                channel.close();
            }
        }
    }

    private static boolean tryLock(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException here) {
            return false;
        } catch (IOException none) {
            throw new UnsupportedOperationException(none);
        }
    }

    private static void write(Path file, byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            try {
                Channels.newOutputStream(channel).write(content);
                channel.force(true);
            } catch (IOException e) {
                Files.delete(file);     // to force it again would succeed, whatever of it is on the disk
                throw e;
            }
        }
    }

    /**
     * Makes a folder and those above it that are missing, durably. One that is there may have been made by a process that died
     * before it forced the folder's name, so each is forced once.
     */
    private void makeFolder(Path folder) throws IOException {
        if (folder == null || durable.contains(folder)) {
            return;
        }
        boolean isOurs = folder.startsWith(root);
        if (!isOurs && Files.isDirectory(folder)) {
            return;
        }
        makeFolder(folder.getParent());
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException another) {
            if (!Files.isDirectory(folder)) {
                throw another;
            }
        }
        if (folder.getParent() != null) {
            forceAbove(folder);
        }
        durable.add(folder);
    }

    private void forceAbove(Path folder) throws IOException {
        try {
            force(folder.getParent());
        } catch (AccessDeniedException unreadable) {
            if (!folder.equals(root)) {
                throw unreadable;
            }
        }
    }

    /**
     * Writes it anew: where another could not force it, a second force would succeed, whatever of it is on the disk. So it must
     * be known to be whole.
     */
    @Override
    public void force(String path) throws IOException {
        Path file = resolve(path);
        makeFolder(file.getParent());
        Path hidden = hidden(file);
        try {
            write(hidden, Files.readAllBytes(file));
            Files.move(hidden, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (NoSuchFileException none) {
            throw missing(path, none);
        } finally {
            Files.deleteIfExists(hidden);
        }
        force(file.getParent());
    }

    private static Path hidden(Path file) {
        return file.resolveSibling(HIDDEN + file.getFileName() + HIDDEN + UUID.randomUUID());
    }

    /** Makes a file's bytes or a folder's entries durable. */
    private static void force(Path of) throws IOException {
        try (FileChannel channel = FileChannel.open(of, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public InputStream open(String path, long offset) throws IOException {
        try {
            FileChannel channel = FileChannel.open(resolve(path), StandardOpenOption.READ);
            channel.position(offset);
            return Channels.newInputStream(channel);
        } catch (NoSuchFileException none) {
            throw missing(path, none);
        }
    }

    @Override
    public long length(String path) throws IOException {
        try {
            return Files.size(resolve(path));
        } catch (NoSuchFileException none) {
            throw missing(path, none);
        }
    }

    @Override
    public long modifiedMillis(String path) throws IOException {
        try {
            return Files.getLastModifiedTime(resolve(path)).toMillis();
        } catch (NoSuchFileException none) {
            throw missing(path, none);
        }
    }

    @Override
    public boolean exists(String path) throws IOException {
        return Files.exists(resolve(path));
    }

    private FileNotFoundException missing(String path, IOException cause) {
        FileNotFoundException missing = new FileNotFoundException(root.resolve(path) + " is not there");
        missing.initCause(cause);
        return missing;
    }

    @Override
    public List<String> list(String folder) throws IOException {
        Path of = resolve(folder);
        if (!Files.isDirectory(of)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(of)) {
            return entries.map(entry -> entry.getFileName().toString()).filter(name -> !name.startsWith(HIDDEN)).sorted()
                    .toList();
        }
    }

    @Override
    public List<Stored> files(String folder) throws IOException {
        Path of = resolve(folder);
        if (!Files.isDirectory(of)) {
            return List.of();
        }
        List<Stored> files = new ArrayList<>();
        Files.walkFileTree(of, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                files.add(new Stored(root.relativize(file).toString().replace(file.getFileSystem().getSeparator(), "/"),
                        attributes.lastModifiedTime().toMillis()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE;
            }
        });
        files.sort(Comparator.comparing(Stored::path));
        return files;
    }

    @Override
    public void delete(String path) throws IOException {
        Path of = resolve(path);
        durable.removeIf(folder -> folder.startsWith(of));
        if (!Files.exists(of)) {
            return;
        }
        try (Stream<Path> below = Files.walk(of)) {
            for (Path each : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        }
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
