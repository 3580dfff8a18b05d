package io.despina.operator.source.file;

import java.io.IOException;
import java.nio.file.Path;

/** A followed file no longer holds the bytes that were read from it. */
final class TruncatedException extends IOException {
    private static final long serialVersionUID = 1;

    TruncatedException(Path path, long offset) {
        super(path + " was truncated or rewritten while the source followed it: the source had read " + offset
                + " bytes, and the file no longer begins with them");
    }
}
