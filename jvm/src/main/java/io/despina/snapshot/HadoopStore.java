package io.despina.snapshot;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

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
        Path hidden = new Path(file.getParent(), HIDDEN + file.getName());
        FSDataOutputStream stream = files.create(hidden, true);
        return new NewFile(stream) {
            @Override
            void show() throws IOException {
                try (stream) {
                    sync(stream);
                }
                files.delete(file, false);
                if (!files.rename(hidden, file)) {
                    throw new IOException("cannot rename " + hidden + " to " + file.getName());
                }
            }

            @Override
            void drop() throws IOException {
                stream.close();
                files.delete(hidden, false);
            }
        };
    }

    /** Object stores make data durable only when the stream is closed, so there is nothing to wait for before. */
    private static void sync(FSDataOutputStream stream) throws IOException {
        if (stream.hasCapability("hsync")) {
            stream.hsync();
        }
    }

    /**
     * The caller that creates the file has made it, if the file system confirms that to one caller only; HDFS and object stores
     * with conditional writes do. Others may see the file before its content.
     */
    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        try (FSDataOutputStream stream = files.create(resolve(path), false)) {
            stream.write(content);
            sync(stream);
            return true;
        } catch (FileAlreadyExistsException another) {
            return false;
        }
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
    public List<String> list(String folder) throws IOException {
        try {
            return Stream.of(files.listStatus(resolve(folder))).map(FileStatus::getPath).map(Path::getName)
                    .filter(name -> !name.startsWith(HIDDEN)).sorted().toList();
        } catch (FileNotFoundException none) {
            return List.of();
        }
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
