package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.ServerPatience;
import io.despina.connect.StartPatience;
import io.despina.connect.WriterHost;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;

/**
 * Writes rows to a stream at once. It keeps each until the stream has acknowledged it, and sends those that were not again by the
 * next connection, in order.
 */
final class PlainWriter implements RecordWriter {
    private final ConnectorSettings settings;
    private final WriterHost host;
    private final String client;
    private final SinkStream target;
    private final ServerPatience patience;
    private final String prefix = UUID.randomUUID() + "/";
    /** Not given to a connection yet, or given to one that has ended; in order. */
    private final ArrayDeque<Made> unsent = new ArrayDeque<>();
    private Publisher publisher;
    private long number;

    PlainWriter(ConnectorSettings settings, WriterHost host, String client) {
        this.settings = settings;
        this.host = host;
        this.client = client;
        target = new SinkStream(settings, false);
        patience = new ServerPatience(settings, "servers", host);
    }

    @Override
    public void open(boolean later) throws Exception {
        new StartPatience(settings).await(() -> {
            connect();
            return publisher;
        });
    }

    private void connect() throws IOException, InterruptedException {
        if (publisher == null) {
            publisher = new Publisher(Link.open(settings, client, settings.whole("connect_ms")), settings, patience);
            target.learn(publisher.link());
        }
    }

    @Override
    public void write(Outgoing row) throws Exception {
        Made made = Made.of(row, target.subject());
        String why = Made.refusal(row, made);
        if (why == null) {
            made = made.named(prefix + number++, settings.text("stream"));
            why = refusal(made);
        }
        if (why == null) {
            unsent.add(made);
            send(false);
        } else {
            host.refused(why, made.body());
        }
    }

    private String refusal(Made made) throws IOException, InterruptedException {
        return patience.ask(() -> {
            connect();
            return target.refusal(publisher.link(), made);
        }, this::lost);
    }

    /** @param all whether the stream is to have acknowledged them */
    private void send(boolean all) throws IOException, InterruptedException {
        patience.ask(() -> {
            connect();
            for (Made next = unsent.peek(); next != null; next = unsent.peek()) {
                publisher.send(next);
                unsent.poll();
            }
            if (all) {
                publisher.await();
            }
            return null;
        }, this::lost);
    }

    /** What the stream has not acknowledged is sent again, before what follows. */
    private void lost() {
        if (publisher != null) {
            List<Made> again = publisher.unacknowledged();
            for (int k = again.size() - 1; k >= 0; k--) {
                unsent.addFirst(again.get(k));
            }
            disconnect();
        }
    }

    private void disconnect() {
        publisher.close();
        publisher = null;
    }

    @Override
    public void flush() throws Exception {
        send(true);
    }

    @Override
    public void close() {
        if (publisher != null) {
            disconnect();
        }
    }
}
