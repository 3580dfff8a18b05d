package io.despina.control.spool;

import io.despina.control.protocol.Answering;
import io.despina.packet.Schema;
import io.despina.spool.Chunk;
import io.despina.spool.Spool;
import io.despina.spool.SpoolAccess;
import io.despina.spool.SpoolException;
import io.despina.spool.SpoolId;
import io.despina.spool.SpoolState;
import io.despina.spool.Spools;
import io.despina.wire.ControlConnection;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/** Answers what one connection asks of this process's spools, one request after the other. */
public final class SpoolServer extends Answering {
    private final Executor waiting;
    private final Function<SpoolId, Schema> schemas;
    /** Of the request before, which mostly goes on where that ended; one request at a time. */
    private SpoolId reading;
    private SpoolAccess access;
    /** The same, of rows as Arrow; null before. */
    private SpoolArrow arrow;

    /**
     * @param waiting runs requests, which may wait for rows
     * @param schemas of rows that are asked for as Arrow; may answer null
     */
    public SpoolServer(ControlConnection connection, Executor waiting, Function<SpoolId, Schema> schemas) {
        super(connection, waiting);
        this.waiting = waiting;
        this.schemas = schemas;
    }

    @Override
    protected void answer(byte[] question, DataOutputStream out) throws IOException, InterruptedException {
        answer(SpoolRequest.decode(question), out);
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
            case ARROW -> out.write(arrow(spool, asked));
            case FAIL -> spool.fail(asked.text());
            default -> throw new IOException("request " + asked.what() + " has no answer");
        }
    }

    private byte[] arrow(Spool spool, SpoolRequest asked) throws IOException {
        if (arrow == null || !asked.id().equals(reading) || arrow.next() != asked.row()) {
            leave();
            Schema schema = schemas.apply(asked.id());
            if (schema == null) {
                throw new SpoolException(spool.name() + " is not given as Arrow");
            }
            reading = asked.id();
            arrow = new SpoolArrow(spool, schema, asked.row());
        }
        return arrow.take(asked.number());
    }

    /** What was read before is not read on. */
    private void leave() throws IOException {
        reading = null;
        if (access != null) {
            access.close();
            access = null;
        }
        if (arrow != null) {
            arrow.close();
            arrow = null;
        }
    }

    private void read(Spool spool, SpoolRequest asked, DataOutputStream out) throws IOException, InterruptedException {
        if (access == null || !asked.id().equals(reading)) {
            leave();
            reading = asked.id();
            access = spool.access();
        }
        Chunk chunk = access.read(asked.row(), asked.number());
        out.writeBoolean(chunk.ended());
        out.write(chunk.bytes(), 0, chunk.length());
    }

    private void free() {
        try {
            leave();
        } catch (IOException e) {
            System.getLogger(SpoolServer.class.getName()).log(System.Logger.Level.DEBUG, "a reader did not close", e);
        }
    }

    @Override
    public void closed(String reason) {
        // a request that waits ends by its time
        try {
            waiting.execute(this::free);
        } catch (RejectedExecutionException closing) {
            // the process ends
        }
    }
}
