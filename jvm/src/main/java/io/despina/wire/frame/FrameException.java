package io.despina.wire.frame;

/** Bytes from a socket that are not a frame, or not the frame that must follow. Its connection is closed with this message. */
public final class FrameException extends Exception {
    private static final long serialVersionUID = 1L;

    public FrameException(String message) {
        super(message);
    }
}
