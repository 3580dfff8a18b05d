package io.despina.delta;

import io.despina.connect.LakeTable.DataFile;
import io.despina.connect.LakeTable.TableFile;
import io.despina.connect.RefusedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A folder of one of Hadoop's file systems. */
final class StoreFolder implements TableFolder {
    private static final Pattern ELSEWHERE = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]+://.+");

    private final Configuration settings = new Configuration();
    private final String path;
    private final Path root;

    StoreFolder(String path) {
        this.path = path;
        root = new Path(path);
    }

    static boolean isMeant(String path) {
        return ELSEWHERE.matcher(path).matches();
    }

    private FileSystem store() throws IOException {
        return root.getFileSystem(settings);
    }

    @Override
    public LogEngine engine() {
        return LogEngine.ofStore();
    }

    @Override
    public void mustBeSafe() throws IOException {
        try {
            StoreJson.mustBeSafe(store(), root);
        } catch (IOException | RuntimeException why) {
            throw Words.of(path, why);
        }
    }

    private Path commit(long version) {
        return new Path(new Path(root, LOG), TableFolder.commit(version));
    }

    @Override
    public boolean has(long version) throws IOException {
        return stamp(version) != null;
    }

    @Override
    public Object stamp(long version) throws IOException {
        try {
            FileStatus found = store().getFileStatus(commit(version));
            return List.of(found.getModificationTime(), found.getLen());
        } catch (FileNotFoundException none) {
            return null;
        }
    }

    /** Who can write to the log names files: they are those of the same store alone. */
    @Override
    public String address(String of) throws RefusedException {
        URI uri = URI.create(of);
        URI own = root.toUri();
        if (uri.getScheme() == null) {
            return new Path(root, uri.getPath()).toString();
        }
        if (!uri.getScheme().equals(own.getScheme()) || !String.valueOf(uri.getAuthority()).equals(own.getAuthority())) {
            throw new RefusedException("`path` " + path + " has files elsewhere, which are not read yet: " + of, null);
        }
        return new Path(uri).toString();
    }

    @Override
    public TableFile create(String name, String location) throws IOException {
        Path file = new Path(root, name);
        try {
            return new Written(file, location, store().create(file, false));
        } catch (IOException | RuntimeException why) {
            throw Words.of(path, why);
        }
    }

    /** A file that is shown when its stream is closed. */
    private final class Written extends OutputStream implements TableFile {
        private final Path file;
        private final String location;
        private final FSDataOutputStream stream;
        private boolean ended;

        Written(Path file, String location, FSDataOutputStream stream) {
            this.file = file;
            this.location = location;
            this.stream = stream;
        }

        @Override
        public OutputStream out() {
            return this;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                stream.write(bytes, from, length);
            } catch (IOException why) {
                throw Words.of(path, why);
            }
        }

        @Override
        public DataFile end(long rows, List<String> partitions) throws IOException {
            try {
                if (stream.hasCapability("hsync")) {
                    stream.hsync();
                }
                stream.close();
                ended = true;
                FileStatus found = store().getFileStatus(file);
                return new DataFile(location, found.getLen(), found.getModificationTime(), rows, partitions);
            } catch (IOException why) {
                throw Words.of(path, why);
            }
        }

        @Override
        public void close() throws IOException {
            if (!ended) {
                ended = true;
                try {
                    stream.close();
                } finally {
                    store().delete(file, false);
                }
            }
        }
    }
}
