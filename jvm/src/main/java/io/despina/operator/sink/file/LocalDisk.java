package io.despina.operator.sink.file;

import io.despina.operator.disk.FileKind;
import io.despina.wake.SharedThreads;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** The files of this machine. Renaming is atomic. */
final class LocalDisk implements OutputDisk {

    @Override
    public String text(Path path) {
        return path.toString();
    }

    @Override
    public boolean mayWait(Path folder) throws IOException {
        return FileKind.mayBeRemote(folder);
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public boolean isFolder(Path path) {
        return Files.isDirectory(path);
    }

    @Override
    public long size(Path file) throws IOException {
        return Files.size(file);
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted().toList();
        }
    }

    @Override
    public void makeFolders(Path folder) throws IOException {
        Files.createDirectories(folder);
    }

    @Override
    public void delete(Path path) throws IOException {
        Files.deleteIfExists(path);
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        SharedThreads.waits("renames " + from);
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void write(Path file, String text) throws IOException {
        Files.writeString(file, text);
    }

    @Override
    public String read(Path file) throws IOException {
        return Files.readString(file);
    }

    @Override
    public InputStream open(Path file) throws IOException {
        return Files.newInputStream(file);
    }

    /** Not a channel: an interrupt of the operators before the sink must not close it. */
    @Override
    public Writing create(Path path) throws IOException {
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
        file.setLength(0);
        return new Writing() {
            @Override
            public void write(byte[] bytes, int length, long at) throws IOException {
                file.seek(at);      // after a write that found too little room, a part of it is in the file
                file.write(bytes, 0, length);
            }

            @Override
            public void close(long length) throws IOException {
                try (file) {
                    if (file.length() > length) {
                        file.setLength(length);
                    }
                }
            }
        };
    }

    @Override
    public boolean canCut() {
        return true;
    }

    @Override
    public void cut(Path path, long length) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(length);
        }
    }

    @Override
    public void copy(Path from, long length, Path to) throws IOException {
        try (FileChannel in = FileChannel.open(from, StandardOpenOption.READ);
                FileChannel out = FileChannel.open(to, StandardOpenOption.WRITE, StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            for (long at = 0; at < length;) {
                at += in.transferTo(at, length - at, out);
            }
        }
    }

    @Override
    public void force(Path path) throws IOException {
        force(path, StandardOpenOption.WRITE);
    }

    @Override
    public void forceFolder(Path folder) throws IOException {
        force(folder, StandardOpenOption.READ);
    }

    /** Uses a channel, which an interrupt closes, because folders cannot be forced otherwise. */
    private static void force(Path path, StandardOpenOption way) throws IOException {
        SharedThreads.waits("forces " + path);
        while (true) {
            try (FileChannel channel = FileChannel.open(path, way)) {
                channel.force(true);
                return;
            } catch (ClosedByInterruptException e) {
                Thread.interrupted();
            }
        }
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        OutputLock lock = OutputLock.take(file);
        return lock == null ? null : lock::release;
    }

    @Override
    public boolean isHeld(Path file) throws IOException {
        return OutputLock.isHeld(file);
    }

    @Override
    public void close() {
        // nothing is open but what its users close
    }
}
