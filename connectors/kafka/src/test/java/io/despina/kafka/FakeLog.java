package io.despina.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A topic as its brokers keep it: records, those of them that are undone, and up to where transactions have ended. */
final class FakeLog {
    private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new TreeMap<>(
            (one, other) -> Integer.compare(one.partition(), other.partition()));
    /** Of the first partition. */
    long stable = Long.MAX_VALUE;
    /** Whether the open transaction ends when somebody polls for what is behind it. */
    boolean ends;
    int polls;

    FakeLog(String topic, int partitions) {
        for (int k = 0; k < partitions; k++) {
            records.put(new TopicPartition(topic, k), new ArrayList<>());
        }
    }

    void add(int partition, String key, long epoch) {
        List<ConsumerRecord<byte[], byte[]>> all = records.get(new TopicPartition(topic(), partition));
        all.add(new ConsumerRecord<>(topic(), partition, all.size(), key.getBytes(), Long.toString(epoch).getBytes()));
    }

    void remove(int partition, String key) {
        List<ConsumerRecord<byte[], byte[]>> all = records.get(new TopicPartition(topic(), partition));
        all.add(new ConsumerRecord<>(topic(), partition, all.size(), key.getBytes(), null));
    }

    private String topic() {
        return records.keySet().iterator().next().topic();
    }

    MockConsumer<byte[], byte[]> consumer(String isolation) {
        return new Reader(isolation.equals("read_committed"));
    }

    private final class Reader extends MockConsumer<byte[], byte[]> {
        private final boolean committed;
        private TopicPartition of;
        private long at;

        Reader(boolean committed) {
            super("none");
            this.committed = committed;
        }

        @Override
        public synchronized void seek(TopicPartition partition, long offset) {
            of = partition;
            at = offset;
        }

        @Override
        public synchronized long position(TopicPartition partition) {
            return at;
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            polls++;
            long end = end(of);
            if (at >= end && committed && ends) {
                stable = Long.MAX_VALUE;
            }
            List<ConsumerRecord<byte[], byte[]>> found = at >= end ? List.of() : records.get(of).subList((int) at, (int) end);
            at = Math.max(at, end);
            return new ConsumerRecords<>(Map.of(of, found), Map.of(of, new OffsetAndMetadata(at)));
        }

        private long end(TopicPartition partition) {
            long size = records.get(partition).size();
            return committed ? Math.min(stable, size) : size;
        }

        @Override
        public synchronized Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
            return Map.of(partitions.iterator().next(), 0L);
        }

        @Override
        public synchronized Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
            TopicPartition partition = partitions.iterator().next();
            return Map.of(partition, end(partition));
        }
    }
}
