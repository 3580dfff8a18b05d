package io.despina.operator.sink.file;

import io.despina.operator.disk.FileCodec;
import java.nio.file.Path;

/**
 * Where a file sink writes, and what.
 *
 * @param path    a folder, or with {@code single} the one file
 * @param ending  of part files: {@code csv}, {@code json.gz} and the like
 * @param codec   packs the files; null for none
 * @param replace whether to replace the output of an earlier run; else such output is an error
 * @param owner   the sink and its graph, and where the job takes snapshots, their folder
 * @param attempt the job's, where it takes snapshots; 0 where it takes none
 * @param disk    the file system of {@code path}
 */
record OutputOptions(Path path, boolean single, String ending, FileCodec codec, boolean replace, String owner, int attempt,
        OutputDisk disk) {

    /** Whether a file of lines, packed or not; else one that nothing can be added to. */
    boolean isText() {
        return !ending.endsWith(ParquetCodec.PARQUET);
    }

    /** Whether the file of several epochs is one that goes on, and is cut where a job resumes. Else each epoch has its own. */
    boolean cuts() {
        return isText() && codec == null && disk.canCut();
    }

    /** The path, for messages. */
    String text() {
        return disk.text(path);
    }
}
