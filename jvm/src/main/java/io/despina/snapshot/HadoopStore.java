package io.despina.snapshot;

import io.despina.connect.StoreFiles;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/** Snapshots in a folder of any file system that Hadoop knows: {@code hdfs:}, {@code s3a:}, {@code file:} … */
public final class HadoopStore implements SnapshotStore {
    private static final String HIDDEN = ".";

    private final Path root;
    private final FileSystem files;

    public HadoopStore(String root, Configuration configuration) throws IOException {
        this.root = new Path(root);
        files = this.root.getFileSystem(configuration);
    }

    private Path resolve(String path) throws IOException {
        if (path.startsWith("/") || Stream.of(path.split("/")).anyMatch(".."::equals)) {
            throw new IOException(path + " leads out of " + root);
        }
        return path.isEmpty() ? root : new Path(root, path);
    }

    @Override
    public NewFile create(String path) throws IOException {
        Path file = resolve(path);
        FSDataOutputStream stream = files.create(file, false);
        return new NewFile(stream) {
            @Override
            void keep() throws IOException {
                try (stream) {
                    StoreFiles.sync(stream);
                }
            }

            @Override
            void drop() throws IOException {
                try {
                    stream.close();
                } finally {
                    files.delete(file, false);
                }
            }
        };
    }

    /** Where nothing is known of the store, it looks first and then writes: that is enough for one that is used alone. */
    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        Path file = resolve(path);
        if (files.exists(file)) {
            return false;
        }
        return StoreFiles.isSafe(files, file) ? StoreFiles.make(files, file, content) : write(file, content);
    }

    private boolean write(Path file, byte[] content) throws IOException {
        try (FSDataOutputStream stream = files.create(file, false)) {
            stream.write(content);
            StoreFiles.sync(stream);
            return true;
        } catch (FileAlreadyExistsException another) {
            return false;
        }
    }

    @Override
    public void replace(String path, byte[] content) throws IOException {
        try (FSDataOutputStream stream = files.create(resolve(path), true)) {
            stream.write(content);
        }
    }

    @Override
    public Closeable lock(String path, byte[] content) {
        throw new UnsupportedOperationException(files.getScheme() + " has no locks");
    }

    @Override
    public InputStream open(String path, long offset) throws IOException {
        FSDataInputStream stream = files.open(resolve(path));
        stream.seek(offset);
        return stream;
    }

    @Override
    public long length(String path) throws IOException {
        return files.getFileStatus(resolve(path)).getLen();
    }

    @Override
    public long modifiedMillis(String path) throws IOException {
        return files.getFileStatus(resolve(path)).getModificationTime();
    }

    /** A file that was closed is durable. */
    @Override
    public void force(String path) throws IOException {
        length(path);
    }

    @Override
    public boolean exists(String path) throws IOException {
        return files.exists(resolve(path));
    }

    @Override
    public List<String> list(String folder) throws IOException {
        try {
            return Stream.of(files.listStatus(resolve(folder))).map(FileStatus::getPath).map(Path::getName)
                    .filter(name -> !name.startsWith(HIDDEN)).sorted().toList();
        } catch (FileNotFoundException none) {
            return List.of();
        }
    }

    @Override
    public List<Stored> files(String folder) throws IOException {
        List<Stored> all = new ArrayList<>();
        try {
            Path of = resolve(folder);
            String before = files.makeQualified(of).toString() + "/";
            for (RemoteIterator<LocatedFileStatus> each = files.listFiles(of, true); each.hasNext();) {
                LocatedFileStatus file = each.next();
                all.add(new Stored(folder.replaceAll("/*$", "/") + file.getPath().toString().substring(before.length()),
                        file.getModificationTime()));
            }
        } catch (FileNotFoundException none) {
            return List.of();
        }
        all.sort(Comparator.comparing(Stored::path));
        return all;
    }

    @Override
    public void delete(String path) throws IOException {
        files.delete(resolve(path), true);
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
