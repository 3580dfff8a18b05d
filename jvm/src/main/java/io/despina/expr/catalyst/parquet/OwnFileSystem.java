package io.despina.expr.catalyst.parquet;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;

/**
 * Leads to a file system that one reader has opened with its own options. Parquet's classes look for a file system by the path's
 * name; those that Hadoop shares have the options of whoever came first, and nobody closes them.
 */
final class OwnFileSystem extends FilterFileSystem {
    private static final String ID = "despina.file.system";
    private static final Map<String, FileSystem> OPEN = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();

    /**
     * Opens the file system of a URI. Who has this configuration, or a copy, finds it under the URI's name until it is closed.
     */
    static Closeable open(URI uri, Configuration hadoop) throws IOException {
        FileSystem opened = FileSystem.newInstance(uri, new Configuration(hadoop));     // it may keep the configuration
        String id = Long.toString(LAST.incrementAndGet());
        OPEN.put(id, opened);
        hadoop.set(ID, id);
        String implementation = "fs." + uri.getScheme() + ".impl";
        hadoop.setClass(implementation, OwnFileSystem.class, FileSystem.class);
        hadoop.setBoolean(implementation + ".disable.cache", true);
        if (hadoop.getClassByNameOrNull(OwnFileSystem.class.getName()) != OwnFileSystem.class) {
            hadoop.setClassLoader(OwnFileSystem.class.getClassLoader());
        }
        return () -> {
            OPEN.remove(id);
            opened.close();
        };
    }

    @Override
    public void initialize(URI name, Configuration hadoop) throws IOException {
        setConf(hadoop);
        fs = OPEN.get(hadoop.get(ID));
        if (fs == null) {
            throw new IOException("the file system of " + name + " is closed");
        }
    }

    @Override
    public void close() {
        // it is closed by who opened it
    }
}
