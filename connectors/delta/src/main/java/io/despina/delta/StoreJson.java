package io.despina.delta;

import io.delta.kernel.data.Row;
import io.delta.kernel.defaults.internal.json.JsonUtils;
import io.delta.kernel.engine.JsonHandler;
import io.delta.kernel.utils.CloseableIterator;
import io.despina.connect.RefusedException;
import io.despina.connect.StoreFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Writes versions of tables in stores, so that of several writers one gets a version, in whichever process they are. A bucket
 * that ignores the condition of a write is found out before its first version.
 */
final class StoreJson extends VersionJson {
    private final Configuration settings;
    /** Whether the store was seen to refuse a file that is there. */
    private boolean tried;

    StoreJson(JsonHandler others, Configuration settings) {
        super(others);
        this.settings = settings;
    }

    /** @throws RefusedException if two writers might get the same version there */
    static void mustBeSafe(FileSystem store, Path root) throws IOException {
        if (!StoreFiles.isSafe(store, root)) {
            throw new RefusedException("`path` " + root + ": its store does not say that it makes a file for one of two writers "
                    + "alone, so both might get the same version: s3a with conditional writes, hdfs and abfs do", null);
        }
    }

    @Override
    void write(String file, CloseableIterator<Row> rows) throws IOException {
        Path target = new Path(file);
        FileSystem store = target.getFileSystem(settings);
        byte[] content = content(rows);
        if (!tried && StoreFiles.isConditional(store, target)) {
            tryCondition(store, target);
        }
        tried = true;
        if (!StoreFiles.make(store, target, content)) {
            throw new FileAlreadyExistsException(file);
        }
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

    private static void tryCondition(FileSystem store, Path target) throws IOException {
        Path twice = StoreFiles.hidden(target);
        try {
            if (!StoreFiles.make(store, twice, new byte[1]) || !StoreFiles.make(store, twice, new byte[1])) {
                return;
            }
        } finally {
            store.delete(twice, false);
        }
        throw new RefusedException("`path` " + target.getParent().getParent() + ": its store has made a file that was there "
                + "already: it ignores If-None-Match, so of two writers both might get the same version", null);
    }
}
