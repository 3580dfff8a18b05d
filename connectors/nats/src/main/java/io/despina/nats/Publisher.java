package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LostException;
import io.despina.connect.ServerPatience;
import io.nats.client.JetStream;
import io.nats.client.api.PublishAck;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Messages on their way to a stream by one connection: at most so many, and so many bytes, that the stream has not acknowledged.
 * A message that it does not acknowledge ends the connection: what became of those behind it is found out by another one. Of one
 * thread.
 */
final class Publisher implements Closeable {
    private static final long LOOK_MS = 200;

    private record Sent(Made message, long bytes, CompletableFuture<PublishAck> answer) {
    }

    private final ConnectorSettings settings;
    private final ServerPatience patience;
    private final Link link;
    private final JetStream stream;
    private final long most;
    private final long mostBytes;
    private final ArrayDeque<Sent> flight = new ArrayDeque<>();
    private long bytes;
    /** When a server was last heard; of {@link System#nanoTime}. */
    private long heard = System.nanoTime();

    Publisher(Link link, ConnectorSettings settings, ServerPatience patience) throws IOException {
        this.link = link;
        this.settings = settings;
        this.patience = patience;
        stream = link.connection().jetStream(link.patient());
        most = settings.whole("max_in_flight");
        mostBytes = settings.whole("buffer_bytes");
    }

    Link link() {
        return link;
    }

    /** How long no server was heard. */
    long silentNanos() {
        return System.nanoTime() - heard;
    }

    /** A server has answered; that it takes anything is not said yet. */
    void heard() {
        heard = System.nanoTime();
    }

    /** A server has taken something. */
    void taken() {
        heard();
        patience.moved();
    }

    /** Sends a message behind the others; waits for room. @throws LostException if the connection is of no more use */
    void send(Made message) throws IOException, InterruptedException {
        while (!flight.isEmpty() && flight.peek().answer.isDone()) {
            takeAnswer();
        }
        long size = message.bytes();
        while (!flight.isEmpty() && (flight.size() >= most || bytes + size > mostBytes)) {
            takeAnswer();
        }
        CompletableFuture<PublishAck> answer;
        try {
            answer = stream.publishAsync(message.subject(), message.headers(), message.body());
        } catch (IllegalStateException e) {
            throw lost(e);
        }
        flight.add(new Sent(message, size, answer));
        bytes += size;
    }

    /** Waits until the stream has acknowledged all. */
    void await() throws IOException, InterruptedException {
        while (!flight.isEmpty()) {
            takeAnswer();
        }
    }

    /** That of the oldest. */
    private void takeAnswer() throws IOException, InterruptedException {
        Sent oldest = flight.peek();
        while (true) {
            try {
                oldest.answer.get(LOOK_MS, TimeUnit.MILLISECONDS);
                flight.poll();
                bytes -= oldest.bytes;
                taken();
                return;
            } catch (TimeoutException e) {
                look(e);
            } catch (ExecutionException | CancellationException e) {
                throw lost(e);
            }
        }
    }

    private void look(Exception waited) throws IOException {
        if (link.denied() != null || !link.isOpen() || patience.isOver()) {
            throw lost(waited);
        }
    }

    private IOException lost(Exception why) {
        return Words.unpublished(settings, why, link);
    }

    /** In their order. */
    List<Made> unacknowledged() {
        return flight.stream().map(Sent::message).toList();
    }

    @Override
    public void close() {
        link.close();
    }
}
