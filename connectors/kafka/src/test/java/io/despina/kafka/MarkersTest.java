package io.despina.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.ConnectorCase;
import io.despina.connect.ConnectorSettings;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.Test;

final class MarkersTest {
    private static final ConnectorSettings SETTINGS = new ConnectorSettings(Map.of("markers", "m", "connect_ms", 1L,
            "bootstrap_servers", "b:1", "retry_for_ms", 1L, "buffer_bytes", 1L << 20));

    private final FakeLog log = new FakeLog("m", 2);

    private final class OfLog extends Markers {
        OfLog() {
            super(SETTINGS, "test");
        }

        @Override
        Consumer<byte[], byte[]> consumer(String isolation) {
            return log.consumer(isolation);
        }

        @Override
        int partitions() {
            return 2;
        }
    }

    @Test
    void theGreatestCommittedEpochCounts() throws Exception {
        log.add(0, "own", 4);
        log.add(0, "own", 5);
        log.add(0, "other", 9);
        assertEquals(5, new OfLog().last("own"));
        assertEquals(0, new OfLog().last("nobody"));
    }

    @Test
    void aMarkerBehindAnotherOnesOpenTransactionIsWaitedFor() throws Exception {
        log.add(0, "own", 4);
        log.stable = 1;
        log.ends = true;
        log.add(0, "other", 8);
        log.add(0, "own", 5);
        assertEquals(5, new OfLog().last("own"));
    }

    @Test
    @ConnectorCase("kafka: others")
    void anOpenTransactionOfAnotherAloneHoldsNothingUp() throws Exception {
        log.add(0, "own", 4);
        log.stable = 1;
        log.add(0, "other", 8);
        assertEquals(4, new OfLog().last("own"));
    }

    @Test
    void aMarkerThatWasRemovedIsNone() throws Exception {
        log.add(0, "own", 4);
        for (int k = 0; k < 20_000; k++) {
            log.add(0, "other", k);
        }
        log.remove(0, "own");
        assertEquals(0, new OfLog().last("own"), "whatever compaction has left of it");
        log.add(0, "own", 2);
        assertEquals(2, new OfLog().last("own"));
    }

    @Test
    void itIsFoundInEachPartition() throws Exception {
        log.add(0, "own", 4);
        log.add(1, "own", 6);
        assertEquals(6, new OfLog().last("own"));
        log.add(0, "own", 7);
        assertEquals(7, new OfLog().last("own"));
    }
}
