package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.members.Member;
import io.despina.control.protocol.Measurement;
import io.despina.control.protocol.Message;
import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.LinkSnapshot;
import io.despina.metrics.Moment;
import io.despina.metrics.OperatorSnapshot;
import io.despina.metrics.ProcessUse;
import io.despina.metrics.ResourceSnapshot;
import io.despina.metrics.TaskTimes;
import io.despina.placement.Park;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is told of a running job whose operators would have more room elsewhere, and what becomes of it. */
class LivePlacingTest {
    private static final String GRAPH = """
            {"format": 1, "name": "g", "settings": {"balance": {"type": "load"}}, "operators": {
             "made": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}},
             "heavy": {"type": "relay"}, "out": {"type": "discard_sink"}},
             "links": [{"from": "made", "to": "heavy", "fuse": false}, {"from": "heavy", "to": "out", "fuse": false}]}""";
    private static final String PLACES = """
            {"format": 1, "resources": {"a": {"machine": {"cpus": 1}}, "b": {"machine": {"cpus": 1}}},
             "place": {"made": ["a"]},
             "placing": {"type": "measured", "rates": {"made": 10}, "moves": %s}}""";
    private static final Map<String, List<String>> ALL_ON_A = Map.of("made", List.of("a"), "heavy", List.of("a"), "out",
            List.of("a"));
    private static final long LOOK_MILLIS = 60_000;

    private final HandTimer timer = new HandTimer();
    private final Environment environment = new Environment(() -> TimeUnit.MILLISECONDS.toNanos(timer.millis()), timer::millis,
            timer, Runnable::run, null);
    private final FakeMember a = new FakeMember("a");
    private final FakeMember b = new FakeMember("b");
    private final Map<String, Long> busyNanos = new LinkedHashMap<>();
    private long packets;

    @AfterEach
    void end() {
        timer.shutdownNow();
    }

    private Job running(boolean moves, RestartPolicy policy) throws Exception {
        String places = PLACES.formatted(moves);
        JobOptions options = JobOptions.parse(Json.text(Json.object().put("deployment_text", places)), System::currentTimeMillis);
        JobPlan planned = JobPlan.of(GRAPH, "test", options).value();
        Moves all = new Moves(new MeasuredPlacing.Placed(ALL_ON_A, Park.load(planned.deployment(), places).value()));
        Submission submission = new Submission("", "test", options, timer.millis());
        Job job = new Job(new Job.Course(submission, planned, policy, all, new StartTimes(timer::millis)), environment,
                again -> begin(again, again.attempt().attempt().next()));
        begin(job, Attempt.first("one"));
        return job;
    }

    private void begin(Job job, Attempt attempt) {
        JobPlan planned = job.course().moves().of(job.course().planned());
        JobAttempt made = new JobAttempt(attempt, planned, job.course().submission(), environment);
        job.begin(made, null);
        Map<Member, Message.Deploy> parts = new LinkedHashMap<>();
        parts.put(a, null);
        parts.put(b, null);
        made.deploy(parts);
        made.received(a, new Message.Ready(attempt));
        made.received(b, new Message.Ready(attempt));
        LivePlacing.begin(job, made, environment);
    }

    /** A minute has passed, in which operators, all on one thread of the first resource, took such shares of it. */
    private void look(Job job, double made, double heavy, double out) {
        Map.of("made", made, "heavy", heavy, "out", out).forEach((id, share) -> busyNanos.merge(id,
                Math.round(share * TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)), Long::sum));
        packets += 100_000;
        timer.runNext();
        Map<String, OperatorSnapshot> operators = new LinkedHashMap<>();
        Map<String, List<TaskTimes.Snapshot>> tasks = new LinkedHashMap<>();
        busyNanos.forEach((id, nanos) -> {
            operators.put(id, new OperatorSnapshot(packets, packets, 0, 0, 0, 1, OperatorSnapshot.State.NONE,
                    OperatorSnapshot.Words.NONE));
            tasks.put(id, List.of(new TaskTimes.Snapshot(0, 0, nanos, 0)));
        });
        LinkSnapshot sent = new LinkSnapshot(packets, 10 * packets, 0, packets, new LinkSnapshot.Flushes(0, 0, 0), 0, 0);
        received(job, a, operators, Map.of("made->heavy", sent, "heavy->out", sent), tasks);
        received(job, b, Map.of(), Map.of(), Map.of());
    }

    private static void received(Job job, Member from, Map<String, OperatorSnapshot> operators, Map<String, LinkSnapshot> links,
            Map<String, List<TaskTimes.Snapshot>> tasks) {
        Moment moment = new Moment(Map.of(), Set.of(), tasks, Map.of(), Map.of(), List.of(), ProcessUse.UNKNOWN, Map.of());
        job.attempt().received(from, new Message.Counters(job.attempt().attempt(), new Measurement(new JobSnapshot(operators,
                links, Map.of(), Map.of()), new ResourceSnapshot(0, 0, 0, 0, 0), moment, Measurement.Times.UNKNOWN)));
    }

    private static JsonNode told(Job job) {
        return new Report(job).status().path("placing");
    }

    @Test
    void whatWouldHaveMoreRoomElsewhereIsToldWhenTwoLooksAgree() throws Exception {
        Job job = running(false, RestartPolicy.USUAL);
        look(job, 0.1, 0.6, 0.2);
        look(job, 0.1, 0.6, 0.2);
        assertTrue(told(job).isMissingNode(), "one look that has something to compare");
        look(job, 0.1, 0.6, 0.2);
        assertEquals(0.9, told(job).path("greatest").asDouble(), 0.01);
        assertEquals(0.6, told(job).path("would_be").asDouble(), 0.01);
        assertEquals("{\"heavy\":[\"b\"]}", told(job).path("place").toString());
        assertEquals(1, job.attempt().attempt().number(), "nothing moves");
        look(job, 0.1, 0.1, 0.1);
        assertTrue(told(job).isMissingNode(), "there is room");
    }

    @Test
    void aLineTellsTheSamePlacesOnce() throws Exception {
        PrintStream console = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            Job job = running(false, RestartPolicy.USUAL);
            for (double heavy : new double[] {0.6, 0.6, 0.6, 0.61, 0.62, 0.1, 0.6, 0.6}) {
                look(job, 0.1, heavy, 0.2);
            }
            assertEquals("{\"heavy\":[\"b\"]}", told(job).path("place").toString());
        } finally {
            System.setErr(console);
        }
        assertEquals(List.of("0.90", "0.90"), printed.toString(StandardCharsets.UTF_8).lines()
                .map(line -> line.replaceAll(".* network is (\\S+), and would be \\S+ with heavy on b", "$1")).toList());
    }

    @Test
    void nothingIsToldOfLittleOrWhereItIsNotWorthIt() throws Exception {
        Job job = running(true, RestartPolicy.USUAL);
        for (int k = 0; k < 3; k++) {
            look(job, 0.1, 0.2, 0.1);
            assertTrue(told(job).isMissingNode(), "little");
        }
        for (int k = 0; k < 3; k++) {
            look(job, 0.0, 0.95, 0.0);
            assertTrue(told(job).isMissingNode(), "one thread has all");
        }
        assertEquals(1, job.attempt().attempt().number());
    }

    @Test
    void itMovesThereWhereThatIsAllowed() throws Exception {
        Job job = running(true, RestartPolicy.USUAL);
        for (int k = 0; k < 3; k++) {
            look(job, 0.1, 0.6, 0.2);
        }
        Attempt first = Attempt.first("one");
        job.attempt().received(a, new Message.Finished(first, List.of()));
        job.attempt().received(b, new Message.Finished(first, List.of()));
        while (job.attempt().attempt().equals(first)) {
            timer.runNext();
        }
        assertEquals(List.of("b"), job.attempt().planned().hostsOf("heavy"));
        assertEquals(List.of("a"), job.attempt().planned().hostsOf("made"));
    }

    @Test
    void aJobThatCannotGoOnStays() throws Exception {
        Job job = running(true, null);
        for (int k = 0; k < 4; k++) {
            look(job, 0.1, 0.6, 0.2);
        }
        assertEquals("{\"heavy\":[\"b\"]}", told(job).path("place").toString());
        assertEquals(JobState.RUNNING, job.status().state());
    }
}
