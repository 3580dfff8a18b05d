package io.despina.expr.catalyst.parquet;

import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Local files whose names have a colon: Hadoop takes what is before it for a scheme where it looks for a file's checksums. */
public final class ColonNames {
    /** Hadoop's settings to read them, without looking for checksums. */
    public static final Map<String, String> SETTINGS = Map.of("fs.file.impl", RawLocalFileSystem.class.getName(),
            "fs.file.impl.disable.cache", "true");

    private ColonNames() {
    }

    public static boolean has(Path file) {
        return file.getName().indexOf(':') >= 0;
    }
}
