package io.despina.control.resource;

import io.despina.control.spool.SpoolServer;
import io.despina.control.staging.StageServer;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;

/** One connection of a program that reads a job's rows or gives it some, or of a resource that measures how it gets here. */
record RowRequests(ControlConnection connection, SpoolServer read, StageServer given) implements ControlHandler {

    @Override
    public void message(byte[] request) {
        byte[] echo = WayMeter.answer(request);
        if (echo != null) {
            connection.send(echo);
        } else {
            (StageServer.isMeant(request) ? given : read).message(request);
        }
    }

    @Override
    public void closed(String reason) {
        read.closed(reason);
        given.closed(reason);
    }
}
