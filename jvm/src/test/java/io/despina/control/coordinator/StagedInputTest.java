package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.control.protocol.Conversation;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.MessageTypes;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.StagedPart;
import io.despina.control.staging.StageClient;
import io.despina.control.staging.StagePlace;
import io.despina.control.visit.JobAddress;
import io.despina.json.Json;
import io.despina.operator.Rows;
import io.despina.operator.sink.file.ShownFiles;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.wire.Wire;
import io.despina.wire.WireOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program commits epochs to a running job, which counts each once, and ends when it is told that nothing follows. */
class StagedInputTest {
    private static final Schema SCHEMA = Schema.of(new Column("n", Type.Simple.BIGINT, true));
    private static final String GRAPH = """
            {"format": 1, "name": "given",
             "operators": {"in": {"type": "spark_source", "schema": "n BIGINT", "parallelism": 2},
                           "out": {"type": "discard_sink"}},
             "links": [{"from": "in", "to": "out"}]}
            """;
    private static final long MILLIS = 10_000;
    private static final String STANDING = "query";
    private static final int EPOCHS = 6;
    /** Of an epoch at most. */
    private static final int ROWS = 1_000;

    @TempDir
    private Path folder;
    private Coordinator coordinator = new Coordinator();
    private String graph = GRAPH;
    private String job;
    private JobAddress address;
    private Wire wire;

    /** A program's query that runs: what a driver of Spark's has. */
    private final class Run implements AutoCloseable {
        private final Conversation driver;
        private final ProgramMessage.Located found;

        Run() throws Exception {
            driver = new Conversation(wire, address.host(), address.port());
            found = (ProgramMessage.Located) ask(new ProgramMessage.Locate(job, ProgramMessage.Located.IN, ""));
        }

        Message ask(Message asked) throws Exception {
            return MessageTypes.decode(driver.ask(asked.encode(), MILLIS));
        }

        /** Stages rows of a task for an instance. */
        StagedPart stage(long epoch, int instance, long task, int rows) throws Exception {
            return stage(epoch, instance, task, LongStream.range(0, rows).toArray());
        }

        StagedPart stage(long epoch, int instance, long task, long[] rows) throws Exception {
            String[] at = found.instances().get(instance).split(":");
            try (StageClient client = new StageClient(wire, at[0], Integer.parseInt(at[1]),
                    new StagePlace(found.attempt(), "in", instance))) {
                client.stage(found.generation(), epoch, task, Rows.encode(SCHEMA,
                        LongStream.of(rows).mapToObj(n -> Rows.row(n)).toList()), rows.length);
            }
            return new StagedPart(instance, task, rows.length);
        }

        /** Stages an epoch's rows, divided at random over tasks and instances. */
        StagedPart[] stage(long epoch, long[] rows, Random random) throws Exception {
            List<StagedPart> parts = new ArrayList<>();
            int from = 0;
            while (from < rows.length) {
                int to = from + 1 + random.nextInt(rows.length - from);
                parts.add(stage(epoch, random.nextInt(2), parts.size() + 1, Arrays.copyOfRange(rows, from, to)));
                from = to;
            }
            return parts.toArray(StagedPart[]::new);
        }

        Message commit(long epoch, StagedPart... parts) throws Exception {
            return ask(new ProgramMessage.Decide(STANDING, epoch, true, false, List.of(parts)));
        }

        @Override
        public void close() {
            driver.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        start("{}");
    }

    private void start(String options) throws Exception {
        job = coordinator.run(graph, "given", options).get("job").asText();
        address = JobAddress.parse(Json.text(coordinator.address(job).json()));
        wire = Wire.open(WireOptions.local(address.known().getBytes(StandardCharsets.UTF_8),
                new SegmentPool(new Budget(64 << 20)), 1, 1), job);
    }

    @AfterEach
    void close() {
        wire.close();
        coordinator.close();
    }

    /** Ends the input, and answers how many rows came through. */
    private long total() throws Exception {
        coordinator.endFeed(job, "in", "");
        ObjectNode status = coordinator.await(job, MILLIS);
        assertEquals("done", status.get("state").asText(), status.toString());
        return status.at("/operators/out/packets_in").asLong();
    }

    @Test
    void aRepeatedEpochIsAcknowledgedAndDropped() throws Exception {
        try (Run run = new Run()) {
            assertEquals("n BIGINT", run.found.schema());
            assertFalse(((ProgramMessage.Decided) run.commit(0, run.stage(0, 0, 1, 10), run.stage(0, 1, 2, 5))).repeated());
            run.stage(1, 0, 3, 100);
        }
        try (Run again = new Run()) {
            assertTrue(((ProgramMessage.Decided) again.commit(0, again.stage(0, 1, 1, 15))).repeated());
            assertFalse(((ProgramMessage.Decided) again.commit(1, again.stage(1, 0, 2, 1))).repeated());
        }
        assertEquals(16, total());
    }

    @Test
    void anEpochThatIsAbortedIsNotSeenAndMayComeAgainInAnotherRun() throws Exception {
        try (Run run = new Run()) {
            StagedPart part = run.stage(0, 0, 1, 10);
            run.ask(new ProgramMessage.Decide(STANDING, 0, false, false, List.of()));
            assertEquals("the query has thrown epoch 0 away, and commits it",
                    ((Message.Refused) run.commit(0, part)).message());
        }
        try (Run again = new Run()) {
            assertFalse(((ProgramMessage.Decided) again.commit(0, again.stage(0, 0, 1, 3))).repeated());
            assertEquals(3, total());
        }
    }

    @Test
    void epochsThatAnotherJobHadAreRefusedUnlessTheyMayBeMissing() throws Exception {
        try (Run run = new Run()) {
            Message.Refused why = (Message.Refused) run.commit(4, run.stage(4, 0, 1, 1));
            assertEquals("the query goes on with epoch 4, and job given-1 has had none of its epochs: rows that went to another"
                    + " run of the job would be missing here", why.message());
            StagedPart part = new StagedPart(0, 1, 1);
            run.ask(new ProgramMessage.Decide(STANDING, 4, true, true, List.of(part)));
            assertEquals(1, total());
            Message.Refused late = (Message.Refused) run.commit(5);
            assertEquals("operator `in` of job given-1 takes no rows any more: its input was ended", late.message());
        }
    }

    /** An epoch of the job is asked for, so that nobody waits for the next hour. */
    @Test
    void aJobWithAStateKnowsWhatItHasHadWhenItIsRunAgain() throws Exception {
        String options = Json.text(Json.object().put("state", folder.toString()).put("epoch_ms", 3_600_000));
        restart(options);
        try (Run run = new Run()) {
            assertFalse(((ProgramMessage.Decided) run.commit(0, run.stage(0, 0, 1, 10), run.stage(0, 1, 2, 5))).repeated());
            assertFalse(((ProgramMessage.Decided) run.commit(1, run.stage(1, 1, 3, 20))).repeated());
            run.stage(2, 0, 4, 100);
        }
        restart(options);
        try (Run again = new Run()) {
            assertTrue(((ProgramMessage.Decided) again.commit(1, again.stage(1, 0, 1, 20))).repeated());
            assertTrue(((Message.Refused) again.commit(3)).message().contains("has had those up to 1"));
            assertFalse(((ProgramMessage.Decided) again.commit(2, again.stage(2, 0, 2, 100))).repeated());
        }
        assertEquals(135, total());
    }

    @Test
    void theInputEndsWhenAllGiversHaveSaidSoInWhicheverAttempt() throws Exception {
        String options = Json.text(Json.object().put("state", folder.toString()).put("epoch_ms", 3_600_000));
        restart(options);
        try (Run run = new Run()) {
            assertFalse(((ProgramMessage.Decided) run.commit(0, run.stage(0, 0, 1, 10))).repeated());
            assertInstanceOf(ProgramMessage.Decided.class, run.ask(ProgramMessage.Decide.end("one", 2)));
        }
        restart(options);
        try (Run again = new Run()) {
            assertInstanceOf(ProgramMessage.Decided.class, again.ask(ProgramMessage.Decide.end("one", 2)));
            assertFalse(((ProgramMessage.Decided) again.commit(1, again.stage(1, 1, 1, 5))).repeated());
            assertInstanceOf(ProgramMessage.Decided.class, again.ask(ProgramMessage.Decide.end("two", 2)));
        }
        ObjectNode status = coordinator.await(job, MILLIS);
        assertEquals("done", status.get("state").asText(), status.toString());
        assertEquals(15, status.at("/operators/out/packets_in").asLong());
    }

    /** How many rows there were, and their digest, in whatever order they came. */
    private record Digest(long rows, long sum) {
        private static final Digest NONE = new Digest(0, 0);

        Digest with(long row) {
            CRC32C crc = new CRC32C();
            crc.update(Long.toString(row).getBytes(StandardCharsets.UTF_8));
            return new Digest(rows + 1, sum + crc.getValue());
        }
    }

    /** Spark divides them anew each time, and may not have heard that the epoch counts. */
    @Test
    void aReplayedEpochHasTheRowsThatWereGiven() throws Exception {
        graph = GRAPH.replace("\"discard_sink\"", "\"file_sink\", \"format\": \"csv\", \"path\": \""
                + folder.resolve("out") + "\"");
        String options = Json.text(Json.object().put("state", folder.resolve("state").toString()).put("epoch_ms", 3_600_000));
        restart(options);
        Random random = new Random(7);
        Map<Long, Digest> given = new TreeMap<>();
        for (long epoch = 0; epoch < EPOCHS; epoch++) {
            long first = epoch * ROWS;
            long[] rows = LongStream.range(first, first + 1 + random.nextInt(ROWS)).toArray();
            LongStream.of(rows).forEach(row -> given.merge(first, Digest.NONE.with(row), (before, any) -> before.with(row)));
            boolean dies = epoch % 2 == 0;
            try (Run run = new Run()) {
                StagedPart[] parts = run.stage(epoch, rows, random);
                long of = epoch;
                CompletableFuture<Object> answer = CompletableFuture.supplyAsync(() -> Outcome.of(() -> run.commit(of, parts)));
                if (dies) {
                    restart(options);
                }
                answer.join();
            }
            if (dies) {
                try (Run again = new Run()) {
                    assertInstanceOf(ProgramMessage.Decided.class, again.commit(epoch, again.stage(epoch, rows, random)));
                }
            }
        }
        total();
        Map<Long, Digest> seen = new TreeMap<>();
        for (long row : written(folder.resolve("out"))) {
            seen.merge(row / ROWS * ROWS, Digest.NONE.with(row), (before, any) -> before.with(row));
        }
        assertEquals(given, seen);
    }

    private static List<Long> written(Path out) throws IOException {
        return ShownFiles.lines(out).stream().map(Long::valueOf).toList();
    }

    /** What came of a call whose job may have died meanwhile. */
    private interface Outcome {
        Object of() throws Exception;

        static Object of(Outcome call) {
            try {
                return call.of();
            } catch (Exception died) {
                return died;
            }
        }
    }

    /** Ends it at once, so that only what is in a complete epoch is left of the job. */
    private void restart(String options) throws Exception {
        close();
        coordinator = new Coordinator();
        start(options);
    }

    @Test
    void nothingIsCommittedBesideTheConnectionThatAsked() throws Exception {
        try (Conversation driver = new Conversation(wire, address.host(), address.port())) {
            byte[] answer = driver.ask(new ProgramMessage.Decide(STANDING, 0, true, false, List.of()).encode(), MILLIS);
            assertEquals("rows are committed over the connection that asked where they go",
                    ((Message.Refused) MessageTypes.decode(answer)).message());
        }
        assertEquals("job given-1 takes no rows for operator `out`", assertThrows(Exception.class,
                () -> coordinator.endFeed(job, "out", "")).getMessage());
        assertEquals(0, total());
    }
}
