package io.despina.operator.sink.socket;

import io.despina.operator.Reason;
import io.despina.operator.Retries;
import io.despina.operator.record.LineBuffer;
import io.despina.socket.SocketClient;
import java.io.Closeable;
import java.io.IOException;

/**
 * A sink's connection to a program that listens. It blocks while that does not read. When the connection breaks it makes another,
 * and writes again whatever the last write had, because it cannot know what of it has arrived; what earlier writes gave to the
 * system may be lost.
 */
final class KeptConnection implements Closeable {
    private final SocketClient client;
    private final Retries backoff;
    private final LineBuffer head;
    private boolean connected;

    /** @param head what each connection begins with, or nothing */
    KeptConnection(SocketClient client, Retries backoff, LineBuffer head) {
        this.client = client;
        this.backoff = backoff;
        this.head = head;
    }

    void connect() throws IOException, InterruptedException {
        if (connected && !client.isOpen()) {
            connected = false;
            backoff.tell("lost the connection to " + client.peer());
        }
        while (!client.isOpen()) {
            try {
                client.connect();
                if (head.size() > 0) {
                    client.write(head.bytes(), head.size());
                }
                connected = true;
            } catch (IOException e) {
                failed("cannot reach ", e);
            }
        }
    }

    private void failed(String what, IOException why) throws IOException, InterruptedException {
        String problem = what + client.peer() + ": " + Reason.of(why);
        connected = false;
        backoff.tell(problem);
        backoff.await(0, problem);
    }

    /** Sends the first bytes; they are not used afterwards. */
    void send(byte[] bytes, int length) throws IOException, InterruptedException {
        for (boolean sent = false; !sent;) {
            connect();
            try {
                client.write(bytes, length);
                sent = true;
            } catch (IOException e) {
                failed("lost the connection to ", e);
            }
        }
        backoff.reset();
    }

    @Override
    public void close() {
        client.close();
    }
}
