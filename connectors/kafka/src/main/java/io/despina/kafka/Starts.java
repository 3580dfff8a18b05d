package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.ReaderHost;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Which partitions an instance reads, and from where. Asks the brokers, and waits for them. */
final class Starts {
    private final ConnectorSettings settings;
    private final ReaderHost host;
    private final Consumer<byte[], byte[]> consumer;
    private final Duration patience;

    Starts(ConnectorSettings settings, ReaderHost host, Consumer<byte[], byte[]> consumer) {
        this.settings = settings;
        this.host = host;
        this.consumer = consumer;
        patience = Duration.ofMillis(settings.whole("connect_ms"));
    }

    /** Those that the brokers list now and that belong to this instance. @throws IOException if a topic is not there */
    Set<TopicPartition> own() throws IOException {
        Set<TopicPartition> own = new LinkedHashSet<>();
        for (String topic : settings.texts("topics")) {
            List<PartitionInfo> partitions = consumer.partitionsFor(topic, patience);
            if (partitions == null || partitions.isEmpty()) {
                throw new IOException("Kafka at " + settings.text("bootstrap_servers") + " has no topic `" + topic
                        + "`, which is among `topics`: it must be there when the job starts");
            }
            partitions.stream().map(each -> new TopicPartition(topic, each.partition())).filter(this::isOwn).forEach(own::add);
        }
        return own;
    }

    /** The same rule in every instance and every attempt. */
    private boolean isOwn(TopicPartition partition) {
        return Math.floorMod(partition.topic().hashCode() + partition.partition(), host.parallelism()) == host.instance();
    }

    List<ReadPartition> of(Map<String, String> known, boolean resumed) throws IOException {
        Set<TopicPartition> own = own();
        List<String> topics = settings.texts("topics");
        Map<TopicPartition, Long> positions = new HashMap<>();
        Set<String> left = new LinkedHashSet<>();
        known.forEach((name, position) -> {
            TopicPartition partition = ReadPartition.of(name);
            if (!topics.contains(partition.topic())) {
                left.add(partition.topic());
            } else if (isOwn(partition)) {
                positions.put(partition, Long.parseLong(position));
            }
        });
        if (!left.isEmpty() && host.instance() == 0) {
            host.warn("`" + host.operator() + "` has read " + String.join(", ", left) + " before, and no longer does");
        }
        own.addAll(positions.keySet());         // also one that is not listed just now
        Map<TopicPartition, Long> first = consumer.beginningOffsets(own, patience);
        Map<TopicPartition, Long> end = consumer.endOffsets(own, patience);
        Map<TopicPartition, Long> fresh = resumed ? first : fresh(own, first, end);
        List<ReadPartition> all = new ArrayList<>();
        for (TopicPartition partition : own) {
            Long position = positions.get(partition);
            long from = position == null ? fresh.get(partition)
                    : behindGap(partition, position, first.get(partition), end.get(partition));
            all.add(new ReadPartition(partition, from, end.get(partition)));
        }
        return all;
    }

    private Map<TopicPartition, Long> fresh(Set<TopicPartition> own, Map<TopicPartition, Long> first,
            Map<TopicPartition, Long> end) {
        return switch (settings.text("start")) {
            case "latest" -> end;
            case "timestamp" -> since(own, end);
            default -> first;
        };
    }

    private Map<TopicPartition, Long> since(Set<TopicPartition> own, Map<TopicPartition, Long> end) {
        Map<TopicPartition, Long> instants = new HashMap<>();
        own.forEach(each -> instants.put(each, settings.whole("start_millis")));
        Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(instants, patience);
        Map<TopicPartition, Long> since = new HashMap<>(end);
        found.forEach((partition, at) -> {
            if (at != null) {
                since.put(partition, at.offset());
            }
        });
        return since;
    }

    /**
     * Where a partition is gone on with whose records are not all there.
     *
     * @param position where it was to be
     * @throws IOException if there is a gap, and {@code on_gap} is fail
     */
    long behindGap(TopicPartition partition, long position, long first, long end) throws IOException {
        if (position >= first && position <= end) {
            return position;
        }
        String what = position < first ? "the records " + position + " to " + (first - 1) + " of " + ReadPartition.name(partition)
                + " are gone: it begins at " + first : ReadPartition.name(partition) + " ends at " + end + ", and `"
                + host.operator() + "` had read to " + position + ": the topic was made anew, or records are lost";
        if (settings.text("on_gap").equals("fail")) {
            throw new IOException(what + ". With \"on_gap\": \"skip\" the job goes on at " + first);
        }
        host.warn("`" + host.operator() + "`: " + what + "; it goes on at " + first);
        return first;
    }
}
