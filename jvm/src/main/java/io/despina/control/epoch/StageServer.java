package io.despina.control.epoch;

import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/** Stages what comes over one connection, one request after the other. */
public final class StageServer implements ControlHandler {
    /** How long a request waits for room; the other side then asks again. */
    private static final long WAIT_MILLIS = 5_000;

    private final ControlConnection connection;
    private final Executor waiting;
    private final Function<StagePlace, StagedEpochs> places;

    /**
     * @param waiting runs requests, which may wait for room
     * @param places  finds what is staged in this process; null if that instance is not here
     */
    public StageServer(ControlConnection connection, Executor waiting, Function<StagePlace, StagedEpochs> places) {
        this.connection = connection;
        this.waiting = waiting;
        this.places = places;
    }

    /** Whether a request is for such a server. */
    public static boolean isMeant(byte[] request) {
        return request.length > 0 && request[0] >= StageRequest.FIRST && request[0] < StageRequest.FIRST
                + StageRequest.Kind.values().length;
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
        try {
            return new byte[] {(byte) (isDone(StageRequest.decode(request)) ? StageRequest.DONE : StageRequest.FULL)};
        } catch (IOException | InterruptedException e) {
            return refused(e);
        }
    }

    private boolean isDone(StageRequest asked) throws IOException, InterruptedException {
        StagedEpochs place = places.apply(asked.place());
        if (place == null) {
            throw new StagingException("`" + asked.place().operator() + "` takes no rows any more: its job has ended");
        }
        switch (asked.kind()) {
            case STAGE:
                return place.stage(asked.key(), asked.packets(), asked.rows(), WAIT_MILLIS);
            case APPEND:
                return place.append(asked.packets(), asked.rows(), WAIT_MILLIS);
            default:
                place.drop(asked.key());
                return true;
        }
    }

    private static byte[] refused(Exception why) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(StageRequest.REFUSED);
            out.writeUTF(String.valueOf(why.getMessage()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }

    @Override
    public void closed(String reason) {
        // what a task has staged stays: its query may commit it
    }
}
