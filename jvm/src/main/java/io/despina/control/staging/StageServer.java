package io.despina.control.staging;

import io.despina.control.protocol.Answering;
import io.despina.wire.ControlConnection;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Stages what comes over one connection, one request after the other. */
public final class StageServer extends Answering {
    /** How long a request waits for room; the other side then asks again. */
    private static final long WAIT_MILLIS = 5_000;

    private final Function<StagePlace, StagedEpochs> places;

    /**
     * @param waiting runs requests, which may wait for room
     * @param places  finds what is staged in this process; null if that instance is not here
     */
    public StageServer(ControlConnection connection, Executor waiting, Function<StagePlace, StagedEpochs> places) {
        super(connection, waiting);
        this.places = places;
    }

    /** Whether a request is for such a server. */
    public static boolean isMeant(byte[] request) {
        return request.length > 0 && request[0] >= StageRequest.FIRST && request[0] < StageRequest.FIRST
                + StageRequest.Kind.values().length;
    }

    @Override
    protected void answer(byte[] question, DataOutputStream out) throws IOException, InterruptedException {
        out.writeBoolean(isDone(StageRequest.decode(question)));
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

    @Override
    public void closed(String reason) {
        // what a task has staged stays: its query may commit it
    }
}
