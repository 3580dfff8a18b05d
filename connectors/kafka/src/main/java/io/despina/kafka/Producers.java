package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Outgoing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes producers, and the records that they send. */
final class Producers {
    private static final long REQUEST_MS = 30_000;
    private static final String LINGER = "linger.ms";
    private static final String LINGER_MS = "5";
    /** Of a record beside its key and its value. */
    private static final int OVERHEAD = 70;

    private final ConnectorSettings settings;
    private final String client;
    /** Null if each row says where it goes. */
    private final String topic;

    Producers(ConnectorSettings settings, String client) {
        this.settings = settings;
        this.client = client;
        topic = settings.has("topic") ? settings.text("topic") : null;
    }

    /** Waits for a broker. @throws IOException if there is none, or not the topic */
    void refuseMissing() throws Exception {
        long millis = settings.whole("connect_ms");
        String servers = settings.text("bootstrap_servers");
        Properties properties = ClientProperties.of(settings, client + ".admin");
        properties.setProperty("default.api.timeout.ms", Long.toString(millis));
        properties.setProperty("request.timeout.ms", Long.toString(millis));
        try (Admin admin = ClientProperties.made(() -> Admin.create(properties))) {
            if (topic == null) {
                admin.describeCluster().clusterId().get();
            } else {
                admin.describeTopics(List.of(topic)).allTopicNames().get();
            }
        } catch (ExecutionException | KafkaException e) {
            Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
            throw cause instanceof UnknownTopicOrPartitionException
                    ? new IOException("Kafka at " + servers + " has no topic `" + topic + "`: it must be there when the job starts", e)
                    : KafkaWords.of(cause, servers, millis);
        }
    }

    /** @param transactions their id; null without */
    KafkaProducer<byte[], byte[]> made(String transactions) throws Exception {
        long retry = settings.whole("retry_for_ms");
        Properties properties = new Properties();
        properties.setProperty(LINGER, LINGER_MS);
        properties.putAll(ClientProperties.of(settings, client));
        properties.setProperty("acks", "all");
        properties.setProperty("enable.idempotence", "true");
        long request = Math.min(REQUEST_MS, retry);
        long delivery = Math.max(retry, request + Long.parseLong(properties.getProperty(LINGER)));
        properties.setProperty("request.timeout.ms", Long.toString(request));
        properties.setProperty("delivery.timeout.ms", Long.toString(Math.min(Integer.MAX_VALUE, delivery)));
        properties.setProperty("max.block.ms", Long.toString(retry));
        properties.setProperty("buffer.memory", Long.toString(settings.whole("buffer_bytes")));
        if (transactions != null) {
            properties.setProperty("transactional.id", transactions);
        }
        return ClientProperties.made(() ->
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer()));
    }

    ProducerRecord<byte[], byte[]> record(Outgoing row) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(row.target() == null ? topic : row.target(), row.key(),
                row.value());
        byte[][] pairs = row.pairs();
        for (int k = 0; k < pairs.length; k += 2) {
            record.headers().add(new String(pairs[k], StandardCharsets.UTF_8), pairs[k + 1]);
        }
        return record;
    }

    /** About the bytes that it has on its way. */
    static int size(ProducerRecord<byte[], byte[]> record) {
        return OVERHEAD + (record.key() == null ? 0 : record.key().length) + (record.value() == null ? 0 : record.value().length);
    }

    /** Whether a record is at fault, and would be each time that it is sent. */
    static boolean isOfRecord(Exception why) {
        return why instanceof RecordTooLargeException || why instanceof InvalidTopicException
                || why instanceof TopicAuthorizationException || why instanceof UnknownTopicOrPartitionException
                || why instanceof InvalidRecordException;
    }

    static String words(ProducerRecord<byte[], byte[]> record, Exception why) {
        return "Kafka does not take the record for topic `" + record.topic() + "`: " + why.getMessage();
    }
}
