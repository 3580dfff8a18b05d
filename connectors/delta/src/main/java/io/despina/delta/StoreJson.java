package io.despina.delta;

import io.delta.kernel.data.Row;
import io.delta.kernel.defaults.internal.json.JsonUtils;
import io.delta.kernel.engine.JsonHandler;
import io.delta.kernel.utils.CloseableIterator;
import io.despina.connect.RefusedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Writes versions of tables in stores, so that of several writers one gets a version, in whichever process they are. S3 has
 * conditional writes; a bucket that ignores the condition is found out before its first version. HDFS and Azure's store rename to
 * a name that is free, for one caller. Of other stores nothing is known, so no version is written there.
 */
final class StoreJson extends VersionJson {
    /** Of Hadoop: a file is made when its stream is closed, if there is none then. */
    private static final String CONDITION = "fs.option.create.conditional.overwrite";
    private static final Set<String> RENAMES = Set.of("hdfs", "webhdfs", "swebhdfs", "viewfs", "abfs", "abfss");

    private final Configuration settings;
    /** Whether the store was seen to refuse a file that is there. */
    private boolean tried;

    StoreJson(JsonHandler others, Configuration settings) {
        super(others);
        this.settings = settings;
    }

    /** @throws RefusedException if two writers might get the same version there */
    static void mustBeSafe(FileSystem store, Path root) throws IOException {
        if (!store.hasPathCapability(root, CONDITION) && !RENAMES.contains(store.getScheme())) {
            throw new RefusedException("`path` " + root + ": its store does not say that it makes a file for one of two writers "
                    + "alone, so both might get the same version: s3a with conditional writes, hdfs and abfs do", null);
        }
    }

    @Override
    void write(String file, CloseableIterator<Row> rows) throws IOException {
        Path target = new Path(file);
        FileSystem store = target.getFileSystem(settings);
        byte[] content = content(rows);
        if (!store.hasPathCapability(target, CONDITION)) {
            rename(store, target, content);
            return;
        }
        if (!tried) {
            tryCondition(store, target.getParent());
            tried = true;
        }
        create(store, target, content);
    }

    private static byte[] content(CloseableIterator<Row> rows) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        try (rows) {
            while (rows.hasNext()) {
                content.write((JsonUtils.rowToJson(rows.next()) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
        return content.toByteArray();
    }

    private static Path hidden(Path folder) {
        return new Path(folder, "." + UUID.randomUUID() + ".tmp");
    }

    private static void rename(FileSystem store, Path target, byte[] content) throws IOException {
        Path written = hidden(target.getParent());
        boolean done = false;
        try {
            try (FSDataOutputStream out = store.create(written, false)) {
                out.write(content);
                out.hsync();
            }
            done = store.rename(written, target);
            if (!done) {
                throw store.exists(target) ? new FileAlreadyExistsException(target.toString())
                        : new IOException("cannot rename " + written + " to " + target.getName());
            }
        } finally {
            if (!done) {
                store.delete(written, false);
            }
        }
    }

    /**
     * Its client tells by an exception of its own that the store has refused. What it has taken it shows when the stream is
     * closed, be it all of the content or not.
     */
    private static void create(FileSystem store, Path target, byte[] content) throws IOException {
        FSDataOutputStreamBuilder<?, ?> making = store.createFile(target);
        making.must(CONDITION, true);
        try (FSDataOutputStream out = making.build()) {
            try {
                out.write(content);
            } catch (IOException | RuntimeException cut) {
                out.abort();
                throw cut;
            }
        } catch (org.apache.hadoop.fs.PathIOException another) {
            if (!another.getClass().getSimpleName().equals("RemoteFileChangedException")) {
                throw another;
            }
            throw (IOException) new FileAlreadyExistsException(target.toString()).initCause(another);
        }
    }

    private static void tryCondition(FileSystem store, Path folder) throws IOException {
        Path twice = hidden(folder);
        try {
            create(store, twice, new byte[1]);
            create(store, twice, new byte[1]);
        } catch (FileAlreadyExistsException refused) {
            return;
        } finally {
            store.delete(twice, false);
        }
        throw new RefusedException("`path` " + folder.getParent() + ": its store has made a file that was there already: it "
                + "ignores If-None-Match, so of two writers both might get the same version", null);
    }
}
