package io.despina.wire;

/** An authenticated connection for control messages, in order, either way. Any thread may call it. */
public interface ControlConnection extends AutoCloseable {

    /**
     * Sends a message; messages sent by one thread arrive in their order. After the end it does nothing; the handler's
     * {@code closed} is called then.
     *
     * @throws IllegalArgumentException if it is larger than 64 MB
     */
    void send(byte[] json);

    /**
     * As {@link #send}, but waits while 16 MB of earlier messages are still in flight: for bulk data. Not to be called on an IO
     * thread.
     *
     * @throws InterruptedException while it waited; then nothing has been sent
     */
    void sendInTurn(byte[] json) throws InterruptedException;

    /** Ends the connection after what was sent. */
    @Override
    void close();
}
