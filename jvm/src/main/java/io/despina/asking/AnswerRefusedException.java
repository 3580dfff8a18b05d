package io.despina.asking;

import java.io.IOException;

/** The server does not give what it is asked for, and would not if it were asked again. */
final class AnswerRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    AnswerRefusedException(String message) {
        super(message);
    }

    AnswerRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
