package io.despina.control.spool;

import io.despina.control.protocol.Answering;
import io.despina.control.protocol.Conversation;
import io.despina.spool.Chunk;
import io.despina.spool.SpoolAccess;
import io.despina.spool.SpoolDirection;
import io.despina.spool.SpoolException;
import io.despina.spool.SpoolId;
import io.despina.spool.SpoolState;
import io.despina.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;

/** Asks a spool of another process. One thread. */
public final class SpoolClient implements SpoolDirection, SpoolAccess {
    private final SpoolId id;
    private final Conversation resource;

    /** @param wire that knows the secret of whoever listens there */
    public SpoolClient(Wire wire, String host, int port, SpoolId id) throws IOException {
        this.id = id;
        resource = new Conversation(wire, host, port);
    }

    private DataInputStream ask(SpoolRequest.What what, long row, long number) throws IOException, InterruptedException {
        return ask(new SpoolRequest(what, id, row, number, ""));
    }

    private DataInputStream ask(SpoolRequest request) throws IOException, InterruptedException {
        byte[] bytes = resource.ask(request.encode(), request.what() == SpoolRequest.What.READ ? request.number() : 0);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        if (in.readByte() == Answering.REFUSED) {
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
    public void close() {
        resource.close();
    }
}
