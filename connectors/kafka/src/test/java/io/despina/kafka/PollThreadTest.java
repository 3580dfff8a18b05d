package io.despina.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.connect.ConnectorSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.Test;

final class PollThreadTest {
    private static final TopicPartition A = new TopicPartition("a", 0);
    private static final TopicPartition NEW = new TopicPartition("a", 1);

    private final FakeHost host = new FakeHost();
    private final FakeConsumer consumer = new FakeConsumer();
    private final Map<String, Object> settings = new HashMap<>(Map.of("topics", List.of("a"), "stop_at", "never", "on_gap",
            "skip", "refresh_ms", 3_600_000L, "connect_ms", 1000L, "bootstrap_servers", "b:1"));

    /** Polls give what the test says; what the consumer would have to wait for is cut short by a wakeup. */
    private static final class FakeConsumer extends MockConsumer<byte[], byte[]> {
        final Queue<Object> polls = new ArrayDeque<>();
        final Queue<RuntimeException> offsetFailures = new ArrayDeque<>();
        OptionalLong lag = OptionalLong.empty();
        final List<String> seeks = new ArrayList<>();
        final List<PartitionInfo> listed = new ArrayList<>(List.of(new PartitionInfo("a", 0, null, null, null)));

        FakeConsumer() {
            super("none");
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            Object next = polls.remove();
            if (next instanceof Error error) {
                throw error;
            } else if (next instanceof RuntimeException exception) {
                throw exception;
            }
            return (Given) next;
        }

        @Override
        public synchronized long position(TopicPartition partition) {
            throw new WakeupException();
        }

        @Override
        public synchronized void seek(TopicPartition partition, long offset) {
            seeks.add(partition + "@" + offset);
        }

        @Override
        public List<PartitionInfo> partitionsFor(String topic, Duration timeout) {
            return listed;
        }

        @Override
        public synchronized Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> of) {
            if (!offsetFailures.isEmpty()) {
                throw offsetFailures.remove();
            }
            Map<TopicPartition, Long> offsets = new HashMap<>();
            of.forEach(each -> offsets.put(each, 7L));
            return offsets;
        }

        @Override
        public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> of, Duration timeout) {
            return beginningOffsets(of);
        }

        @Override
        public synchronized Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> of) {
            Map<TopicPartition, Long> offsets = new HashMap<>();
            of.forEach(each -> offsets.put(each, 20L));
            return offsets;
        }

        @Override
        public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> of, Duration timeout) {
            return endOffsets(of);
        }

        @Override
        public synchronized OptionalLong currentLag(TopicPartition partition) {
            return lag;
        }
    }

    private static final class Given extends ConsumerRecords<byte[], byte[]> {
        Given(Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records, Map<TopicPartition, OffsetAndMetadata> next) {
            super(records, next);
        }
    }

    private static Given given(long next, long... offsets) {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new LinkedHashMap<>();
        for (long offset : offsets) {
            records.computeIfAbsent(A, key -> new ArrayList<>()).add(new ConsumerRecord<>("a", 0, offset, null, new byte[1]));
        }
        return new Given(records, Map.of(A, new OffsetAndMetadata(next)));
    }

    private PollThread polling(long from, long end) throws Exception {
        ConnectorSettings read = new ConnectorSettings(settings);
        PollThread polling = new PollThread(read, host, consumer, new Starts(read, host, consumer));
        polling.add(new ReadPartition(A, from, end));
        return polling;
    }

    private void steps(PollThread polling, Object... polls) throws Exception {
        polling.begin();
        for (Object each : polls) {
            consumer.polls.add(each);
            polling.step();
        }
    }

    @Test
    void whatAPollHasGivenIsPutAlthoughThePositionCannotBeAsked() throws Exception {
        steps(polling(0, 2), given(2, 0, 1));
        assertEquals(List.of("a/0: 0 1 -> 2"), host.batches());
    }

    @Test
    void whatWaitsAtTheBrokersIsToldAsSoonAsItIsKnown() throws Exception {
        PollThread polling = polling(0, 20);
        steps(polling, given(2, 0, 1));
        assertEquals(List.of(), host.behind);
        consumer.lag = OptionalLong.of(18);
        consumer.polls.add(given(3, 2));
        polling.step();
        assertEquals(List.of(18L), host.behind);
    }

    @Test
    void aReaderThatEndsIsNotBehindItsEnd() throws Exception {
        settings.put("stop_at", "end");
        steps(polling(0, 3), given(5, 0, 1, 2, 3, 4));
        assertEquals(List.of("a/0: 0 1 2 -> 3", "a/0: -> 3 end"), host.batches());
    }

    @Test
    void aPositionMovesOverWhatNobodyCommitted() throws Exception {
        steps(polling(0, 2), given(2, 0, 1), given(9), given(9));
        assertEquals(List.of("a/0: 0 1 -> 2", "a/0 moved: -> 9"), host.batches());
    }

    @Test
    void aPartitionWithoutARecordUpToItsEndIsDrained() throws Exception {
        steps(polling(0, 5), given(4), given(6));
        assertEquals(List.of("a/0 moved: -> 4", "a/0 drained: -> 6"), host.batches());
    }

    @Test
    void aReaderThatEndsPassesWhatNobodyCommitted() throws Exception {
        settings.put("stop_at", "end");
        steps(polling(0, 3), given(3));
        assertEquals(List.of("a/0 drained: -> 3", "a/0: -> 3 end"), host.batches());
    }

    @Test
    void aGapIsSkippedAlthoughAWakeupOrAnAbsentBrokerCutsItShort() throws Exception {
        Object gap = new OffsetOutOfRangeException(Map.of(A, 1L));
        consumer.offsetFailures.addAll(List.of(new WakeupException(), new TimeoutException("away")));
        steps(polling(1, 20), gap, gap, gap, given(8, 7));
        assertEquals(List.of("a-0@1", "a-0@7"), consumer.seeks);
        assertEquals(List.of("a/0 moved: -> 7", "a/0: 7 -> 8"), host.batches());
        assertEquals(1, host.warnings.size());
    }

    @Test
    void newPartitionsAreFoundAlthoughTheFirstQuestionWasCutShort() throws Exception {
        settings.put("refresh_ms", 1L);
        consumer.listed.add(new PartitionInfo("a", 1, null, null, null));
        consumer.offsetFailures.addAll(List.of(new WakeupException(), new TimeoutException("away")));
        PollThread polling = polling(0, 20);
        steps(polling, given(1, 0));
        while (!consumer.assignment().contains(NEW)) {
            consumer.polls.add(given(1));
            polling.step();
        }
        assertTrue(consumer.seeks.containsAll(List.of("a-0@1", "a-1@7")), consumer.seeks.toString());
    }

    @Test
    void anErrorToo() throws Exception {
        consumer.polls.add(new NoClassDefFoundError("io/lz4"));
        PollThread polling = polling(0, 2);
        polling.start();
        polling.join();
        assertInstanceOf(NoClassDefFoundError.class, host.failure.getCause());
        assertTrue(consumer.closed());
    }

    @Test
    void anEndIsNoFailure() throws Exception {
        PollThread polling = polling(0, 2);
        polling.end(true);
        polling.start();
        polling.join();
        assertNull(host.failure);
    }
}
