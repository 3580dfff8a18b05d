package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Outgoing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.record.internal.AbstractRecords;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes producers, and the records that they send. */
class Producers {
    private static final long REQUEST_MS = 30_000;
    private static final String LINGER = "linger.ms";
    private static final String LINGER_MS = "5";
    /** The client's own bound of a record, and of all that is on its way to a broker in one request. */
    private static final String MOST = "max.request.size";
    private static final String MOST_BYTES = "1048576";
    /** Kafka's own time for a transaction; brokers allow no more than the second, unless they are set otherwise. */
    private static final long TRANSACTION_MS = TimeUnit.MINUTES.toMillis(1);
    private static final long MOST_TRANSACTION_MS = TimeUnit.MINUTES.toMillis(15);

    private final ConnectorSettings settings;
    private final String client;
    /** Null if each row says where it goes. */
    private final String topic;
    private final NamedTopics topics;
    private final long mostBytes;

    Producers(ConnectorSettings settings, String client) {
        this.settings = settings;
        this.client = client;
        topic = settings.has("topic") ? settings.text("topic") : null;
        topics = new NamedTopics(settings, client);
        String most = settings.named("properties").getOrDefault(MOST, MOST_BYTES);
        mostBytes = Math.min(Long.parseLong(most.strip()), settings.whole("buffer_bytes"));
    }

    /** The id of an outbox's transactions. */
    static String transactions(String outbox) {
        return "despina-" + outbox;
    }

    /** How long a transaction may last before brokers end it: as long as it is tried. */
    static long transactionMillis(ConnectorSettings settings) {
        return Math.min(MOST_TRANSACTION_MS, Math.max(TRANSACTION_MS, settings.whole("retry_for_ms")));
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
                    ? new IOException("Kafka at " + servers + " has no topic `" + topic + "`: it must be there when the job "
                            + "starts", e)
                    : KafkaWords.of(cause, servers, millis);
        }
    }

    /** @param transactions their id; null without */
    Producer<byte[], byte[]> made(String transactions) throws Exception {
        long retry = settings.whole("retry_for_ms");
        Properties properties = new Properties();
        properties.setProperty(LINGER, LINGER_MS);
        properties.setProperty("transaction.timeout.ms", Long.toString(transactionMillis(settings)));
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

    /** Why no broker will take the record, as far as that is known before it is sent; null if one may. Blocks for a new topic. */
    String refusal(ProducerRecord<byte[], byte[]> record) throws InterruptedException {
        int bytes = AbstractRecords.estimateSizeInBytesUpperBound(RecordBatch.CURRENT_MAGIC_VALUE, CompressionType.NONE,
                record.key(), record.value(), record.headers().toArray());
        if (bytes > mostBytes) {
            return words(record, "it has " + bytes + " bytes, and `" + MOST + "` of `properties`, or `buffer_bytes`, allows "
                    + mostBytes);
        }
        if (topic != null) {
            return null;
        }
        if (!Topic.isValid(record.topic())) {
            return words(record, "that is no name of a topic");
        }
        return isMissing(record.topic()) ? words(record, "there is no such topic, and brokers make none") : null;
    }

    boolean isMissing(String named) throws InterruptedException {
        return topics.isMissing(named);
    }

    /** Whether a record is at fault, and would be each time that it is sent. */
    boolean isOfRecord(Exception why) {
        return why instanceof RecordTooLargeException || why instanceof InvalidRecordException || isOfTopic(why) && (topic == null
                || !(why instanceof TimeoutException));
    }

    /** Whether all records of its topic are. One that is not there is told when it has been waited for. */
    static boolean isOfTopic(Exception why) {
        return why instanceof InvalidTopicException || why instanceof TopicAuthorizationException
                || why instanceof UnknownTopicOrPartitionException
                || why instanceof TimeoutException && why.getCause() instanceof UnknownTopicOrPartitionException;
    }

    static String words(ProducerRecord<byte[], byte[]> record, Exception why) {
        return words(record, why.getMessage());
    }

    private static String words(ProducerRecord<byte[], byte[]> record, String why) {
        return "Kafka does not take the record for topic `" + record.topic() + "`: " + why;
    }
}
