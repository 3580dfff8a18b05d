package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import io.despina.connect.RefusedException;
import io.despina.control.visit.JobInputVisit;
import io.despina.json.Json;
import io.despina.operator.HintedException;
import io.despina.operator.OperatorHarness;
import io.despina.operator.program.JobPlace;
import io.despina.operator.program.JobSink;
import io.despina.operator.sink.file.ShownFiles;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rows of one job go to another, each once, whichever of the two is killed and started again. */
class TwoJobsTest {
    private static final long ROWS = 2_000;
    private static final String COUNT = ", \"count\": " + ROWS;
    private static final String DISCARDED = "{\"type\": \"discard_sink\", \"parallelism\": 2}";
    private static final long MILLIS = 60_000;
    private static final String TOKEN = "despina_0123456789";
    private static final String FROM = """
            {"format": 1, "name": "first", "operators": {
             "made": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "rate_per_s": 6000,
              "parallelism": 2%s},
             "out": %s}, "links": [{"from": "made", "to": "out"}]}""";
    private static final String TO = """
            {"format": 1, "name": "second", "operators": {
             "in": %s,
             "kept": {"type": "file_sink", "format": "csv", "path": "OUT"}}, "links": [{"from": "in", "to": "kept"}]}""";

    @TempDir
    private Path folder;
    private final List<JobAtHand> all = new ArrayList<>();
    /** Null unless jobs are found by it. */
    private HttpServer service;

    /** A job with a coordinator of its own, as the command has it. */
    private final class JobAtHand {
        private final String graph;
        private final ObjectNode options;
        private final Path file;
        private Coordinator coordinator;
        private String job;
        JobAtHand(String name, String graph, boolean keepsState) {
            this.graph = graph.replace("OUT", folder.resolve("out").toString());
            options = Json.object();
            if (keepsState) {
                options.put("state", folder.resolve(name + "-state").toString()).put("epoch_ms", 50);
            }
            file = folder.resolve(name + ".job");
            all.add(this);
        }

        JobAtHand serving(String sink) {
            options.putArray("serve").add(sink);
            return this;
        }

        JobAtHand start() throws Exception {
            coordinator = new Coordinator();
            ObjectNode begun = coordinator.run(graph, "graph", Json.text(options));
            assertTrue(begun.has("job"), begun.toString());
            job = begun.get("job").asText();
            Path writing = folder.resolve("writing");
            Files.writeString(writing, Json.text(coordinator.address(job).json()));
            Files.move(writing, file, StandardCopyOption.ATOMIC_MOVE);
            return this;
        }

        /** What is in no complete epoch is gone with it. */
        void kill() {
            coordinator.close();
        }

        void stop(String mode) throws Exception {
            coordinator.stop(job, mode);
            coordinator.await(job, MILLIS);
        }

        /** Waits until so many rows have come to an operator, in this life of the job or earlier ones. */
        void reaches(String operator, long rows) throws Exception {
            while (coordinator.status(job).path("operators").path(operator).path("packets_in").asLong() < rows
                    && !coordinator.hasEnded(job)) {
                Thread.onSpinWait();
            }
        }

        void assertDone() throws Exception {
            ObjectNode status = coordinator.await(job, MILLIS);
            assertEquals("done", status.get("state").asText(), status.toString());
        }
    }

    @AfterEach
    void close() {
        if (service != null) {
            service.stop(0);
        }
        all.forEach(each -> {
            if (each.coordinator != null) {
                each.coordinator.close();
            }
        });
    }

    private List<Long> written() throws IOException {
        return ShownFiles.lines(folder.resolve("out")).stream().map(Long::valueOf).sorted().toList();
    }

    private void assertEachOnce() throws IOException {
        assertEquals(LongStream.range(0, ROWS).boxed().toList(), written());
    }

    /** Of each of the two instances that make them, all up to one. */
    private void assertNoGap(long least) throws IOException {
        List<Long> all = written();
        for (int k = 0; k < 2; k++) {
            int of = k;
            List<Long> own = all.stream().filter(row -> row % 2 == of).toList();
            assertTrue(own.size() >= least, "only " + own.size());
            assertEquals(LongStream.range(0, own.size()).map(n -> 2 * n + of).boxed().toList(), own);
        }
    }

    private String source(String more) {
        return "{\"type\": \"job_source\", \"job\": \"" + folder.resolve("first.job") + "\", \"schema\": \"id BIGINT\","
                + " \"parallelism\": 2" + more + "}";
    }

    private String sink(String more) {
        return "{\"type\": \"job_sink\", \"job\": \"" + folder.resolve("second.job") + "\", \"parallelism\": 2" + more + "}";
    }

    private static final Schema ROW = Schema.of(new Column("id", Type.Simple.BIGINT, true));
    private static final String GIVEN = "{\"type\": \"spark_source\", \"schema\": \"id BIGINT\"}";

    private void killBoth(JobAtHand first, JobAtHand second) throws Exception {
        second.reaches("kept", 500);
        second.kill();
        second.start().reaches("kept", 1_000);
        first.kill();
        first.start();
        second.reaches("kept", 1_500);
        first.kill();
        second.kill();
        second.start();
        first.start();
        second.reaches("kept", 2_500);
        second.stop("drain");
        first.stop("now");
        assertNoGap(500);
    }

    private JobAtHand first(String sink, String count, boolean keepsState) throws Exception {
        return new JobAtHand("first", FROM.formatted(count, sink), keepsState);
    }

    private JobAtHand second(String source, boolean keepsState) throws Exception {
        return new JobAtHand("second", TO.formatted(source), keepsState);
    }

    @Test
    void theSourceGoesOnWhereItWasThoughEitherJobIsKilled() throws Exception {
        JobAtHand second = second(source(""), true).start();      // it awaits the first
        killBoth(first(DISCARDED, "", true).serving("out").start(), second);
    }

    @Test
    void theSinkGivesEachRowOnceThoughEitherJobIsKilled() throws Exception {
        killBoth(first(sink(""), "", true).start(), second(GIVEN, true).start());
    }

    @Test
    void theEndOfTheOneIsTheEndOfTheOther() throws Exception {
        JobAtHand second = second(source(", \"output\": \"out\""), true).start();
        first(DISCARDED, COUNT, true).serving("out").start().assertDone();
        second.assertDone();
        assertEachOnce();
    }

    @Test
    void theEndOfTheInputIsThatOfTheSink() throws Exception {
        JobAtHand first = first(sink(", \"input\": \"in\""), COUNT, true).start();
        second(GIVEN, true).start().assertDone();
        first.assertDone();
        assertEachOnce();
    }

    @Test
    void withoutAStateRowsComeOnceWhileBothLive() throws Exception {
        JobAtHand second = second(source(""), false).start();
        first(DISCARDED, COUNT, false).serving("out").start().assertDone();
        second.assertDone();
        assertEachOnce();
    }

    @Test
    void aSinkWithoutAStateGivesEachRowAtOnce() throws Exception {
        JobAtHand first = first(sink(""), COUNT, false).start();
        second(GIVEN, false).start().assertDone();
        first.assertDone();
        assertEachOnce();
    }

    /** What says of a job by its name where it is, as a service does, to whoever has the token. */
    private JobPlace.JobService service() throws IOException {
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/api/v1/jobs/", asked -> {
            Path file = folder.resolve(asked.getRequestURI().getPath().split("/")[4] + ".job");
            boolean known = asked.getRequestHeaders().getFirst("Authorization").equals("Bearer " + TOKEN);
            String problem = known ? Files.exists(file) ? null : "job" : "token";
            byte[] body = problem == null ? Files.readAllBytes(file) : ("{\"diagnostics\": [{\"rule\": \"" + problem
                    + "\", \"message\": \"" + problem + " unknown\"}]}").getBytes(StandardCharsets.UTF_8);
            asked.sendResponseHeaders(problem == null ? 200 : known ? 404 : 401, body.length);
            asked.getResponseBody().write(body);
            asked.close();
        });
        service.start();
        Path token = Files.writeString(folder.resolve("token"), TOKEN);
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        return new JobPlace.JobService("http://127.0.0.1:" + service.getAddress().getPort(), token.toString());
    }

    /** The operator, which names the other job and not its file. */
    private String byName(String operator) throws IOException {
        JobPlace.JobService by = service();
        return operator.replaceAll("\"job\": \"[^\"]*/(\\w+)\\.job\"", "\"job\": \"$1\", \"service\": \"" + by.url()
                + "\", \"token_file\": \"" + by.tokenFile() + "\"");
    }

    @Test
    void aSourceFindsTheJobOfAServiceByItsName() throws Exception {
        JobAtHand second = second(byName(source(", \"output\": \"out\"")), true).start();
        first(DISCARDED, COUNT, true).serving("out").start().assertDone();
        second.assertDone();
        assertEachOnce();
    }

    @Test
    void aSinkFindsTheJobOfAServiceByItsName() throws Exception {
        JobAtHand first = first(byName(sink(", \"input\": \"in\"")), COUNT, true).start();
        second(GIVEN, true).start().assertDone();
        first.assertDone();
        assertEachOnce();
    }

    @Test
    void aTokenThatTheServiceDoesNotKnowEndsTheWait() throws Exception {
        JobPlace.JobService by = service();
        Files.writeString(Path.of(by.tokenFile()), "another");
        try (OperatorHarness giver = giver(new JobPlace("second", by, "in", null, null))) {
            IOException refused = assertThrows(HintedException.class, () -> ((JobSink) giver.operator()).marker("outbox", 1));
            assertEquals("token unknown", refused.getMessage());
        }
    }

    /** One instance of a sink that gives to the second job. */
    private OperatorHarness giver() throws Exception {
        return giver(new JobPlace(folder.resolve("second.job").toString(), null, "in", null, null));
    }

    private static OperatorHarness giver(JobPlace place) throws Exception {
        return OperatorHarness.of(() -> new JobSink(new JobInputVisit(place), true)).inputs(ROW).outputs(OperatorHarness.LETTERS)
                .open();
    }

    @Test
    void anEndThatComesWhileTheOtherJobEndsIsToldToItsNextAttempt() throws Exception {
        JobAtHand second = second(GIVEN, true).start();
        try (OperatorHarness giver = giver()) {
            JobSink sink = (JobSink) giver.operator();
            sink.marker("outbox", 1);
            second.coordinator.stop(second.job, "now");
            second.coordinator.await(second.job, MILLIS);
            CompletableFuture<Void> told = CompletableFuture.runAsync(() -> {
                try {
                    sink.over();
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            while (giver.warnings.isEmpty() && !told.isDone()) {
                Thread.onSpinWait();
            }
            second.kill();
            second.start().assertDone();
            told.join();
        }
    }

    /** By a process of its own. */
    private void give(long epoch) throws Exception {
        try (OperatorHarness giver = giver()) {
            JobSink sink = (JobSink) giver.operator();
            sink.marker("outbox", epoch);
            sink.begin("outbox", epoch);
            giver.feedRow(0, epoch);
            sink.release();
        }
    }

    @Test
    void anOlderCopyOfTheFirstJobsStateIsRefused() throws Exception {
        second(GIVEN, true).start();
        give(4);
        give(5);
        give(5);        // its answer was lost
        RefusedException why = assertThrows(RefusedException.class, () -> give(4));
        assertTrue(why.getMessage().contains("the state folder is an older copy"), why::getMessage);
    }

    private String failure(String sourceFields, String sink) throws Exception {
        JobAtHand first = first(sink, COUNT, false).serving("out").start();
        JobAtHand second = second(source(sourceFields), false).start();
        String words = second.coordinator.await(second.job, MILLIS).path("error").path("message").asText();
        first.kill();
        return words.replaceAll("job first-\\d+", "job J");
    }

    @Test
    void whatDoesNotFitIsToldInWords() throws Exception {
        String one = "{\"type\": \"discard_sink\"}";
        String words = failure("", one);
        assertTrue(words.contains("the rows of `out` of job J are numbered in 1 instances, and this source has 2"), words);
        words = failure(", \"output\": \"ouch\"", DISCARDED);
        assertTrue(words.contains("serves no rows of `ouch`"), words);
    }
}
