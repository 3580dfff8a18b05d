package io.despina.log;

import java.io.IOException;

/** A later attempt of the job has the log: nothing that this one writes counts. */
public final class FencedLogException extends IOException {
    private static final long serialVersionUID = 1L;

    FencedLogException(String message) {
        super(message);
    }
}
