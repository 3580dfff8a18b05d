package io.despina.redis;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.ServerPatience;
import io.despina.connect.StartPatience;
import io.despina.connect.WriterHost;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Writes rows at once, by a thread of its own; those whose answer is lost are written again, and with them what follows. */
final class PlainWriter implements RecordWriter {
    private static final long CLOSE_MS = TimeUnit.SECONDS.toMillis(3);

    private final ConnectorSettings settings;
    private final WriterHost host;
    private final String client;
    private final Added.Maker maker;
    private final Adding adding;
    private final ServerPatience patience;
    private final Outflow outflow;
    private final Thread thread;
    /** Set by the thread, once it has started; read by the one that ends it. */
    private volatile Link link;
    private volatile boolean closed;

    PlainWriter(ConnectorSettings settings, WriterHost host, String client) {
        this.settings = settings;
        this.host = host;
        this.client = client;
        maker = new Added.Maker(settings);
        adding = new Adding(settings, (row, why) -> host.refused(why, row.value()));
        patience = new ServerPatience(settings, "server", host);
        outflow = new Outflow(settings.whole("buffer_bytes"));
        thread = new Thread(this::run, "despina-redis-" + client);
        thread.setDaemon(true);
        thread.setContextClassLoader(PlainWriter.class.getClassLoader());
    }

    @Override
    public void open(boolean later) throws Exception {
        new StartPatience(settings).await(() -> {
            disconnect();       // what an earlier try has left
            connect();
            return link;
        });
        thread.start();
    }

    private void connect() throws IOException {
        if (link == null) {
            link = new Link(settings, client);
            if (closed) {
                link.cut();
            }
            link.connect(settings.whole("connect_ms"));
            Adding.refuseOther(settings, link);
        }
    }

    @Override
    public void write(Outgoing record) throws Exception {
        Added row = maker.of(record);
        if (row.problem() != null) {
            host.refused(row.problem(), row.value());
        } else {
            outflow.add(row);
        }
    }

    private void run() {
        try {
            for (List<Added> rows = outflow.take(); rows != null; rows = outflow.take()) {
                long bytes = rows.stream().mapToLong(Added::bytes).sum();
                send(rows);
                outflow.done(bytes);
            }
        } catch (InterruptedException ended) {
            return;
        } catch (Throwable e) {         // an Error too must end the job that waits for the rows
            outflow.fail(e instanceof Exception why ? why : new IllegalStateException(e));
        } finally {
            disconnect();
        }
    }

    private void send(List<Added> rows) throws IOException, InterruptedException {
        patience.ask(() -> {
            connect();
            adding.add(link, rows, null);
            patience.moved();
            return null;
        }, this::disconnect);
    }

    private void disconnect() {
        if (link != null) {
            link.close();
            link = null;
        }
    }

    @Override
    public void flush() throws Exception {
        outflow.awaitEmpty();
    }

    @Override
    public void close() {
        closed = true;
        outflow.end();
        if (!thread.isAlive()) {
            disconnect();
            return;
        }
        thread.interrupt();
        Link now = link;
        if (now != null) {
            now.cut();
        }
        try {
            thread.join(CLOSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
