package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;

/** Writes records at once, by an idempotent producer: each at least once. */
final class PlainWriter implements RecordWriter {
    private static final Duration CLOSE = Duration.ofSeconds(3);

    private final ConnectorSettings settings;
    private final WriterHost host;
    private final Producers producers;
    private Producer<byte[], byte[]> producer;
    /** Came back only because another one of their batch was bad; the producer's thread adds them. */
    private final Queue<ProducerRecord<byte[], byte[]>> again = new ConcurrentLinkedQueue<>();
    /** Written by the producer's thread. */
    private volatile Exception failure;

    PlainWriter(ConnectorSettings settings, WriterHost host, Producers producers) {
        this.settings = settings;
        this.host = host;
        this.producers = producers;
    }

    @Override
    public void open(boolean later) throws Exception {
        producers.refuseMissing();
        producer = producers.made(null);
    }

    @Override
    public void write(Outgoing row) throws Exception {
        check();
        sendAgain();
        ProducerRecord<byte[], byte[]> record = producers.record(row);
        String why = producers.refusal(record);
        if (why == null) {
            send(record, false);
        } else {
            host.refused(why, record.value());
        }
    }

    private void send(ProducerRecord<byte[], byte[]> record, boolean alone) throws Exception {
        try {
            producer.send(record, (metadata, why) -> {
                if (why == null) {
                    return;
                }
                if (producers.isOfRecord(why)) {
                    host.refused(Producers.words(record, why), record.value());
                } else if (!alone && why.getClass() == KafkaException.class) {
                    again.add(record);
                } else if (failure == null) {
                    failure = why;
                }
            });
        } catch (KafkaException e) {
            throw failed(e);
        }
    }

    /** One by one, so that none of them comes back because of another. */
    private void sendAgain() throws Exception {
        for (ProducerRecord<byte[], byte[]> record = again.poll(); record != null; record = again.poll()) {
            sent();
            send(record, true);
            sent();
        }
    }

    private void sent() throws Exception {
        try {
            producer.flush();
        } catch (KafkaException e) {
            throw failed(e);
        }
        check();
    }

    @Override
    public void flush() throws Exception {
        sent();
        sendAgain();
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
