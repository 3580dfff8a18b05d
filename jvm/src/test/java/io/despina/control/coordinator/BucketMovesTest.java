package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.protocol.ControlMessage;
import io.despina.control.protocol.Measurement;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.StatePlace;
import io.despina.link.Attempt;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.Moment;
import io.despina.metrics.ProcessUse;
import io.despina.metrics.TaskTimes;
import io.despina.runtime.task.FrozenInstance;
import io.despina.snapshot.Claim;
import io.despina.snapshot.FakeStore;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.StateFolder;
import io.despina.spec.ControlAnswer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a member is told of moves of buckets, and of epochs beside them. */
class BucketMovesTest {
    private static final Attempt ATTEMPT = Attempt.first("one");
    private static final String GRAPH = """
            {"format": 1, "name": "g",
             "settings": {"buckets": 8, "balance": {"type": "load", "every_ms": 1000}},
             "operators": {
               "made": {"type": "generator_source", "rows": {"type": "select", "select": ["id % 3 AS k"]}},
               "sums": {"type": "scan", "group_by": ["k"], "state": {"n": {"initial": "0", "next": "n + 1"}},
                        "select": ["k", "next.n AS n"], "parallelism": 2, "most_instances": 3, "accept": ["order"]},
               "one": {"type": "filter", "where": "n > 0"},
               "held": {"type": "delay", "hold_ms": 5, "parallelism": 2},
               "sink": {"type": "discard_sink", "parallelism": 2}},
             "links": [{"from": "made", "to": "sums"}, {"from": "sums", "to": "one"},
                       {"from": "one", "to": "held", "partition": {"type": "hash", "by": ["k"]}},
                       {"from": "held", "to": "sink", "partition": {"type": "hash", "by": ["k"]}}]}
            """;

    private final HandTimer timer = new HandTimer();
    private final Deque<Runnable> aside = new ArrayDeque<>();
    private final FakeMember a = new FakeMember("local");
    private final StateFolder folder = StateFolder.at(new FakeStore(), "g");
    private JobAttempt job;
    private Environment environment;
    /** Nanoseconds, and packets of each bucket. */
    private final long[] busy = new long[2];
    private long sent;

    @BeforeEach
    void run() throws Exception {
        environment = new Environment(() -> TimeUnit.MILLISECONDS.toNanos(timer.millis()), timer::millis, timer,
                aside::add, null, address -> new FakeStore());
        JobOptions options = JobOptions.parse("{}", System::currentTimeMillis);
        JobPlan planned = JobPlan.of(GRAPH, "test", options).value();
        job = new JobAttempt(ATTEMPT, planned, new Submission("", "test", options), environment);
        folder.claim(new Claim(1, "c", "here", 1, 0, 5, Map.of(), null));
        folder.start(1, new Claim.Start(0, null));
        job.keepIn(new KeptEpochs(folder, new KeptEpochs.Begin(1, 1_000, new StatePlace("fake", "g", 0, true, List.of()), null, 0,
                KeptEpochs.Changed.NOTHING, null, List.of()),
                new Manifest.Origin("0.3.0", "g", "d", "p", 8, 5, Map.of(), Map.of()), Map.of()));
        job.deploy(new LinkedHashMap<>(Collections.singletonMap(a, null)));
        job.received(a, new Message.Ready(ATTEMPT));
        told();
    }

    @AfterEach
    void end() {
        timer.shutdownNow();
    }

    private CompletableFuture<List<ControlAnswer>> move(String operator, String to) throws Refusal {
        return job.control(new Controls.Wanted("move", operator, to));
    }

    private String refused(String operator, String to) {
        return assertThrows(Refusal.class, () -> move(operator, to)).getMessage();
    }

    /** What the member was told since the last call. */
    private List<String> told() {
        List<String> words = new ArrayList<>();
        for (Message each : a.told) {
            if (each instanceof ControlMessage.Tell tell) {
                words.add(tell.number() + " " + tell.command() + " " + tell.operators() + " " + tell.argument());
            } else if (each instanceof Message.Barrier barrier) {
                words.add("barrier " + barrier.epoch());
            }
        }
        a.told.clear();
        return words;
    }

    private void answer(long number, boolean ok) {
        String said = !ok ? "no room" : number % 2 == 0 ? "" : "100 1000";
        job.received(a, new ControlMessage.Told(ATTEMPT, number, List.of(new ControlAnswer("sums", 0, ok, said))));
    }

    private void freeze(long epoch) {
        job.received(a, new Message.Frozen(ATTEMPT, epoch, null, List.of(new FrozenInstance("sums", 0, false, 0, Map.of()))));
        while (!aside.isEmpty()) {
            aside.poll().run();
        }
    }

    private String kept(long epoch) throws IOException {
        return folder.read(epoch).operators().get("sums").buckets();
    }

    private static final String AFTER = "version 1, 2 of 3 at the start: 0-3=0 4-6=1 7=2";

    @Test
    void allPrepareBeforeTheMarkPasses() throws Exception {
        CompletableFuture<List<ControlAnswer>> moved = move("sums", "{\"7\": 2, \"0\": 0}");
        assertEquals(List.of("1 move [sums] prepare 1 1,2 " + AFTER), told());
        answer(1, true);
        assertEquals(List.of("2 move [sums] pass 1"), told());
        assertFalse(moved.isDone());
        answer(2, true);
        assertEquals(List.of("it has buckets 0-3", "it has buckets 4-6", "it has buckets 7"),
                moved.get().stream().map(ControlAnswer::answer).toList());
        assertEquals(List.of("it has buckets 0-3", "it has buckets 4-6", "it has buckets 7"),
                move("sums", "{\"7\": 2}").get().stream().map(ControlAnswer::answer).toList(), "it is there");
        assertEquals(List.of(), told());
    }

    @Test
    void noEpochIsFrozenWhileTheMarkPasses() throws Exception {
        timer.pass(1_000);
        assertEquals(List.of("barrier 1"), told());
        move("sums", "{\"7\": 2}");
        answer(1, true);
        assertEquals(List.of("1 move [sums] prepare 1 1,2 " + AFTER), told(), "an epoch is being frozen");
        freeze(1);
        assertEquals(List.of("2 move [sums] pass 1"), told());
        timer.pass(5_000);
        assertEquals(List.of(), told(), "no epoch begins");
        answer(2, true);
        assertEquals(List.of("barrier 2"), told());
        freeze(2);
        assertEquals("version 0, 2 of 3 at the start: 0-3=0 4-7=1", kept(1));
        assertEquals(AFTER, kept(2));
    }

    @Test
    void isGivenUpWhereAResourceHasNoRoom() throws Exception {
        CompletableFuture<List<ControlAnswer>> moved = move("sums", "{\"7\": 2}");
        answer(1, false);
        Throwable why = assertThrows(CompletionException.class, moved::join).getCause();
        assertEquals("no bucket of `sums` has moved: no room", why.getMessage());
        told();
        timer.pass(1_000);
        assertEquals(List.of("barrier 1"), told());
        assertTrue(move("sums", "{\"7\": 2}") != null, "it may be tried again");
    }

    @Test
    void itGoesOnWhenItsUserHasStoppedWaiting() throws Exception {
        CompletableFuture<List<ControlAnswer>> moved = move("sums", "{\"7\": 2}");
        answer(1, true);
        timer.pass(10_000);
        assertTrue(moved.isCompletedExceptionally());
        assertEquals("buckets of `sums` are on their way: 7", refused("sums", "{\"1\": 2}"));
        answer(2, true);
        move("sums", "{\"1\": 2}");
    }

    /** A sink may be away for a night: an epoch that began meanwhile would say that keys are where they were. */
    @Test
    void theMarkIsAwaitedHoweverLongItTakes() throws Exception {
        move("sums", "{\"7\": 2}");
        answer(1, true);
        told();
        timer.pass(2 * ControlMessage.MOST_MILLIS);
        assertEquals("buckets of `sums` are on their way: 7", refused("sums", "{\"1\": 2}"));
        assertEquals(List.of(), told(), "no epoch begins");
        answer(2, true);
        assertEquals(List.of("barrier 1"), told());
        freeze(1);
        assertEquals(AFTER, kept(1));
    }

    @Test
    void whatHasEndedDoesNotMove() throws Exception {
        CompletableFuture<List<ControlAnswer>> moved = move("sums", "{\"7\": 2}");
        answer(1, true);
        job.received(a, new ControlMessage.Told(ATTEMPT, 2, List.of(new ControlAnswer("sums", 0, true, "its input has ended"))));
        assertEquals("buckets of `sums` have not moved: its input has ended",
                assertThrows(CompletionException.class, moved::join).getCause().getMessage());
        move("sums", "{\"7\": 2}");
    }

    @Test
    void anAttemptThatEndsMeanwhileSaysSo() throws Exception {
        CompletableFuture<List<ControlAnswer>> moved = move("sums", "{\"7\": 2}");
        answer(1, true);
        job.lost(a, new Refusal("resource", "it was lost", null));
        job.locked(() -> job.fail(new Refusal("resource", "it was lost", null)));
        timer.pass(60_000);
        assertTrue(moved.isCompletedExceptionally());
    }

    @Test
    void whatCannotMoveIsRefusedInWords() {
        assertEquals("operator `sums` has no instance 3: it has 3, from 0 on", refused("sums", "{\"7\": 3}"));
        assertEquals("there is no bucket `8`: there are 8, from 0 on", refused("sums", "{\"8\": 2}"));
        assertEquals("there is no bucket `x`: there are 8, from 0 on", refused("sums", "{\"x\": 2}"));
        assertEquals("operator `sums` has no instance \"2\": it has 3, from 0 on", refused("sums", "{\"7\": \"2\"}"));
        assertEquals("`{}` does not say which bucket moves where", refused("sums", "{}"));
        assertEquals("`{7` does not say which bucket moves where", refused("sums", "{7"));
        assertEquals("operator `held`, a delay, holds packets back: what follows them would overtake them elsewhere",
                refused("held", "{\"7\": 0}"));
        assertEquals("operator `one` has no buckets: it has one instance", refused("one", "{\"7\": 0}"));
        assertEquals("operator `sink` is a sink: what it has begun to write stays in its instance",
                refused("sink", "{\"7\": 0}"));
        assertEquals(List.of(), told());
    }

    /** A second has passed, of which the first two instances have used so many milliseconds. */
    private void look(long first, long second) {
        busy[0] += TimeUnit.MILLISECONDS.toNanos(first);
        busy[1] += TimeUnit.MILLISECONDS.toNanos(second);
        sent += 1_000;
        timer.pass(1_000);
        job.received(a, new Message.Counters(ATTEMPT, new Measurement(new JobSnapshot(Map.of(), Map.of(), Map.of(), Map.of()),
                null, new Moment(Map.of(), Set.of(), Map.of("sums", List.of(new TaskTimes.Snapshot(0, 0, busy[0], 0),
                        new TaskTimes.Snapshot(1, 1, busy[1], 0), new TaskTimes.Snapshot(2, 2, 0, 0))), Map.of(), Map.of(),
                        List.of(), ProcessUse.UNKNOWN,
                        Map.of("sums", Collections.nCopies(8, sent))), Measurement.Times.UNKNOWN)));
    }

    private List<String> moves() {
        return told().stream().filter(each -> each.contains(" move ")).toList();
    }

    @Test
    void theyMoveByThemselvesWhenTwoLooksAgree() throws Exception {
        BucketBalance.begin(job, environment);
        look(1_000, 100);
        look(1_000, 100);
        assertEquals(List.of(), moves(), "one look that has something to compare");
        look(1_000, 100);
        String after = "version 1, 2 of 3 at the start: 0=2 1=1 2-3=0 4-7=1";
        assertEquals(List.of("1 move [sums] prepare 1 0,1,2 " + after), moves());
        answer(1, true);
        freeze(1);
        answer(2, true);
        moves();
        for (int k = 0; k < 4; k++) {
            look(450, 400);
            assertEquals(List.of(), moves());
        }
    }

    /** As where windows end now here and now there. */
    @Test
    void nothingMovesWhileLooksDisagree() {
        BucketBalance.begin(job, environment);
        for (int k = 0; k < 4; k++) {
            look(1_000, 100);
            look(100, 1_000);
        }
        assertEquals(List.of(), moves());
    }

    @Test
    void statusShowsThem() throws Exception {
        CompletableFuture<List<ControlAnswer>> status = job.control(new Controls.Wanted("status", "", ""));
        job.received(a, new ControlMessage.Told(ATTEMPT, 1, List.of(new ControlAnswer("sums", 1, true, "{\"is\": \"waiting\"}"),
                new ControlAnswer("one", 0, true, "{\"is\": \"waiting\"}"))));
        assertEquals(List.of("{\"is\":\"waiting\",\"buckets\":\"4-7\"}", "{\"is\": \"waiting\"}"),
                status.get().stream().map(ControlAnswer::answer).toList());
    }
}
