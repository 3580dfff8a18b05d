package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads partitions of topics. It is assigned them, and belongs to no group: where it reads is in the job's snapshots. A thread of
 * its own polls.
 */
final class KafkaReader implements PositionReader {
    /** Records of a poll. Their bytes are bounded by what is fetched. */
    private static final String POLLED = "2000";
    private static final long CLOSE_MS = TimeUnit.SECONDS.toMillis(3);

    private final ConnectorSettings settings;
    private final ReaderHost host;
    private PollThread polling;
    private KafkaConsumer<byte[], byte[]> consumer;

    KafkaReader(ConnectorSettings settings, ReaderHost host) {
        this.settings = settings;
        this.host = host;
    }

    @Override
    public List<Start> open(Map<String, String> known, boolean resumed) throws Exception {
        try {
            Properties properties = properties();
            consumer = ClientProperties.made(() ->
                    new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
            Starts starts = new Starts(settings, host, consumer);
            List<ReadPartition> partitions = starts.of(known, resumed);
            polling = new PollThread(settings, host, consumer, starts);
            List<Start> all = new ArrayList<>();
            for (ReadPartition each : partitions) {
                polling.add(each);
                all.add(new Start(each.name, Long.toString(each.from), each.from < each.end));
            }
            return all;
        } catch (Exception e) {
            throw KafkaWords.of(e, settings.text("bootstrap_servers"), settings.whole("connect_ms"));
        }
    }

    private Properties properties() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("isolation.level", "read_committed");
        properties.putAll(ClientProperties.of(settings, ClientProperties.name(host.operator(), host.instance())));
        String bytes = Long.toString(settings.whole("buffer_bytes"));
        properties.setProperty("fetch.max.bytes", bytes);
        properties.setProperty("max.partition.fetch.bytes", bytes);
        properties.setProperty("max.poll.records", POLLED);
        properties.setProperty("metadata.max.age.ms", Long.toString(settings.whole("refresh_ms")));
        properties.setProperty("auto.offset.reset", "none");
        properties.setProperty("enable.auto.commit", "false");
        properties.setProperty("allow.auto.create.topics", "false");
        if (settings.has("group")) {
            properties.setProperty("group.id", settings.text("group"));
        }
        return properties;
    }

    @Override
    public void start() {
        polling.start();
    }

    @Override
    public void stop() {
        polling.end(false);
    }

    @Override
    public void acknowledge(Map<String, String> positions) {
        if (settings.has("group")) {
            polling.commit(positions);
        }
    }

    /** The thread closes the consumer; only what is still to be told to the group is waited for. */
    @Override
    public void close() {
        if (polling != null && polling.isAlive()) {
            polling.end(true);
            if (settings.has("group")) {
                join();
            }
        } else if (consumer != null) {
            PollThread.close(consumer);
        }
    }

    private void join() {
        try {
            polling.join(CLOSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
