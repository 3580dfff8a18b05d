package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Utils;

/**
 * The last epoch of each outbox that its topics have, in a compacted topic: the outbox's name is the key, the epoch's number the
 * value. A marker is written in the transaction of its epoch.
 */
final class Markers {
    /** What is read of the topic first: the marker of a job that ran lately is among the last records. */
    private static final long TAIL = 20_000;
    private static final Duration POLL = Duration.ofMillis(500);

    private final ConnectorSettings settings;
    private final String client;
    private final String topic;
    private final long millis;
    private int partitions;

    Markers(ConnectorSettings settings, String client) {
        this.settings = settings;
        this.client = client;
        topic = settings.text("markers");
        millis = settings.whole("connect_ms");
    }

    /** Looks whether the topic is there, and makes it if not. Blocks. */
    void ensure() throws Exception {
        if (partitions > 0) {
            return;
        }
        Properties properties = ClientProperties.of(settings, client + ".admin");
        properties.setProperty("default.api.timeout.ms", Long.toString(millis));
        properties.setProperty("request.timeout.ms", Long.toString(millis));
        try (Admin admin = ClientProperties.made(() -> Admin.create(properties))) {
            partitions = count(admin);
            if (partitions == 0) {
                create(admin);
                partitions = 1;
            }
            refuseOther(admin);
        } catch (ExecutionException e) {
            throw KafkaWords.of(e.getCause(), settings.text("bootstrap_servers"), millis);
        }
    }

    private int count(Admin admin) throws ExecutionException, InterruptedException {
        try {
            return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions().size();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return 0;
            }
            throw e;
        }
    }

    private void create(Admin admin) throws ExecutionException, InterruptedException {
        NewTopic made = new NewTopic(topic, Optional.of(1), Optional.empty()).configs(Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT,
                TopicConfig.SEGMENT_MS_CONFIG, Long.toString(TimeUnit.HOURS.toMillis(1)),
                TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.1"));
        try {
            admin.createTopics(List.of(made)).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {      // another instance may have been first
                throw e;
            }
        }
    }

    private void refuseOther(Admin admin) throws ExecutionException, InterruptedException, IOException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Config config;
        try {
            config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return;         // a broker that has not heard of it yet: it was made as it must be
            }
            throw e;
        }
        String policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG).value();
        if (!policy.equals(TopicConfig.CLEANUP_POLICY_COMPACT)) {
            throw new IOException("the topic `" + topic + "` of `markers` has cleanup.policy=" + policy + ", by which markers get "
                    + "lost: it must be compact");
        }
    }

    ProducerRecord<byte[], byte[]> record(String outbox, long epoch) {
        byte[] key = outbox.getBytes(StandardCharsets.UTF_8);
        return new ProducerRecord<>(topic, partition(key), key, Long.toString(epoch).getBytes(StandardCharsets.UTF_8));
    }

    private int partition(byte[] key) {
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    /** The last epoch of that outbox whose transaction was committed; 0 if there is none. Blocks. */
    long last(String outbox) throws Exception {
        byte[] key = outbox.getBytes(StandardCharsets.UTF_8);
        TopicPartition partition = new TopicPartition(topic, partition(key));
        Properties properties = ClientProperties.of(settings, client + ".markers");
        properties.setProperty("isolation.level", "read_committed");
        properties.setProperty("auto.offset.reset", "earliest");
        properties.setProperty("enable.auto.commit", "false");
        properties.setProperty("default.api.timeout.ms", Long.toString(millis));
        KafkaConsumer<byte[], byte[]> consumer = ClientProperties.made(() ->
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
        try {
            consumer.assign(List.of(partition));
            long first = consumer.beginningOffsets(List.of(partition)).get(partition);
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            long tail = Math.max(first, end - TAIL);
            long last = last(consumer, key, tail, end);
            return last > 0 ? last : last(consumer, key, first, tail);
        } catch (RuntimeException e) {
            throw KafkaWords.of(e, settings.text("bootstrap_servers"), millis);
        } finally {
            consumer.close(CloseOptions.timeout(POLL));
        }
    }

    /** @param end of the records that count; what is behind it is of transactions that have not ended */
    private long last(KafkaConsumer<byte[], byte[]> consumer, byte[] key, long from, long end) throws IOException {
        TopicPartition partition = consumer.assignment().iterator().next();
        consumer.seek(partition, from);
        long last = 0;
        long since = System.nanoTime();
        while (consumer.position(partition) < end) {
            long before = consumer.position(partition);
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(partition)) {
                if (Arrays.equals(record.key(), key) && record.value() != null) {
                    last = Math.max(last, Long.parseLong(new String(record.value(), StandardCharsets.UTF_8)));
                }
            }
            if (consumer.position(partition) > before) {
                since = System.nanoTime();
            } else if (System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(millis)) {
                throw new IOException("the topic `" + topic + "` of `markers` cannot be read: no broker has answered for connect_ms="
                        + millis);
            }
        }
        return last;
    }
}
