package io.despina.operator.source;

import java.io.IOException;
import java.nio.file.Path;

/** A followed file no longer holds what was read of it. */
final class TruncatedException extends IOException {
    private static final long serialVersionUID = 1;

    TruncatedException(Path path, long offset) {
        super(path + " was cut short or written anew while it was followed: byte " + offset
                + " had been read, and what was before it is no longer there");
    }
}
