package io.despina.control.spool;

import io.despina.spool.Chunk;
import io.despina.spool.SpoolAccess;
import io.despina.spool.SpoolDirection;
import io.despina.spool.SpoolException;
import io.despina.spool.SpoolId;
import io.despina.spool.SpoolState;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import io.despina.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks a spool of another process. One thread. */
public final class SpoolClient implements SpoolDirection, SpoolAccess, ControlHandler {
    /** Beyond what it may wait for rows. */
    private static final long PATIENCE_MILLIS = 30_000;

    private final SpoolId id;
    private final String where;
    private final ControlConnection connection;
    /** Written by the thread that asks, completed by the connection's. */
    private volatile CompletableFuture<byte[]> answer = new CompletableFuture<>();
    /** Null while it stands; written by the connection's thread. */
    private volatile String closed;

    /** @param wire that knows the secret of whoever listens there */
    public SpoolClient(Wire wire, String host, int port, SpoolId id) throws IOException {
        this.id = id;
        where = host + ":" + port;
        connection = wire.control(host, port, this);
    }

    private DataInputStream ask(SpoolRequest.What what, long row, long number) throws IOException, InterruptedException {
        return ask(new SpoolRequest(what, id, row, number, ""));
    }

    private DataInputStream ask(SpoolRequest request) throws IOException, InterruptedException {
        CompletableFuture<byte[]> awaited = new CompletableFuture<>();
        answer = awaited;
        if (closed != null) {
            closed(closed);
        }
        connection.send(request.encode());
        byte[] bytes;
        try {
            long wait = request.what() == SpoolRequest.What.READ ? request.number() : 0;
            bytes = awaited.get(wait + PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IOException("the resource at " + where + " does not answer", e);
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        if (in.readByte() == SpoolRequest.REFUSED) {
            throw new SpoolException(in.readUTF());
        }
        return in;
    }

    @Override
    public SpoolState state() throws IOException, InterruptedException {
        DataInputStream in = ask(SpoolRequest.What.STATE, 0, 0);
        return new SpoolState(in.readLong(), in.readLong(), in.readLong(), in.readBoolean());
    }

    @Override
    public Chunk read(long row, long millis) throws IOException, InterruptedException {
        DataInputStream in = ask(SpoolRequest.What.READ, row, millis);
        boolean ended = in.readBoolean();
        byte[] records = in.readAllBytes();
        return new Chunk(records, records.length, ended);
    }

    @Override
    public long rowBehind(long row, long bytes) throws IOException, InterruptedException {
        return ask(SpoolRequest.What.BEHIND, row, bytes).readLong();
    }

    @Override
    public void cut(long row) throws IOException, InterruptedException {
        ask(SpoolRequest.What.CUT, row, 0);
    }

    @Override
    public void fail(String why) throws IOException, InterruptedException {
        ask(new SpoolRequest(SpoolRequest.What.FAIL, id, 0, 0, why));
    }

    @Override
    public void release() throws IOException, InterruptedException {
        ask(SpoolRequest.What.RELEASE, 0, 0);
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
