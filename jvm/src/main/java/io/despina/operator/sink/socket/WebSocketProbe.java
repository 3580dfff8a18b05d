package io.despina.operator.sink.socket;

import io.despina.operator.Probe;
import io.despina.operator.sink.socket.WebSocketSinkOptions.To;
import io.despina.socket.SocketClient;
import java.io.IOException;

/** Tries a WebSocket, TLS and the token included; it sends no message. */
public record WebSocketProbe(To to) implements Probe {

    @Override
    public String run(long millis) throws IOException, InterruptedException {
        try (SocketClient client = WebSocketSink.client(to, millis, false)) {
            return ClientProbe.reached(client);
        }
    }
}
