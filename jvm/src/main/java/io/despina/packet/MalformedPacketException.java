package io.despina.packet;

/** Bytes that are not a packet of the expected layout: a length or an offset points outside. */
public final class MalformedPacketException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedPacketException(String message) {
        super(message);
    }
}
