package io.despina.control.staging;

import java.io.IOException;

/** Rows are not staged: nobody would commit them. */
public final class StagingException extends IOException {
    private static final long serialVersionUID = 1L;

    StagingException(String message) {
        super(message);
    }
}
