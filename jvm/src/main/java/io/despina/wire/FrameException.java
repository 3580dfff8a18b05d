package io.despina.wire;

/** Bytes from a socket that are no frame, or not the one that must follow. Its connection is closed with this message. */
final class FrameException extends Exception {
    private static final long serialVersionUID = 1L;

    FrameException(String message) {
        super(message);
    }
}
