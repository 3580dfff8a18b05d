package io.despina.control.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.link.Attempt;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.Latency;
import io.despina.metrics.LinkSnapshot;
import io.despina.metrics.OperatorSnapshot;
import io.despina.metrics.ResourceSnapshot;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What coordinator and resource say arrives as it was said, or is refused. */
class MessageTest {
    private static final byte[] BYTES = {0, 1, -1, 127};

    private static Measurement measurement() {
        Histogram nanos = Latency.empty();
        nanos.recordValueWithCount(1_500_000, 7);
        nanos.recordValueWithCount(86_400_000_000_000L, 1);
        return new Measurement(new JobSnapshot(Map.of("a", new OperatorSnapshot(1, 2, 3, 4, 5, 6, Long.MAX_VALUE, "f:1: bad")),
                Map.of("a->b", new LinkSnapshot(1, 2, 3, 4, new LinkSnapshot.Flushes(5, 6, 7), 8, 9)), Map.of("b", nanos),
                Map.of("b", nanos)),
                new ResourceSnapshot(1.25, 2, 3, 4, 5), Map.of("a->b", 6L), Set.of("a->b"), Measurement.NONE);
    }

    private static final List<Message> ALL = List.of(new Message.Hello("near", "", 1L << 40, "dev", "::1", 65_535,
                    60_000_000, 4),
            new Message.Heartbeat(), new Message.Deploy(Attempt.first("job"), "{\"ä\": \"\\n\"}", "f", Map.of("n", "1"),
            null, ".", List.of("in"),
                    Map.of("stdin", "p"), List.of("a.jar"), Map.of("far", "127.0.0.1:1"), "abc", 16 << 20, BYTES, 1L << 50,
                    new Spooling(List.of("alarms", "rows"), "g1", true, false, null, 1L << 40, true)),
                    new Message.Ready(Attempt.first("job")), new Message.Start(Attempt.first("job")),
            new Message.Stop(Attempt.first("job"), "drain", 10_000),
            new Message.SetSchedule(Attempt.first("job"), "op", Json.object().put("type", "data")),
            new Message.Measure(Attempt.first("job")), new Message.Counters(Attempt.first("job"), measurement()),
            new Message.Counters(Attempt.first("job"), new Measurement(measurement().job(), null, Map.of(), Set.of(), 12)),
            new Message.Rows(Attempt.first("job"), "sink", BYTES),
            new Message.Lines(Attempt.first("job"), "sink", List.of("a", "", "b\n")),
            new Message.Taken(Attempt.first("job"), "sink", 5),
            new Message.Finished(Attempt.first("job"), List.of("out/left")), new Message.Settled(Attempt.first("job"), true, 3),
            new Message.Commit(Attempt.first("job")), new Message.Committed(Attempt.first("job")),
            new Message.Conclude(Attempt.first("job"), true), new Message.Failed(Attempt.first("job"), "rule", "why", null,
            "reader"),
            new Message.Forget(Attempt.first("job")), new Message.Bye(null), new Message.Bye("lost"),
            new Message.Refused("rule", "why", null), new Message.Count(Attempt.first("job")),
            new Message.Supply(Attempt.first("job"), "in", BYTES, true), new Message.Supplied(Attempt.first("job"), "in", 4),
            new Message.Locate("job", Message.Located.IN, ""), new Message.Located(Attempt.first("job"), Message.Located.IN, "in",
            List.of("127.0.0.1:1"), "run", "n BIGINT", List.of("n")), new Message.Decided(true),
            new Message.Decide("query", 3, true, false, List.of(new StagedPart(1, 1L << 40, 7))),
            new Message.Fate(Attempt.first("job"), "in", "run", Message.Fate.COMMIT, 3, List.of(new StagedPart(0, 2, 9))));

    @Test
    void everyMessageArrivesAsItWas() {
        Set<Class<?>> kinds = new HashSet<>();
        for (Message message : ALL) {
            Message again = Message.decode(message.encode());
            assertEquals(message.getClass(), again.getClass());
            assertArrayEquals(message.encode(), again.encode(), message.toString());
            kinds.add(message.getClass());
        }
        assertEquals(29, kinds.size());
    }

    @Test
    void aRowMayBeLongerThanJacksonTakesStringsToBe() {
        byte[] row = new byte[16 << 20];
        Message.Rows again = (Message.Rows) Message.decode(new Message.Rows(Attempt.first("job"), "sink", row).encode());
        assertEquals(row.length, again.packets().length);
    }

    @Test
    void whatItHoldsIsWhatItHeld() {
        Message.Deploy deploy = (Message.Deploy) Message.decode(ALL.get(2).encode());
        assertNull(deploy.deploymentText());
        assertArrayEquals(BYTES, deploy.answers());
        assertEquals(Map.of("n", "1"), deploy.parameters());
        assertEquals(1L << 50, deploy.instantMicros());
        Measurement counted = ((Message.Counters) Message.decode(ALL.get(8).encode())).counters();
        assertEquals(measurement(), counted);
        assertEquals(7, counted.job().latency().get("b").getCountAtValue(1_500_000));
        assertEquals(7, counted.job().packetLatency().get("b").getCountAtValue(1_500_000));
    }

    @Test
    void refusesWhatIsNoMessage() {
        for (String text : List.of("", "[]", "{", "{}", "{\"type\": \"go\"}", "{\"type\": \"start\"}",
                "{\"type\": \"start\", \"job\": 5}",
                "{\"type\": \"stop\", \"attempt\": {\"job\": \"a\", \"number\": 1}, \"mode\": \"now\", \"drainMillis\": 1.5}",
                "{\"type\": \"stop\", \"attempt\": {\"job\": \"a\", \"number\": 1}, \"mode\": \"now\", \"drainMillis\": null}",
                "{\"type\": \"rows\", \"attempt\": {\"job\": \"a\", \"number\": 1}, \"sink\": \"b\", \"packets\": \"?\"}",
                "{\"type\": \"rows\", \"attempt\": {\"job\": \"a\", \"number\": 1}, \"sink\": \"b\", \"packets\": 5}",
                "{\"type\": \"lines\", \"attempt\": {\"job\": \"a\", \"number\": 1}, \"sink\": \"b\", \"lines\": {}}",
                "{\"type\": \"counters\", \"attempt\": {\"job\": \"a\", \"number\": 1}, \"counters\": []}",
                new String(ALL.get(8).encode(), StandardCharsets.UTF_8).replaceFirst("\"b\":\"[^\"]*\"", "\"b\":\"AAAA\""))) {
            assertThrows(IllegalArgumentException.class, () -> Message.decode(text.getBytes(StandardCharsets.UTF_8)), text);
        }
        assertTrue(new String(ALL.get(8).encode(), StandardCharsets.UTF_8).contains("\"b\":\""));
    }
}
