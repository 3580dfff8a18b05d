package io.despina.wire;

import java.util.concurrent.Executor;

/** An authenticated connection for control messages, in order, either way. Any thread may call it. */
public interface ControlConnection extends Executor, AutoCloseable {

    /** The name whose secret the side that has connected here has proved; empty for the common one, and on that side itself. */
    String admitted();

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

    /** Runs it on the thread that reads and writes, in turn with what waits there; not at all once that thread has ended. */
    @Override
    void execute(Runnable task);

    /** Ends the connection after what was sent. */
    @Override
    void close();
}
