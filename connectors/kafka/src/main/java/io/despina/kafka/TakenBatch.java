package io.despina.kafka;

import io.despina.connect.Records;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Records of one partition, as a poll has given them. The indexes are those of {@code KafkaSourceDefinition}. */
final class TakenBatch implements Records {
    private static final int TOPIC = 0;
    private static final int KEY = 1;
    private static final int PARTITION = 2;
    private static final int OFFSET = 3;
    private static final int TIME = 4;
    private static final int HEADERS = 5;
    private static final int TOMBSTONE = 6;
    /** Of the objects around a record. */
    private static final int OVERHEAD = 120;
    private static final int HEADER_OVERHEAD = 60;

    private final String partition;
    private final Passage passage;
    private final byte[] topic;
    private final int number;
    private final List<ConsumerRecord<byte[], byte[]>> records;
    /** Where the reader is behind them. */
    private final long behind;
    private final boolean last;
    private final long bytes;
    private int at = -1;
    private ConsumerRecord<byte[], byte[]> record;

    TakenBatch(ReadPartition of, List<ConsumerRecord<byte[], byte[]>> records, long behind, boolean last) {
        partition = of.name;
        passage = !records.isEmpty() || last ? Passage.READ : of.isDrained(behind) ? Passage.DRAINED : Passage.MOVED;
        topic = of.topicBytes;
        number = of.partition.partition();
        this.records = records;
        this.behind = behind;
        this.last = last;
        bytes = bytes(records);
    }

    private static long bytes(List<ConsumerRecord<byte[], byte[]>> records) {
        long bytes = 0;
        for (int k = 0; k < records.size(); k++) {      // on the thread that polls: without an iterator of headers for each
            ConsumerRecord<byte[], byte[]> each = records.get(k);
            bytes += OVERHEAD + Math.max(0, each.serializedKeySize()) + Math.max(0, each.serializedValueSize());
            for (Header header : each.headers().toArray()) {
                bytes += HEADER_OVERHEAD + header.key().length() + (header.value() == null ? 0 : header.value().length);
            }
        }
        return bytes;
    }

    @Override
    public Passage passage() {
        return passage;
    }

    @Override
    public String partition() {
        return partition;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public boolean next() {
        if (at + 1 >= records.size()) {
            at = records.size();
            return false;
        }
        at++;
        record = records.get(at);
        return true;
    }

    @Override
    public byte[] value() {
        return record.value();
    }

    @Override
    public int from() {
        return 0;
    }

    @Override
    public int to() {
        return record.value().length;
    }

    @Override
    public String where() {
        return partition + "@" + record.offset();
    }

    @Override
    public String at() {
        return Long.toString(records.isEmpty() ? behind : records.get(Math.min(Math.max(at, 0), records.size() - 1)).offset());
    }

    @Override
    public String behind() {
        return at < 0 ? at() : Long.toString(at == records.size() ? behind : record.offset() + 1);
    }

    @Override
    public boolean isLast() {
        return last;
    }

    @Override
    public long arrived() {
        return isMissing(TIME) ? Long.MIN_VALUE : number(TIME);
    }

    @Override
    public boolean isMissing(int index) {
        return index == KEY && record.key() == null || index == TIME && record.timestamp() < 0;
    }

    @Override
    public long number(int index) {
        return switch (index) {
            case PARTITION -> number;
            case OFFSET -> record.offset();
            case TIME -> TimeUnit.MILLISECONDS.toMicros(record.timestamp());
            case TOMBSTONE -> record.value() == null ? 1 : 0;
            default -> throw new IllegalArgumentException("no number has the index " + index);
        };
    }

    @Override
    public byte[] binary(int index) {
        return index == TOPIC ? topic : record.key();
    }

    @Override
    public byte[][] pairs(int index) {
        if (index != HEADERS) {
            throw new IllegalArgumentException("no pairs have the index " + index);
        }
        Header[] headers = record.headers().toArray();
        byte[][] pairs = new byte[2 * headers.length][];
        for (int k = 0; k < headers.length; k++) {
            pairs[2 * k] = headers[k].key().getBytes(StandardCharsets.UTF_8);
            pairs[2 * k + 1] = headers[k].value();
        }
        return pairs;
    }
}
