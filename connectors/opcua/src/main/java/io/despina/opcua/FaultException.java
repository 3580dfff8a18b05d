package io.despina.opcua;

import java.io.IOException;
import org.eclipse.milo.opcua.stack.core.UaException;

/** The server has answered that it does not do what it was asked for. */
final class FaultException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long code;

    FaultException(String message, UaException cause) {
        super(message, cause);
        code = cause.getStatusCode().getValue();
    }

    /** The status code, one of Milo's {@code StatusCodes}. */
    long code() {
        return code;
    }
}
