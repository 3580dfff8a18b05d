package io.despina.control.protocol;

import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Answers the questions of a {@link Conversation}, one after the other: with 0 and what was asked for, or with 1 and why not
 * (UTF).
 */
public abstract class Answering implements ControlHandler {
    public static final int DONE = 0;
    public static final int REFUSED = 1;

    private final ControlConnection connection;
    private final Executor waiting;

    /** @param waiting works out answers, which may take time */
    protected Answering(ControlConnection connection, Executor waiting) {
        this.connection = connection;
        this.waiting = waiting;
    }

    /** Writes what was asked for. */
    protected abstract void answer(byte[] question, DataOutputStream out) throws IOException, InterruptedException;

    @Override
    public final void message(byte[] question) {
        try {
            waiting.execute(() -> connection.send(answer(question)));
        } catch (RejectedExecutionException closing) {
            connection.close();
        }
    }

    private byte[] answer(byte[] question) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(DONE);
            answer(question, out);
        } catch (IOException | InterruptedException e) {
            return refused(e);
        }
        return bytes.toByteArray();
    }

    private static byte[] refused(Exception why) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(REFUSED);
            out.writeUTF(String.valueOf(why.getMessage()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }
}
