package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import java.time.Duration;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;

/** Writes records at once, by an idempotent producer: each at least once. */
final class PlainWriter implements RecordWriter {
    private static final Duration CLOSE = Duration.ofSeconds(3);

    private final ConnectorSettings settings;
    private final WriterHost host;
    private final Producers producers;
    private KafkaProducer<byte[], byte[]> producer;
    /** Written by the producer's thread. */
    private volatile Exception failure;

    PlainWriter(ConnectorSettings settings, WriterHost host) {
        this.settings = settings;
        this.host = host;
        producers = new Producers(settings, ClientProperties.name(host.operator(), host.instance()));
    }

    @Override
    public void open(boolean later) throws Exception {
        producers.refuseMissing();
        producer = producers.made(null);
    }

    @Override
    public void write(Outgoing row) throws Exception {
        check();
        ProducerRecord<byte[], byte[]> record = producers.record(row);
        try {
            producer.send(record, (metadata, why) -> {
                if (why != null && Producers.isOfRecord(why)) {
                    host.refused(Producers.words(record, why), record.value());
                } else if (why != null && failure == null) {
                    failure = why;
                }
            });
        } catch (KafkaException e) {
            throw failed(e);
        }
    }

    @Override
    public void flush() throws Exception {
        try {
            producer.flush();
        } catch (KafkaException e) {
            throw failed(e);
        }
        check();
    }

    private void check() throws Exception {
        if (failure != null) {
            throw failed(failure);
        }
    }

    private Exception failed(Exception why) {
        return KafkaWords.ofWriting(why, settings);
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close(failure == null && !Thread.currentThread().isInterrupted() ? CLOSE
                    : Duration.ZERO);
        }
    }
}
