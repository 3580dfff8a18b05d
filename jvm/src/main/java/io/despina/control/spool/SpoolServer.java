package io.despina.control.spool;

import io.despina.spool.Chunk;
import io.despina.spool.Spool;
import io.despina.spool.SpoolAccess;
import io.despina.spool.SpoolException;
import io.despina.spool.SpoolId;
import io.despina.spool.SpoolState;
import io.despina.spool.Spools;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Answers what one connection asks of this process's spools, one request after the other. */
public final class SpoolServer implements ControlHandler {
    private final ControlConnection connection;
    private final Executor waiting;
    /** Of the request before, which mostly goes on where that ended; one request at a time. */
    private SpoolId reading;
    private SpoolAccess access;

    /** @param waiting runs requests, which may wait for rows */
    public SpoolServer(ControlConnection connection, Executor waiting) {
        this.connection = connection;
        this.waiting = waiting;
    }

    @Override
    public void message(byte[] request) {
        try {
            waiting.execute(() -> connection.send(answer(request)));
        } catch (RejectedExecutionException closing) {
            connection.close();
        }
    }

    private byte[] answer(byte[] request) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(SpoolRequest.DONE);
            answer(SpoolRequest.decode(request), out);
        } catch (IOException | InterruptedException e) {
            return refused(e);
        }
        return bytes.toByteArray();
    }

    private static byte[] refused(Exception why) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(SpoolRequest.REFUSED);
            out.writeUTF(String.valueOf(why.getMessage()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }

    private void answer(SpoolRequest asked, DataOutputStream out) throws IOException, InterruptedException {
        if (asked.what() == SpoolRequest.What.RELEASE) {
            Spools.release(asked.id());
            return;
        }
        Spool spool = Spools.find(asked.id());
        if (spool == null) {
            throw new SpoolException("the rows are gone: their job has been stopped");
        }
        switch (asked.what()) {
            case STATE -> {
                SpoolState state = spool.state();
                out.writeLong(state.first());
                out.writeLong(state.rows());
                out.writeLong(state.bytes());
                out.writeBoolean(state.ended());
            }
            case READ -> read(spool, asked, out);
            case BEHIND -> out.writeLong(spool.rowBehind(asked.row(), asked.number()));
            case CUT -> spool.cut(asked.row());
            case FAIL -> spool.fail(asked.text());
            default -> throw new IOException("request " + asked.what() + " has no answer");
        }
    }

    private void read(Spool spool, SpoolRequest asked, DataOutputStream out) throws IOException, InterruptedException {
        if (!asked.id().equals(reading)) {
            reading = asked.id();
            access = spool.access();
        }
        Chunk chunk = access.read(asked.row(), asked.number());
        out.writeBoolean(chunk.ended());
        out.write(chunk.bytes(), 0, chunk.length());
    }

    @Override
    public void closed(String reason) {
        // a request that waits ends by its time
    }
}
