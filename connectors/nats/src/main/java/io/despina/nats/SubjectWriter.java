package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LostException;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.ServerPatience;
import io.despina.connect.StartPatience;
import io.despina.connect.WriterHost;
import io.nats.client.Connection;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * Writes rows to subjects, for those who listen at that moment. A server says that it has seen all that came before a ping, and
 * no more; what was on its way when a connection ended may be lost, and is not sent again.
 */
final class SubjectWriter implements RecordWriter {
    private final ConnectorSettings settings;
    private final WriterHost host;
    private final String client;
    private final String subject;
    private final ServerPatience patience;
    private Link link;
    /** Since the server was asked whether it has all. */
    private long sent;
    private long bytes;

    SubjectWriter(ConnectorSettings settings, WriterHost host, String client) {
        this.settings = settings;
        this.host = host;
        this.client = client;
        subject = settings.has("subject") ? settings.text("subject") : null;
        patience = new ServerPatience(settings, "servers", host);
    }

    @Override
    public void open(boolean later) throws Exception {
        if (!later) {
            link = new StartPatience(settings).await(() -> Link.open(settings, client, settings.whole("connect_ms")));
        }
    }

    @Override
    public void write(Outgoing row) throws Exception {
        Made made = Made.of(row, subject);
        String why = Made.refusal(row, made);
        patience.begin();
        while (why == null) {
            try {
                why = publish(made);
                break;
            } catch (IOException lost) {
                lost(lost);
            }
        }
        if (why != null) {
            host.refused(why, made.body());
        }
    }

    /** @return why no server takes it; null if it was sent */
    private String publish(Made made) throws IOException, InterruptedException {
        Connection connection = connected();
        long most = connection.getMaxPayload();
        if (most > 0 && made.payload() > most) {
            return "the message for subject `" + made.subject() + "` has " + made.payload() + " bytes with its headers, and the "
                    + "server takes at most " + most;
        }
        if (sent >= settings.whole("max_in_flight") || sent > 0 && bytes + made.bytes() > settings.whole("buffer_bytes")) {
            ask();
        }
        try {
            connection.publish(made.subject(), made.headers(), made.body());
        } catch (IllegalStateException e) {
            throw Words.unpublished(settings, e, link);
        }
        sent++;
        bytes += made.bytes();
        return null;
    }

    private Connection connected() throws IOException, InterruptedException {
        if (link != null && !link.isOpen()) {
            throw new LostException("the connection to " + settings.text("servers") + " has ended", link.told());
        }
        if (link == null) {
            link = Link.open(settings, client, settings.whole("connect_ms"));
            patience.moved();
        }
        return link.connection();
    }

    /** Waits until the server has seen all. */
    private void ask() throws IOException, InterruptedException {
        try {
            link.connection().flush(Duration.ofMillis(settings.whole("retry_for_ms")));
        } catch (TimeoutException | IllegalStateException e) {
            throw Words.unpublished(settings, e, link);
        }
        if (link.denied() != null || !link.isOpen()) {      // the client may answer all the same
            throw Words.unpublished(settings, link.told(), link);
        }
        sent = 0;
        bytes = 0;
        patience.moved();
    }

    private void lost(IOException why) throws IOException, InterruptedException {
        if (link != null) {
            if (sent > 0) {
                host.warn("`" + host.operator() + "`: the connection to " + settings.text("servers") + " has ended: up to " + sent
                        + " messages were on their way, and may be lost");
            }
            sent = 0;
            bytes = 0;
            link.close();
            link = null;
        }
        patience.lost(why);
    }

    @Override
    public void flush() throws Exception {
        if (sent == 0) {
            return;
        }
        patience.begin();
        try {
            ask();
        } catch (IOException why) {
            lost(why);
        }
    }

    @Override
    public void close() {
        if (link != null) {
            link.close();
        }
    }
}
