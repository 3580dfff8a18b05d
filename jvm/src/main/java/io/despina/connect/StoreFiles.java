package io.despina.connect;

import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;

/**
 * Files of Hadoop's file systems that are made for one of several callers, in whichever process they are. S3 has conditional
 * writes, but its client must be asked for them: else it looks first, and then overwrites what has come meanwhile. HDFS and
 * Azure's store rename to a name that is free, for one caller. Of other stores nothing is known.
 */
public final class StoreFiles {
    /** Of Hadoop: a file is made when its stream is closed, if there is none then. */
    private static final String CONDITION = "fs.option.create.conditional.overwrite";
    private static final Set<String> RENAMES = Set.of("hdfs", "webhdfs", "swebhdfs", "viewfs", "abfs", "abfss");

    /** Not those of Hadoop's file systems that lead to files of this machine, as har and viewfs may, or to any server. */
    private static final Set<String> STORES = new TreeSet<>(Set.of("s3", "s3a", "s3n", "hdfs", "webhdfs", "swebhdfs", "abfs",
            "abfss", "wasb", "wasbs", "gs", "adl", "oci", "ofs", "o3fs"));
    public static final String NAMES = String.join(", ", STORES);

    private StoreFiles() {
    }

    /** Whether a URI is of a store that others may name to us, who could name any file: one of {@link #NAMES}. */
    public static boolean isStore(String uri) {
        int scheme = uri.indexOf("://");
        return scheme > 0 && STORES.contains(uri.substring(0, scheme));
    }

    /** Whether the store is known to make a file for one caller. */
    public static boolean isSafe(FileSystem store, Path file) throws IOException {
        return isConditional(store, file) || RENAMES.contains(store.getScheme());
    }

    /** Whether it does so by a condition, which a server may ignore. */
    public static boolean isConditional(FileSystem store, Path file) throws IOException {
        return store.hasPathCapability(file, CONDITION);
    }

    /** A name that no reader of the folder takes, for a file that becomes {@code file}. */
    public static Path hidden(Path file) {
        return new Path(file.getParent(), "." + file.getName() + "." + UUID.randomUUID() + ".tmp");
    }

    /**
     * Makes a file in a store that is {@linkplain #isSafe safe}. It is shown with all of its content or not at all.
     *
     * @return false if there is one
     */
    public static boolean make(FileSystem store, Path file, byte[] content) throws IOException {
        return isConditional(store, file) ? create(store, file, content) : rename(store, file, content);
    }

    /**
     * Its client tells by an exception of its own that the store has refused. What it has taken it shows when the stream is
     * closed, be it all of the content or not.
     */
    private static boolean create(FileSystem store, Path file, byte[] content) throws IOException {
        FSDataOutputStreamBuilder<?, ?> making = store.createFile(file);
        making.must(CONDITION, true);
        try (FSDataOutputStream stream = making.build()) {
            try {
                stream.write(content);
            } catch (IOException | RuntimeException cut) {
                stream.abort();
                throw cut;
            }
            return true;
        } catch (PathIOException another) {
            if (!another.getClass().getSimpleName().equals("RemoteFileChangedException")) {
                throw another;
            }
            return false;
        }
    }

    private static boolean rename(FileSystem store, Path file, byte[] content) throws IOException {
        Path written = hidden(file);
        boolean made = false;
        try {
            try (FSDataOutputStream stream = store.create(written, false)) {
                stream.write(content);
                sync(stream);
            }
            made = store.rename(written, file);
            if (!made && !store.exists(file)) {
                throw new IOException("cannot rename " + written + " to " + file.getName());
            }
            return made;
        } finally {
            if (!made) {
                store.delete(written, false);
            }
        }
    }

    /** Object stores make data durable only when the stream is closed, so there is nothing to wait for before. */
    public static void sync(FSDataOutputStream stream) throws IOException {
        if (stream.hasCapability("hsync")) {
            stream.hsync();
        }
    }
}
