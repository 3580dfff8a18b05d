package io.despina.control.protocol;

import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import io.despina.wire.Wire;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Questions to another process, one at a time, each with one answer. One thread asks. */
public final class Conversation implements ControlHandler, AutoCloseable {
    /** Beyond what the other side may wait for before it answers. */
    private static final long PATIENCE_MILLIS = 30_000;

    private final String where;
    private final ControlConnection connection;
    /** Written by the thread that asks, completed by the connection's. */
    private volatile CompletableFuture<byte[]> answer = new CompletableFuture<>();
    /** Null while it stands; written by the connection's thread. */
    private volatile String closed;

    /** @param wire that knows the secret of whoever listens there */
    public Conversation(Wire wire, String host, int port) throws IOException {
        where = host + ":" + port;
        connection = wire.control(host, port, this);
    }

    /** @param waitMillis how long the other side may wait before it answers */
    public byte[] ask(byte[] question, long waitMillis) throws IOException, InterruptedException {
        CompletableFuture<byte[]> awaited = new CompletableFuture<>();
        answer = awaited;
        if (closed != null) {
            closed(closed);
        }
        connection.send(question);
        try {
            return awaited.get(waitMillis + PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IOException("the resource at " + where + " does not answer", e);
        }
    }

    @Override
    public void message(byte[] bytes) {
        answer.complete(bytes);
    }

    @Override
    public void closed(String reason) {
        closed = reason;
        answer.completeExceptionally(new IOException("the resource at " + where + " is gone: " + reason));
    }

    @Override
    public void close() {
        connection.close();
    }
}
