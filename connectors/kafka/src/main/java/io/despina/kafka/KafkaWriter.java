package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Marker;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import java.io.IOException;

/** Writes records epoch by epoch behind an outbox, and else at once. */
final class KafkaWriter implements RecordWriter {
    private final ConnectorSettings settings;
    private final WriterHost host;
    private RecordWriter writer;

    KafkaWriter(ConnectorSettings settings, WriterHost host) {
        this.settings = settings;
        this.host = host;
    }

    @Override
    public void open(boolean later) throws Exception {
        writer = later ? new EpochWriter(settings, host) : new PlainWriter(settings, host);
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
