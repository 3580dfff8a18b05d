package io.despina.operator.sink;

import io.despina.operator.FileCodec;
import java.nio.file.Path;

/**
 * Where a file sink writes, and what.
 *
 * @param path    a folder, or with {@code single} the one file
 * @param ending  of part files: {@code csv}, {@code json.gz} and the like
 * @param codec   packs the files; null for none
 * @param replace whether to replace the output of an earlier run; else such output is an error
 * @param owner   the sink and its graph
 * @param disk    the file system of {@code path}
 */
record OutputOptions(Path path, boolean single, String ending, FileCodec codec, boolean replace, String owner,
        OutputDisk disk) {

    /** The path, for messages. */
    String text() {
        return disk.text(path);
    }
}
