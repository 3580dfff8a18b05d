package io.despina.control.staging;

import io.despina.control.protocol.Answering;
import io.despina.control.protocol.Conversation;
import io.despina.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;

/** Gives rows to one instance of a source in another process. One thread. */
public final class StageClient implements AutoCloseable {
    private static final byte[] NOTHING = {};
    /** As the server waits, and some more. */
    private static final long WAIT_MILLIS = 10_000;

    private final StagePlace place;
    private final Conversation resource;

    /** @param wire that knows the secret of whoever listens there */
    public StageClient(Wire wire, String host, int port, StagePlace place) throws IOException {
        this.place = place;
        resource = new Conversation(wire, host, port);
    }

    /**
     * Stages whole packets for an epoch; waits while the source is behind.
     *
     * @param run  of the program's query, from {@code Located}
     * @param task of the program: no other's of the run
     */
    public void stage(String run, long epoch, long task, byte[] packets, int rows) throws IOException, InterruptedException {
        ask(new StageRequest(StageRequest.Kind.STAGE, place, new StagedEpochs.Key(run, epoch, task), rows, packets));
    }

    /** Gives whole packets that the source sees at once; waits while it is behind. */
    public void append(byte[] packets, int rows) throws IOException, InterruptedException {
        ask(new StageRequest(StageRequest.Kind.APPEND, place, new StagedEpochs.Key("", 0, 0), rows, packets));
    }

    /** Throws away what a task has staged. */
    public void drop(String run, long epoch, long task) throws IOException, InterruptedException {
        ask(new StageRequest(StageRequest.Kind.DROP, place, new StagedEpochs.Key(run, epoch, task), 0, NOTHING));
    }

    private void ask(StageRequest request) throws IOException, InterruptedException {
        byte[] bytes = request.encode();
        while (true) {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(resource.ask(bytes, WAIT_MILLIS)));
            if (in.readByte() == Answering.REFUSED) {
                throw new StagingException(in.readUTF());
            }
            if (in.readBoolean()) {
                return;
            }
        }
    }

    @Override
    public void close() {
        resource.close();
    }
}
