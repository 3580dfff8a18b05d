package io.despina.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A folder of this machine. Its files are their owner's alone. */
public final class FolderDisk implements LogDisk {
    private static final FileAttribute<?>[] OWNERS =
            {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))};
    private static final FileAttribute<?>[] EVERYBODY = {};

    private final Path folder;

    /** @param folder is made if it is not there */
    public FolderDisk(Path folder) throws IOException {
        this.folder = folder;
        Files.createDirectories(folder);
        for (Path above = folder.toAbsolutePath().getParent(); above != null; above = above.getParent()) {
            try {
                force(above);       // who made the folder below it may have died before it did so
            } catch (AccessDeniedException e) {
                return;             // nobody made a folder in one that may not be read
            }
        }
    }

    @Override
    public List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Override
    public LogFile create(String name) throws IOException {
        boolean posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
        return new Opened(FileChannel.open(folder.resolve(name), Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE), posix ? OWNERS : EVERYBODY));
    }

    @Override
    public LogFile open(String name) throws IOException {
        return new Opened(FileChannel.open(folder.resolve(name), StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    @Override
    public void rename(String name, String to) throws IOException {
        Files.move(folder.resolve(name), folder.resolve(to), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
    }

    @Override
    public void force() throws IOException {
        force(folder);
    }

    private static void force(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public String place(String name) {
        return folder.resolve(name).toString();
    }

    private record Opened(FileChannel channel) implements LogFile {
        @Override
        public long length() throws IOException {
            return channel.size();
        }

        @Override
        public void write(long at, ByteBuffer bytes) throws IOException {
            for (long place = at; bytes.hasRemaining();) {
                place += channel.write(bytes, place);
            }
        }

        @Override
        public int read(long at, ByteBuffer into) throws IOException {
            int before = into.position();
            for (long place = at; into.hasRemaining();) {
                int read = channel.read(into, place);
                if (read <= 0) {
                    break;
                }
                place += read;
            }
            return into.position() - before;
        }

        @Override
        public void force() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
