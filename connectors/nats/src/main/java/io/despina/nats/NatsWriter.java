package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Marker;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import java.io.IOException;

/** Writes to a stream, epoch by epoch behind an outbox and else at once; without a stream to subjects. */
final class NatsWriter implements RecordWriter {
    private final ConnectorSettings settings;
    private final WriterHost host;
    private RecordWriter writer;

    NatsWriter(ConnectorSettings settings, WriterHost host) {
        this.settings = settings;
        this.host = host;
    }

    @Override
    public void open(boolean later) throws Exception {
        String client = host.operator() + "." + host.instance();
        writer = !settings.has("stream") ? new SubjectWriter(settings, host, client)
                : later ? new EpochWriter(settings, host, client) : new PlainWriter(settings, host, client);
        writer.open(later);
    }

    @Override
    public void begin(String outbox, long epoch) throws Exception {
        writer.begin(outbox, epoch);
    }

    @Override
    public void write(Outgoing record) throws Exception {
        writer.write(record);
    }

    @Override
    public void flush() throws Exception {
        writer.flush();
    }

    @Override
    public Marker marker(String outbox, long epoch) throws Exception {
        return writer.marker(outbox, epoch);
    }

    @Override
    public void close() throws IOException {
        if (writer != null) {
            writer.close();
        }
    }
}
