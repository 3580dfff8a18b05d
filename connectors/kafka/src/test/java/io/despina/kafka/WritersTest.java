package io.despina.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.ConnectorCase;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.Marker;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.RecordWriter.RepeatException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

final class WritersTest {
    private static final String BOX = "box";
    static final ConnectorSettings SETTINGS = new ConnectorSettings(Map.of("markers", "m", "connect_ms", 1L,
            "bootstrap_servers", "b:1", "retry_for_ms", 60_000L, "buffer_bytes", 1L << 20, "properties",
            Map.of("max.request.size", "5000")));

    private final FakeHost host = new FakeHost();
    private final FakeBroker broker = new FakeBroker();
    private final EpochWriter writer = new EpochWriter(SETTINGS, host, broker.producers(SETTINGS),
            broker.markers(SETTINGS));

    private record Row(String target, byte[] value) implements Outgoing {
        @Override
        public long number() {
            return 0;
        }

        @Override
        public byte[] key() {
            return null;
        }

        @Override
        public byte[][] pairs() {
            return new byte[0][];
        }
    }

    private static Row row(String text) {
        int colon = text.indexOf(':');
        return new Row(colon < 0 ? "t" : text.substring(0, colon), text.substring(colon + 1).getBytes(StandardCharsets.UTF_8));
    }

    /** As the outbox does it. @return how often it was tried */
    private int leave(long epoch, String... rows) throws Exception {
        for (int tries = 0;; tries++) {
            if (writer.marker(BOX, epoch) == Marker.THERE) {
                return tries;
            }
            try {
                writer.begin(BOX, epoch);
                for (String each : rows) {
                    writer.write(row(each));
                }
                writer.flush();
                return tries + 1;
            } catch (RepeatException again) {
                assertTrue(tries < 20, "it is tried for ever");
            }
        }
    }

    @Test
    void goodRecordsThatComeBackWithABadOneAreWritten() throws Exception {
        broker.bad.put("x", new RecordTooLargeException("too large"));
        leave(1, "a", "x", "b", "c", "d", "e");
        assertEquals(List.of("a", "b", "c", "d", "e", "m1"), broker.there);
        assertEquals(List.of("x: Kafka does not take the record for topic `t`: too large"), host.refused);
    }

    @Test
    void aBadRecordSaysNothingOfThoseAsLarge() throws Exception {
        broker.bad.put("xxxx", new RecordTooLargeException("too large"));
        leave(1, "xxxx", "other:yyyyyyyy");
        leave(2, "zzzzzzzz");
        assertEquals(List.of("yyyyyyyy", "m1", "zzzzzzzz", "m2"), broker.there);
    }

    @Test
    void manyBadRecordsAreFoundInOneTryAndToldOnce() throws Exception {
        for (String each : List.of("x1", "x2", "x3", "x4", "x5")) {
            broker.bad.put(each, new RecordTooLargeException("too large"));
        }
        assertEquals(2, leave(1, "x1", "x2", "a", "x3", "x4", "x5", "b"));
        assertEquals(List.of("a", "b", "m1"), broker.there);
        assertEquals(5, host.refused.size());
    }

    @Test
    void oneThatIsKnownToBeRefusedUndoesNothing() throws Exception {
        assertEquals(1, leave(1, "a", "no topic:b", "missing:c", "x".repeat(6000)));
        assertEquals(List.of("a", "m1"), broker.there);
        assertEquals(3, host.refused.size());
        assertEquals(1, broker.begun);
    }

    @Test
    void aTopicThatIsRefusedIsAskedOnce() throws Exception {
        for (String each : List.of("a", "b", "c")) {
            broker.bad.put(each, new TopicAuthorizationException("no right"));
        }
        assertEquals(2, leave(1, "closed:a", "d", "closed:b", "closed:c"));
        assertEquals(List.of("d", "m1"), broker.there);
        assertEquals(3, host.refused.size());
    }

    @Test
    void aTopicThatIsWaitedForInVainIsABadOne() throws Exception {
        broker.bad.put("a", new TimeoutException("not in metadata", new UnknownTopicOrPartitionException("none")));
        leave(1, "gone:a", "b");
        assertEquals(List.of("b", "m1"), broker.there);
    }

    @Test
    void whatIsLeftOutIsToldWhenACommitWasInDoubtAndIsThere() throws Exception {
        broker.bad.put("x", new RecordTooLargeException("too large"));
        broker.onCommit = new TimeoutException("no answer");
        broker.commitsAnyway = true;
        leave(1, "a", "x");
        assertEquals(List.of("a", "m1"), broker.there);
        assertEquals(1, host.refused.size());
    }

    @Test
    void whereABadRecordFailsTheJobItsEpochIsNotCommitted() {
        host.fails = true;
        broker.bad.put("x", new RecordTooLargeException("too large"));
        IOException told = assertThrows(IOException.class, () -> leave(1, "a", "x", "b"));
        assertEquals("Kafka does not take the record for topic `t`: too large", told.getMessage());
        assertEquals(List.of(), broker.there);
    }

    @Test
    void aMarkerThatMayNotBeWrittenFailsTheJob() {
        broker.bad.put("m1", new TopicAuthorizationException("no right to m"));
        IOException told = assertThrows(IOException.class, () -> leave(1, "a", "b"));
        assertTrue(told.getMessage().contains("no right to m"), told.getMessage());
        assertEquals(1, broker.begun);
        assertEquals(List.of(), host.refused);
    }

    @Test
    @ConnectorCase("kafka: copies")
    void anOlderStateFolderIsToldWithBothNumbers() throws Exception {
        leave(5, "a");
        IOException told = assertThrows(IOException.class, () -> leave(4, "b"));
        assertTrue(told.getMessage().contains("epoch 4") && told.getMessage().contains("epoch 5"), told.getMessage());
        assertEquals(Marker.THERE, writer.marker(BOX, 5));
        assertEquals(Marker.ABSENT, writer.marker(BOX, 6));
    }

    @Test
    void aTransactionThatABrokerHasEndedIsTriedOnceMore() throws Exception {
        broker.onCommit = new ProducerFencedException("it took too long");
        assertEquals(2, leave(1, "a"));
        assertEquals(List.of("a", "m1"), broker.there);
        assertEquals(2, broker.producers);
    }

    @Test
    void oneWhoHasLostItsTransactionsTwiceGivesUp() throws Exception {
        broker.bad.put("a", new ProducerFencedException("another"));
        IOException told = assertThrows(IOException.class, () -> leave(1, "a"));
        assertTrue(told.getMessage().startsWith("another attempt of the job"), told.getMessage());
        assertEquals(2, broker.producers);
    }

    @Test
    void recordsOfABadBatchAreSentAgain() throws Exception {
        broker.bad.put("x", new InvalidRecordException("no key"));
        broker.beside = new KafkaException("part of a batch with invalid records");
        RecordWriter plain = new PlainWriter(SETTINGS, host, broker.producers(SETTINGS));
        plain.open(false);
        for (String each : List.of("a", "x", "b")) {
            plain.write(row(each));
        }
        plain.flush();
        assertEquals(List.of("a", "b"), broker.there);
        assertEquals(1, host.refused.size());
        leave(1, "c", "x", "d");
        assertEquals(List.of("a", "b", "c", "d", "m1"), broker.there);
        assertEquals(1, broker.producers - 1);
    }
}
