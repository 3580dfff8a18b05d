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
import org.apache.kafka.clients.consumer.Consumer;
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
class Markers {
    /** What is read of the topic first: the marker of a job that ran lately is among the last records. */
    private static final long TAIL = 20_000;
    private static final Duration POLL = Duration.ofMillis(500);
    private static final long PAUSE_MS = 50;
    /** Brokers look that often whether a transaction has lasted for too long. */
    private static final long SWEEP_MS = TimeUnit.SECONDS.toMillis(20);

    /** What was found: the greatest epoch, 0 if its marker was removed, and the offset behind the last of its records. */
    private record Found(long epoch, long behind) {
    }

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
            for (long since = System.nanoTime(); partitions == 0;) {
                partitions = create(admin) ? 1 : count(admin);
                if (partitions == 0 && System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(millis)) {
                    throw new IOException("Kafka says that the topic `" + topic + "` of `markers` is there, but not which");
                } else if (partitions == 0) {
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
                }
            }
            refuseOther(admin, topic);
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

    /** As it is made. */
    NewTopic made() {
        return new NewTopic(topic, Optional.of(1), Optional.empty()).configs(Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT,
                TopicConfig.SEGMENT_MS_CONFIG, Long.toString(TimeUnit.HOURS.toMillis(1)),
                TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.1"));
    }

    /** @return false if another one was first, maybe with other partitions */
    private boolean create(Admin admin) throws ExecutionException, InterruptedException {
        try {
            admin.createTopics(List.of(made())).all().get();
            return true;
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
            return false;
        }
    }

    /** Refuses a topic whose markers get lost. */
    static void refuseOther(Admin admin, String topic) throws ExecutionException, InterruptedException, IOException {
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
            throw new IOException("the topic `" + topic + "` of `markers` has cleanup.policy=" + policy + ", by which markers "
                    + "get lost: it must be compact");
        }
    }

    ProducerRecord<byte[], byte[]> record(String outbox, long epoch) {
        byte[] key = outbox.getBytes(StandardCharsets.UTF_8);
        return new ProducerRecord<>(topic, partition(key), key, Long.toString(epoch).getBytes(StandardCharsets.UTF_8));
    }

    private int partition(byte[] key) {
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    /**
     * The last epoch of that outbox whose transaction was committed; 0 if there is none. None of its own transactions may be
     * under way. Blocks: while one of another outbox is open, brokers show nothing behind its beginning, where markers may be.
     */
    long last(String outbox) throws Exception {
        byte[] key = outbox.getBytes(StandardCharsets.UTF_8);
        long last = 0;
        for (int k = 0; k < partitions(); k++) {        // of another one, if the topic has got more of them
            last = Math.max(last, last(new TopicPartition(topic, k), key));
        }
        return last;
    }

    private long last(TopicPartition partition, byte[] key) throws Exception {
        Consumer<byte[], byte[]> consumer = consumer("read_committed");
        try {
            consumer.assign(List.of(partition));
            long first = consumer.beginningOffsets(List.of(partition)).get(partition);
            long stable = consumer.endOffsets(List.of(partition)).get(partition);
            long tail = Math.max(first, stable - TAIL);
            Found late = find(consumer, key, tail, stable, millis);
            long last = late.behind > tail ? late.epoch : find(consumer, key, first, tail, millis).epoch;
            Found open = undecided(partition, key, stable);
            if (open.epoch <= last) {
                return last;
            }
            long patience = Producers.transactionMillis(settings) + SWEEP_MS + millis;
            return Math.max(last, find(consumer, key, stable, open.behind, patience).epoch);
        } catch (RuntimeException e) {
            throw KafkaWords.of(e, settings.text("bootstrap_servers"), millis);
        } finally {
            consumer.close(CloseOptions.timeout(POLL));
        }
    }

    /** The last marker, maybe of a transaction that was undone, among those behind the beginning of an open transaction. */
    private Found undecided(TopicPartition partition, byte[] key, long stable) throws Exception {
        Consumer<byte[], byte[]> all = consumer("read_uncommitted");
        try {
            all.assign(List.of(partition));
            return find(all, key, stable, all.endOffsets(List.of(partition)).get(partition), millis);
        } finally {
            all.close(CloseOptions.timeout(POLL));
        }
    }

    int partitions() {
        return partitions;
    }

    Consumer<byte[], byte[]> consumer(String isolation) throws Exception {
        Properties properties = ClientProperties.of(settings, client + ".markers");
        properties.setProperty("isolation.level", isolation);
        properties.setProperty("auto.offset.reset", "earliest");
        properties.setProperty("enable.auto.commit", "false");
        properties.setProperty("default.api.timeout.ms", Long.toString(millis));
        return ClientProperties.made(() ->
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    /** @param patience milliseconds without anything to read */
    private Found find(Consumer<byte[], byte[]> consumer, byte[] key, long from, long end, long patience) throws IOException {
        TopicPartition partition = consumer.assignment().iterator().next();
        consumer.seek(partition, from);
        Found last = new Found(0, from);
        long since = System.nanoTime();
        while (consumer.position(partition) < end) {
            long before = consumer.position(partition);
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(partition)) {
                if (Arrays.equals(record.key(), key)) {
                    long epoch = record.value() == null ? 0 : Long.parseLong(new String(record.value(), StandardCharsets.UTF_8));
                    last = epoch == 0 || epoch >= last.epoch ? new Found(epoch, record.offset() + 1) : last;
                }
            }
            if (consumer.position(partition) > before) {
                since = System.nanoTime();
            } else if (System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(patience)) {
                throw new IOException("the topic `" + topic + "` of `markers` cannot be read up to " + end + ": for " + patience
                        + " ms it has ended at " + before + ". Either no broker answers, or another job's transaction stays "
                        + "open");
            }
        }
        return last;
    }
}
