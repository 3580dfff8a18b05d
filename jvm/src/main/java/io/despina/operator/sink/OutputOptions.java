package io.despina.operator.sink;

import java.nio.file.Path;

/**
 * Where a file sink writes, and what.
 *
 * @param path    a folder, or with {@code single} the one file
 * @param ending  of part files: {@code csv}, {@code json}, {@code txt}
 * @param replace whether to replace the output of an earlier run; else such output is an error
 * @param owner   the sink and its graph
 */
record OutputOptions(Path path, boolean single, String ending, boolean replace, String owner) {
}
