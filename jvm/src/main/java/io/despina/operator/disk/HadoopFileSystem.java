package io.despina.operator.disk;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Opens Hadoop's file systems. Loaded only where files of one are read or written. */
public final class HadoopFileSystem {
    private HadoopFileSystem() {
    }

    /**
     * The file system of a URI, for the caller alone, who closes it.
     *
     * @param options those whose names begin with {@code fs.} are Hadoop's, as on Spark
     */
    public static FileSystem open(String uri, Map<String, String> options) throws IOException {
        Configuration hadoop = new Configuration();
        options.forEach((name, value) -> {
            if (FileAddress.isSetting(name)) {
                hadoop.set(name, value);
            }
        });
        try {
            // one of its own, because Hadoop's shared ones keep the options of whoever came first
            return FileSystem.newInstance(new Path(uri).toUri(), hadoop);
        } catch (IOException | RuntimeException e) {
            throw new IOException(uri + ": there is no file system for it: " + e.getMessage(), e);
        }
    }
}
