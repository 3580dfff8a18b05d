package io.despina.snapshot;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** Snapshots in a folder of this machine. */
public final class LocalStore implements SnapshotStore {
    private static final String HIDDEN = ".";

    private final Path root;

    public LocalStore(Path root) {
        this.root = root;
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
        Files.createDirectories(file.getParent());
        Path hidden = file.resolveSibling(HIDDEN + file.getFileName());
        FileChannel channel = FileChannel.open(hidden, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        return new NewFile(Channels.newOutputStream(channel)) {
            @Override
            void show() throws IOException {
                try (channel) {
                    channel.force(true);
                }
                Files.move(hidden, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                force(file.getParent());
            }

            @Override
            void drop() throws IOException {
                channel.close();
                Files.deleteIfExists(hidden);
            }
        };
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        Path file = resolve(path);
        Files.createDirectories(file.getParent());
        Path hidden = file.resolveSibling(HIDDEN + file.getFileName() + HIDDEN + UUID.randomUUID());
        try {
            try (FileChannel channel = FileChannel.open(hidden, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                    OutputStream out = Channels.newOutputStream(channel)) {
                out.write(content);
                channel.force(true);
            }
            Files.createLink(file, hidden);
            force(file.getParent());
            return true;
        } catch (FileAlreadyExistsException another) {
            return false;
        } finally {
            Files.deleteIfExists(hidden);
        }
    }

    /** Makes a folder's entries durable. */
    private static void force(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
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
    public void delete(String path) throws IOException {
        Path of = resolve(path);
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
