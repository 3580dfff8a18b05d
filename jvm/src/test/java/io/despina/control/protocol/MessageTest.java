package io.despina.control.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.metrics.Behind;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.LastBadRecords.BadRecord;
import io.despina.metrics.Latency;
import io.despina.metrics.LinkSnapshot;
import io.despina.metrics.Moment;
import io.despina.metrics.OperatorSnapshot;
import io.despina.metrics.ProcessUse;
import io.despina.metrics.QueueSnapshot;
import io.despina.metrics.ResourceSnapshot;
import io.despina.metrics.TaskTimes;
import io.despina.python.Interpreter;
import io.despina.python.SentModules;
import io.despina.runtime.task.FrozenInstance;
import io.despina.snapshot.EpochFile;
import io.despina.snapshot.Manifest;
import io.despina.spec.ControlAnswer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What coordinator and resource say arrives as it was said, or is refused. */
class MessageTest {
    private static final byte[] BYTES = {0, 1, -1, 127};
    /** Where in {@link #ALL} a message with them is. */
    private static final int ROWS = 12;

    private static Measurement measurement() {
        Histogram nanos = Latency.empty();
        nanos.recordValueWithCount(1_500_000, 7);
        nanos.recordValueWithCount(86_400_000_000_000L, 1);
        return new Measurement(new JobSnapshot(Map.of("a", new OperatorSnapshot(1, 2, 3, 4, 5, 6,
                new OperatorSnapshot.State(Long.MAX_VALUE, 7, 8, Long.MIN_VALUE),
                new OperatorSnapshot.Words("f:1: bad", Map.of("seen", 9L)))),
                Map.of("a->b", new LinkSnapshot(1, 2, 3, 4, new LinkSnapshot.Flushes(5, 6, 7), 8, 9)), Map.of("b", nanos),
                Map.of("b", nanos)),
                new ResourceSnapshot(1.25, 2, 3, 4, 5), new Moment(Map.of("a->b", new QueueSnapshot(2, 6, 12, 0.5)),
                        Set.of("a->b"), Map.of("a", List.of(new TaskTimes.Snapshot(1, 0, 2, 3))), Map.of("b", nanos),
                        Map.of("a", new Behind(4, Behind.UNKNOWN)), List.of(new BadRecord("a", 1, 2, "why", "{}")),
                        new ProcessUse(0.5, 6), Map.of("a", List.of(1L, 0L))), Measurement.Times.UNKNOWN);
    }

    private static final List<Message> ALL = List.of(new Message.Hello("near", "", 1L << 40, "dev", "::1", 65_535,
                    60_000_000, 4),
            new Message.Heartbeat(0), new Message.Heartbeat(1_200),
            new Message.Deploy(Attempt.first("job"), "{\"ä\": \"\\n\"}", "f", Map.of("n", "1"),
            null, ".", List.of("in"),
                    Map.of("stdin", "p"), List.of("a.jar"), Map.of("far", "127.0.0.1:1"), "abc", 16 << 20, BYTES, 1L << 50,
                    new Spooling(List.of("alarms", "rows"), "g1", true, false, null, 1L << 40, true, true),
                    new Cast("far", Map.of("near", "far"), Map.of("relay", List.of("far"))),
                    new StatePlace("/state", "graph", 7, true, List.of(new PoisonRecord("a", "0b"))),
                            new Interpreter("/usr/bin/python3", List.of("/graphs"), Map.of("__main__:f", "3.11.7 Zg=="),
                                    new SentModules(Map.of("mine.py", "Zg=="), Map.of("mine", "sha256 0f"), "why")), "a secret"),
            new Message.Rehearse(new Message.Deploy(Attempt.first("job"), "{}", "f", Map.of(), null, ".", List.of(), Map.of(),
                    List.of(), Map.of(), "abc", 1, BYTES, 1, null, null, null, null, null)),
                    new Message.Ready(Attempt.first("job")), new Message.Start(Attempt.first("job")),
            new Message.Stop(Attempt.first("job"), "drain", 10_000),
            new Message.SetSchedule(Attempt.first("job"), "op", Json.object().put("type", "data")),
            new Message.Measure(Attempt.first("job")), new Message.Counters(Attempt.first("job"), measurement()),
            new Message.Counters(Attempt.first("job"), new Measurement(measurement().job(), null, Moment.NONE,
                    new Measurement.Times(11, 12))),
            new Message.Rows(Attempt.first("job"), "sink", BYTES, null),
            new Message.Rows(Attempt.first("job"), "sink", BYTES, new RowRange(2, 1L << 40, 7, true)),
            new Message.Had(Attempt.first("job"), "sink", 2, 1L << 40, 1L << 33, true),
            new Message.Lines(Attempt.first("job"), "sink", List.of("a", "", "b\n")),
            new Message.Taken(Attempt.first("job"), "sink", 5),
            new Message.Finished(Attempt.first("job"), List.of("out/left")), new Message.Settled(Attempt.first("job"), true, 3),
            new Message.Barrier(Attempt.first("job"), 8, 9), new ProgramMessage.Direct("job", "drain", "/s"),
            new ProgramMessage.Directed(7, 1L << 40), new Message.NotFrozen(Attempt.first("job"), 8, "no room"),
            new Message.Behind(Attempt.first("job"), 8, "operator `a`"),
            new Message.Frozen(Attempt.first("job"), 8, null, List.of()),
            new Message.Frozen(Attempt.first("job"), 9, new EpochFile.Written(
                    List.of(new Manifest.DataFile("data/1/8.a.base", 1L << 40, "ff"),
                            new Manifest.DataFile("data/1/9.a.delta", 1L << 33, "fe")),
                    Map.of("op", List.of(new Manifest.StateType("next", "OWNER", "BIGINT"))),
                    List.of(new EpochFile.WrittenInstance("op", 3,
                            List.of(new Manifest.Piece(0, 77), new Manifest.Piece(1, 5)), Map.of("next", Map.of("0", "5"))))),
                    List.of(new FrozenInstance("op", 3, true, Long.MIN_VALUE, Map.of("packets_in", 5L)))),
            new Message.Complete(Attempt.first("job"), 8, true), new Message.Committed(Attempt.first("job"), 8, false),
            new Message.Drop(Attempt.first("job"), 9), new Message.Drained(Attempt.first("job"), "in"),
            new Message.Conclude(Attempt.first("job"), true), new Message.Failed(Attempt.first("job"), "rule", "why", null,
            "reader", "0b"),
            new Message.Forget(Attempt.first("job")), new Message.Bye(null), new Message.Bye("lost"),
            new Message.Refused("rule", "why", null), new Message.Count(Attempt.first("job")),
            new Message.Supply(Attempt.first("job"), "in", 7, 2, BYTES, true),
            new Message.Supplied(Attempt.first("job"), "in", 4),
            new ProgramMessage.Locate("job", ProgramMessage.Located.IN, ""),
            new ProgramMessage.Located(Attempt.first("job"), ProgramMessage.Located.IN, "in",
            List.of("127.0.0.1:1"), "run", "n BIGINT", List.of("n")), new ProgramMessage.Decided(true, 3),
            new ProgramMessage.Decide("query", 3, true, false, List.of(new StagedPart(1, 1L << 40, 7))),
            new Message.Fate(Attempt.first("job"), "in", "run", Message.Fate.COMMIT, 3, List.of(new StagedPart(0, 2, 9))),
            new Message.SetSchedule(Attempt.first("job"), "op", null),
            new ControlMessage.Tell(Attempt.first("job"), 7, "flush", List.of("op"), ""),
            new ControlMessage.Told(Attempt.first("job"), 7, List.of(new ControlAnswer("op", 1, false, "why"))),
            new ControlMessage.Instruct(Attempt.first("job"), 8, "hold", "op", ""),
            new ControlMessage.Instructed(Attempt.first("job"), 8, List.of(), "why"),
            new ControlMessage.Control("job", "fire", "", "close"),
            new Message.Adopt(Attempt.first("job"), 1L << 40),
            new Message.Adopted(Attempt.first("job"), "abc", 7, new Message.Adopted.Numbers(3, 1L << 33), null,
                    Map.of("in", "{\"type\":\"held\"}")),
            new ControlMessage.Controlled(List.of(new ControlAnswer("op", 0, true, ""))));

    @Test
    void everyMessageArrivesAsItWas() {
        Set<Class<?>> kinds = new HashSet<>();
        for (Message message : ALL) {
            Message again = MessageTypes.decode(message.encode());
            assertEquals(message.getClass(), again.getClass());
            assertArrayEquals(message.encode(), again.encode(), message.toString());
            kinds.add(message.getClass());
        }
        assertEquals(47, kinds.size());
    }

    @Test
    void aRowMayBeLongerThanJacksonTakesStringsToBe() {
        byte[] row = new byte[16 << 20];
        byte[] encoded = new Message.Rows(Attempt.first("job"), "sink", row, null).encode();
        Message.Rows again = (Message.Rows) MessageTypes.decode(encoded);
        assertArrayEquals(row, again.packets());
        assertTrue(encoded.length < row.length + 200, "bytes are not made text");
    }

    @Test
    void refusesBytesThatAreNotThoseOfWhichItSpeaks() {
        byte[] whole = ALL.get(ROWS).encode();
        byte[] longer = Arrays.copyOf(whole, whole.length + 1);
        byte[] shorter = Arrays.copyOf(whole, whole.length - 1);
        List<byte[]> all = new ArrayList<>(List.of(longer, shorter));
        for (String length : List.of("-4", "4000000000", "4294967300", "4.5", "\"4\"", "null")) {     // one is 4 in 32 bits
            all.add(new String(whole, StandardCharsets.ISO_8859_1).replace("\"packets\":4", "\"packets\":" + length)
                    .getBytes(StandardCharsets.ISO_8859_1));
        }
        for (byte[] wrong : all) {
            String why = assertThrows(IllegalArgumentException.class, () -> MessageTypes.decode(wrong)).getMessage();
            assertTrue(why.startsWith("malformed control message: "), why);
        }
        assertArrayEquals(BYTES, ((Message.Rows) MessageTypes.decode(whole)).packets());
    }

    @Test
    void whatItHoldsIsWhatItHeld() {
        Message.Deploy deploy = (Message.Deploy) MessageTypes.decode(ALL.get(3).encode());
        assertNull(deploy.deploymentText());
        assertArrayEquals(BYTES, deploy.answers());
        assertEquals(Map.of("n", "1"), deploy.parameters());
        assertEquals(1L << 50, deploy.instantMicros());
        Measurement counted = ((Message.Counters) MessageTypes.decode(ALL.get(10).encode())).counters();
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
                new String(ALL.get(10).encode(), StandardCharsets.UTF_8).replaceFirst("\"b\":\"[^\"]*\"", "\"b\":\"AAAA\""))) {
            assertThrows(IllegalArgumentException.class, () -> MessageTypes.decode(text.getBytes(StandardCharsets.UTF_8)), text);
        }
        assertTrue(new String(ALL.get(10).encode(), StandardCharsets.UTF_8).contains("\"b\":\""));
    }
}
