package io.despina.operator.sink.file;

import io.despina.operator.disk.FileCodec;
import io.despina.spec.FileFormat;
import java.nio.file.Path;
import java.util.List;

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

    /** Whether files are of a format, which is named by a part of their ending. */
    boolean is(FileFormat format) {
        return List.of(ending.split("\\.")).contains(format.word());
    }

    /** Whether something can be added to a file, packed or not. */
    boolean isAppended() {
        return !is(FileFormat.PARQUET) && !is(FileFormat.AVRO) && !is(FileFormat.XML);
    }

    /** Whether the file of several epochs is one that goes on, and is cut where a job resumes. Else each epoch has its own. */
    boolean cuts() {
        return isAppended() && codec == null && disk.canCut();
    }

    /** The path, for messages. */
    String text() {
        return disk.text(path);
    }
}
