package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Leftovers;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What outboxes of a sink have left at brokers: each its marker, and maybe a transaction that is still open and holds up readers.
 * Brokers forget the transactions' ids themselves, by default after a week.
 */
final class KafkaOutboxes {
    private final ConnectorSettings settings;
    private final Leftovers of;

    KafkaOutboxes(ConnectorSettings settings, Leftovers of) {
        long millis = Math.min(of.millis(), settings.whole("connect_ms"));
        this.settings = settings.with("connect_ms", millis).with("retry_for_ms", of.millis());
        this.of = of;
    }

    String run() throws Exception {
        String servers = settings.text("bootstrap_servers");
        Properties properties = ClientProperties.of(settings, ClientProperties.name("leftovers", 0));
        properties.setProperty("default.api.timeout.ms", Long.toString(of.millis()));
        properties.setProperty("request.timeout.ms", Long.toString(of.millis()));
        try (Admin admin = ClientProperties.made(() -> Admin.create(properties))) {
            String topic = settings.text("markers");
            if (!admin.listTopics().names().get().contains(topic)) {
                return "nothing: there is no topic " + topic + " for markers at " + servers;
            }
            if (of.removes()) {
                // ends what is open
                admin.fenceProducers(of.names().stream().map(Producers::transactions).toList()).all().get();
            }
            return found(topic) + " at " + servers;
        } catch (ExecutionException e) {
            throw KafkaWords.of(e.getCause(), "`bootstrap_servers` " + servers, of.millis() + " ms");
        }
    }

    private String found(String topic) throws Exception {
        Markers markers = new Markers(settings, ClientProperties.name("leftovers", 0));
        markers.ensure();
        List<String> words = new ArrayList<>();
        List<String> marked = new ArrayList<>();
        for (String outbox : of.names()) {
            long epoch = markers.last(outbox);
            if (epoch > 0) {
                marked.add(outbox);
                words.add(outbox + " (epoch " + epoch + ")");
            }
        }
        if (of.removes()) {
            remove(markers, marked);
        }
        return words.isEmpty() ? "no marker in topic " + topic
                : "in topic " + topic + " the marker" + (words.size() == 1 ? " of " : "s of ") + String.join(", ", words);
    }

    /** Records without a value: compaction removes what has their keys. */
    private void remove(Markers markers, List<String> outboxes) throws Exception {
        try (Producer<byte[], byte[]> producer = new Producers(settings, ClientProperties.name("leftovers", 0)).made(null)) {
            for (String outbox : outboxes) {
                ProducerRecord<byte[], byte[]> marker = markers.record(outbox, 0);
                producer.send(new ProducerRecord<>(marker.topic(), marker.partition(), marker.key(), null))
                        .get(of.millis(), TimeUnit.MILLISECONDS);
            }
        }
    }
}
