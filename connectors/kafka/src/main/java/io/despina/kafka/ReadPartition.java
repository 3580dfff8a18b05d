package io.despina.kafka;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.TopicPartition;

/** A partition that a reader reads. */
final class ReadPartition {
    final TopicPartition partition;
    /** {@code orders/3}. */
    final String name;
    final byte[] topicBytes;
    /** Where it is read from at the start. */
    final long from;
    /** Where it ends, for a reader that ends. */
    final long end;
    boolean ended;

    ReadPartition(TopicPartition partition, long from, long end) {
        this.partition = partition;
        name = name(partition);
        topicBytes = partition.topic().getBytes(StandardCharsets.UTF_8);
        this.from = from;
        this.end = end;
    }

    static String name(TopicPartition partition) {
        return partition.topic() + "/" + partition.partition();
    }

    static TopicPartition of(String name) {
        int slash = name.lastIndexOf('/');
        return new TopicPartition(name.substring(0, slash), Integer.parseInt(name.substring(slash + 1)));
    }
}
