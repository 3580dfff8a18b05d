package io.despina.log;

import java.io.IOException;

/** Records that were durable are not as they were written, or gone. They are never passed over. */
public final class RottenLogException extends IOException {
    private static final long serialVersionUID = 1L;

    RottenLogException(String message) {
        super(message);
    }
}
