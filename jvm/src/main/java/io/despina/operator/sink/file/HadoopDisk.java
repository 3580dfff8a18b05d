package io.despina.operator.sink.file;

import io.despina.operator.disk.FileAddress;
import io.despina.operator.disk.HadoopFileSystem;
import io.despina.wake.SharedThreads;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/**
 * One of Hadoop's file systems. A file that is closed is as safe there as the file system makes it. Renaming does not replace, so
 * a file in the way is deleted first. There are no locks that end with a process. Loaded only where a sink writes there.
 */
final class HadoopDisk implements OutputDisk {
    private final FileSystem files;

    /** @param uri of the sink's folder; {@code options} of the sink configure the file system */
    HadoopDisk(String uri, Map<String, String> options) throws IOException {
        files = HadoopFileSystem.open(uri, options);
    }

    /** Every call passes here. */
    private org.apache.hadoop.fs.Path hadoop(Path path) {
        SharedThreads.waits("asks for " + text(path));
        // a host or bucket alone would have no path
        return new org.apache.hadoop.fs.Path(isRoot(path) ? text(path) + "/" : text(path));
    }

    /** Whether it is the host or bucket, or the scheme above it. */
    private static boolean isRoot(Path path) {
        return path.getNameCount() <= 2;
    }

    @Override
    public String text(Path path) {
        return FileAddress.text(path);
    }

    @Override
    public boolean mayWait(Path folder) {
        return true;
    }

    @Override
    public boolean exists(Path path) throws IOException {
        return isRoot(path) || files.exists(hadoop(path));
    }

    @Override
    public boolean isFolder(Path path) throws IOException {
        return exists(path) && files.getFileStatus(hadoop(path)).isDirectory();
    }

    @Override
    public long size(Path file) throws IOException {
        return files.getFileStatus(hadoop(file)).getLen();
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        List<Path> found = new ArrayList<>();
        try {
            for (FileStatus entry : files.listStatus(hadoop(folder))) {
                found.add(folder.resolve(entry.getPath().getName()));
            }
        } catch (FileNotFoundException none) {      // where folders are only the beginnings of names
            return found;
        }
        found.sort(null);
        return found;
    }

    @Override
    public void makeFolders(Path folder) throws IOException {
        if (!files.mkdirs(hadoop(folder))) {
            throw new IOException(text(folder) + " cannot be made");
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        try {
            files.delete(hadoop(path), false);
        } catch (IOException e) {
            throw isFolder(path) && !list(path).isEmpty() ? new DirectoryNotEmptyException(text(path)) : e;
        }
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        if (from.equals(to)) {
            return;
        }
        files.delete(hadoop(to), false);
        if (!files.rename(hadoop(from), hadoop(to))) {
            throw new IOException(text(from) + " cannot be renamed to " + to.getFileName());
        }
    }

    @Override
    public void write(Path file, String text) throws IOException {
        try (OutputStream out = files.create(hadoop(file), true)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    public String read(Path file) throws IOException {
        try (FSDataInputStream in = files.open(hadoop(file))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (FileNotFoundException none) {
            throw new NoSuchFileException(text(file));
        }
    }

    @Override
    public InputStream open(Path file) throws IOException {
        return files.open(hadoop(file));
    }

    @Override
    public Writing create(Path file) throws IOException {
        FSDataOutputStream out = files.create(hadoop(file), true);
        return new Writing() {
            @Override
            public void write(byte[] bytes, int length, long at) throws IOException {
                if (out.getPos() != at) {
                    throw new IOException("an earlier write failed");
                }
                out.write(bytes, 0, length);
            }

            @Override
            public void close(long length) throws IOException {
                out.close();
            }
        };
    }

    @Override
    public void force(Path file) {
        // closing it was what makes it safe there
    }

    @Override
    public void forceFolder(Path folder) {
        // names are the file system's own
    }

    @Override
    public Closeable lock(Path file) {
        return () -> { };
    }

    @Override
    public boolean isHeld(Path file) {
        return false;
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
