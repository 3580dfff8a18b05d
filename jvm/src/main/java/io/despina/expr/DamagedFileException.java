package io.despina.expr;

import java.io.IOException;

/** A file's bytes can be read, and are no rows: whoever reads it again finds the same. Its message names the file. */
public final class DamagedFileException extends IOException {
    private static final long serialVersionUID = 1L;

    public DamagedFileException(String message, Throwable cause) {
        super(message, cause);
    }
}
