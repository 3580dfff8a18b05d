package io.despina.wire;

/** One side of a control connection. Called on an IO thread, one call at a time: it must not block. */
public interface ControlHandler {

    /** @param json a message, as the other side gave it to {@link ControlConnection#send} */
    void message(byte[] json);

    /** The connection has ended; called once, nothing follows. */
    void closed(String reason);
}
