package io.despina.operator.sink.socket;

import io.despina.operator.Probe;
import io.despina.operator.Reason;
import io.despina.socket.SocketClient;
import java.io.IOException;

/** Tries a connection to a program that listens, TLS included; it sends no byte of a row. */
public record ClientProbe(SocketClient.Address address) implements Probe {

    @Override
    public String run(long millis) throws IOException, InterruptedException {
        try (SocketClient client = new SocketClient(address, null)) {
            return reached(client);
        }
    }

    /** Connects, and lets go. */
    static String reached(SocketClient client) throws IOException, InterruptedException {
        try {
            client.connect();
            return client.peer() + " takes connections";
        } catch (IOException why) {
            throw new IOException("cannot reach " + client.peer() + ": " + Reason.of(why), why);
        }
    }
}
