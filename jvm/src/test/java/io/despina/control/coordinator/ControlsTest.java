package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.protocol.ControlMessage;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.link.Attempt;
import io.despina.spec.ControlAnswer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ControlsTest {
    private static final Attempt ATTEMPT = Attempt.first("one");
    private static final String GRAPH = """
            {"format": 1, "name": "g",
             "operators": {
               "made": {"type": "generator_source", "rows": {"type": "select",
                        "select": ["id % 3 AS k", "timestamp_micros(id) AS at"]}, "count": 10, "event_time": {"column": "at"}},
               "sums": {"type": "aggregate", "group_by": ["k"], "window": {"type": "tumbling", "size_ms": 1000},
                        "select": ["k", "count(*) AS n"]},
               "sink": {"type": "discard_sink"}},
             "links": [{"from": "made", "to": "sums"}, {"from": "sums", "to": "sink"}]}
            """;

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(0);
    private final Environment environment = new Environment(System::nanoTime, System::currentTimeMillis, timer, Runnable::run,
            null);
    private final FakeMember a = new FakeMember("a");
    private final FakeMember b = new FakeMember("b");
    private final ChangedSchedules schedules = new ChangedSchedules();
    private Controls controls;

    @BeforeEach
    void plan() throws Exception {
        JobPlan planned = JobPlan.of(GRAPH, "test", JobOptions.parse("{}", System::currentTimeMillis)).value();
        controls = new Controls(ATTEMPT, planned, environment);
    }

    @AfterEach
    void end() {
        timer.shutdownNow();
    }

    private CompletableFuture<List<ControlAnswer>> tell(String command, String operator, String argument) throws Refusal {
        return controls.tell(new Controls.Wanted(command, operator, argument), schedules, List.of(a, b));
    }

    private Refusal refused(String command, String operator, String argument) {
        return assertThrows(Refusal.class, () -> tell(command, operator, argument));
    }

    private static ControlMessage.Told told(long number, ControlAnswer... answers) {
        return new ControlMessage.Told(ATTEMPT, number, List.of(answers));
    }

    @Test
    void allMembersAnswer() throws Exception {
        CompletableFuture<List<ControlAnswer>> answers = tell("flush", "sums", "");
        assertEquals(List.of(new ControlMessage.Tell(ATTEMPT, 1, "flush", List.of("sums"), "")), a.told);
        assertEquals(a.told, b.told);
        ControlAnswer done = new ControlAnswer("sums", 0, true, "");
        controls.received(a, told(1));
        controls.received(a, told(1, done));
        assertFalse(answers.isDone(), "the same member twice");
        controls.received(b, told(1, done));
        assertEquals(List.of(done), answers.get());
    }

    @Test
    void windowsFireWhenWhatIsGatheredBeforeThemHasLeft() throws Exception {
        CompletableFuture<List<ControlAnswer>> answers = tell("fire", "", "close");
        assertEquals(List.of(new ControlMessage.Tell(ATTEMPT, 1, "flush", List.of("sums"), "")), a.told);
        controls.received(a, told(1, new ControlAnswer("sums", 0, true, "")));
        controls.received(b, told(1));
        assertEquals(new ControlMessage.Tell(ATTEMPT, 2, "fire", List.of("sums"), "close"), a.told.get(1));
        controls.received(a, told(2));
        controls.received(b, told(2, new ControlAnswer("sums", 0, false, "why")));
        assertEquals(List.of(new ControlAnswer("sums", 0, false, "why")), answers.get());
    }

    @Test
    void whatNobodyKnowsIsRefusedBeforeAnythingIsDone() {
        assertEquals("did you mean `fire`?", refused("fir", "sums", "").hint());
        assertEquals("no operator `sum` in g", refused("fire", "sum", "").getMessage());
        assertEquals("did you mean `sums`?", refused("fire", "sum", "").hint());
        Refusal unknown = refused("fire", "made", "");
        assertEquals("operator `made`, a generator_source, does not know `fire`", unknown.getMessage());
        assertEquals("it knows flush, go, hold, move, set_schedule, status, sync", unknown.hint());
        assertEquals("no operator of g knows `reload`", refused("reload", "", "").getMessage());
        assertEquals("`set_schedule` is for one operator", refused("set_schedule", "", "{\"type\": \"data\"}").getMessage());
        assertEquals("schedule", refused("set_schedule", "made", "{\"type\": \"held\"}").rule());
        assertTrue(a.told.isEmpty());
        assertEquals(Map.of(), schedules.now());
    }

    @Test
    void aTailIsOfAnInputPort() throws Exception {
        tell("tail", "sums", "in");
        tell("tail", "sink", "");
        assertEquals(List.of(new ControlMessage.Tell(ATTEMPT, 1, "tail", List.of("sums"), "0"),
                new ControlMessage.Tell(ATTEMPT, 2, "tail", List.of("sink"), "0")), a.told);
        assertEquals("operator `sums` has no input port `out`", refused("tail", "sums", "out").getMessage());
        assertEquals("it has in", refused("tail", "sums", "out").hint());
        assertEquals("`tail` is for one operator", refused("tail", "", "").getMessage());
        assertEquals("operator `made`, a generator_source, does not know `tail`", refused("tail", "made", "").getMessage());
    }

    @Test
    void aPeriodThatNoClockCountsIsRefused() throws Exception {
        for (String every : List.of("0", "9223372036855", "18446744073710", "1e30")) {
            Refusal no = refused("set_schedule", "made", "{\"type\": \"periodic\", \"every_ms\": " + every + "}");
            assertEquals("schedule", no.rule());
            assertTrue(no.getMessage().endsWith(" is not a number from 1 to 9223372036854"), no.getMessage());
        }
        assertEquals("`every_ms` is missing", refused("set_schedule", "made", "{\"type\": \"periodic\"}").getMessage());
        tell("set_schedule", "made", "{\"type\": \"periodic\", \"every_ms\": 9223372036854}");
        assertEquals(1, a.told.size());
    }

    @Test
    void anOperatorThatTellsOthersIsAnsweredWhateverHappens() {
        controls.by(wanted -> {
            throw new IllegalStateException("a fault");
        });
        controls.received(a, new ControlMessage.Instruct(ATTEMPT, 7, "flush", "", ""));
        assertEquals(List.of(new ControlMessage.Instructed(ATTEMPT, 7, List.of(), "IllegalStateException: a fault; this is a "
                + "fault of Despina: please report it with the graph")), a.told);
    }

    @Test
    void aSourceOfSparkIsNotHeld() throws Exception {
        String graph = """
                {"format": 1, "name": "g",
                 "operators": {"given": {"type": "spark_source", "schema": "n BIGINT"}, "sink": {"type": "discard_sink"}},
                 "links": [{"from": "given", "to": "sink"}]}
                """;
        controls = new Controls(ATTEMPT, JobPlan.of(graph, "test", JobOptions.parse("{}", System::currentTimeMillis)).value(),
                environment);
        assertEquals("it knows flush, move, set_schedule, status, sync", refused("hold", "given", "").hint());
        assertEquals("no operator of g knows `hold`", refused("hold", "", "").getMessage());
    }

    @Test
    void aSourceThatIsHeldGoesOnAsItWas() throws Exception {
        tell("set_schedule", "made", "{\"type\": \"periodic\", \"every_ms\": 5}");
        tell("hold", "", "");
        tell("hold", "made", "");
        assertEquals(List.of(new ControlAnswer("made", 0, true, "")), tell("go", "made", "").get());
        tell("go", "made", "");
        List<String> types = a.told.stream().map(set -> ((Message.SetSchedule) set).schedule().path("type").asText()).toList();
        assertEquals(List.of("periodic", "held", "held", "periodic", "periodic"), types);
    }

    @Test
    void theScheduleOfTheGraphNeedsNoWords() throws Exception {
        tell("hold", "made", "");
        assertEquals(Map.of("made", "{\"type\":\"held\"}"), schedules.now());
        tell("go", "made", "");
        assertEquals(Map.of(), schedules.now());
        assertEquals(new Message.SetSchedule(ATTEMPT, "made", null), a.told.get(1));
    }

    @Test
    void aScheduleForASourceThatIsHeldWaits() throws Exception {
        tell("hold", "made", "");
        tell("set_schedule", "made", "{\"type\": \"periodic\", \"every_ms\": 5}");
        assertEquals("held", ((Message.SetSchedule) a.told.get(1)).schedule().path("type").asText());
        tell("go", "made", "");
        assertEquals("periodic", ((Message.SetSchedule) a.told.get(2)).schedule().path("type").asText());
    }

    @Test
    void whoDoesNotAnswerIsNotWaitedForForEver() throws Exception {
        CompletableFuture<List<ControlAnswer>> late = tell("flush", "", "");
        timer.getQueue().peek().run();
        assertEquals("control", assertThrows(Refusal.class, () -> Controls.await(late)).rule());
        controls.received(a, told(1));

        CompletableFuture<List<ControlAnswer>> cut = tell("flush", "", "");
        controls.end();
        assertEquals("state", assertThrows(Refusal.class, () -> Controls.await(cut)).rule());
        assertEquals("state", assertThrows(Refusal.class, () -> Controls.await(tell("flush", "", ""))).rule());
    }

    @Test
    void marksThatHaveNotPassedAreFew() throws Exception {
        CompletableFuture<List<ControlAnswer>> first = tell("sync", "", "");
        assertEquals(List.of(new ControlMessage.Tell(ATTEMPT, 1, "sync", List.of("made", "sums", "sink"), "")), a.told);
        timer.getQueue().peek().run();
        assertEquals("control", assertThrows(Refusal.class, () -> Controls.await(first)).rule());
        for (int k = 2; k <= 8; k++) {
            tell("sync", "sums", "");
        }
        assertEquals("8 marks of `sync` have not passed yet", refused("sync", "", "").getMessage());
        controls.received(a, told(1));
        controls.received(b, told(1));
        assertEquals(new ControlMessage.Tell(ATTEMPT, 9, "sync", List.of("sums"), ""), last(tell("sync", "sums", "")));
    }

    private Message last(CompletableFuture<?> told) {
        assertFalse(told.isDone());
        return a.told.get(a.told.size() - 1);
    }

    private static final String FUNCTIONS = """
            {"format": 1, "name": "g",
             "operators": {"made": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "count": 10},
               "one": {"type": "python", "function": "mine:f", "adds": "v BIGINT"},
               "two": {"type": "python", "function": "mine:g", "adds": "w BIGINT"},
               "cell": {"type": "python", "function": "__main__:h", "adds": "x BIGINT"},
               "sink": {"type": "discard_sink"}},
             "links": [{"from": "made", "to": "one"}, {"from": "one", "to": "two"}, {"from": "two", "to": "cell"},
               {"from": "cell", "to": "sink"}]}
            """;

    private static ControlMessage.Tell reload(long number, String step, String... operators) {
        return new ControlMessage.Tell(ATTEMPT, number, "reload", List.of(operators), step);
    }

    @Test
    void whatOneInstanceCouldNotOpenNoneTakesOver() throws Exception {
        controls = new Controls(ATTEMPT, JobPlan.of(FUNCTIONS, "test", JobOptions.parse("{}", System::currentTimeMillis)).value(),
                environment);
        assertEquals("operator `cell`, a python, does not know `reload`", refused("reload", "cell", "").getMessage());
        CompletableFuture<List<ControlAnswer>> answers = tell("reload", "", "");
        assertEquals(List.of(reload(1, "open", "one", "two")), a.told);
        assertEquals("another `reload` is under way", refused("reload", "one", "").getMessage());
        controls.received(a, told(1, new ControlAnswer("one", 0, true, ""), new ControlAnswer("two", 0, true, "")));
        controls.received(b, told(1, new ControlAnswer("one", 1, true, ""), new ControlAnswer("two", 1, false, "why")));
        assertEquals(List.of(reload(2, "drop", "two"), reload(3, "take", "one")), a.told.subList(1, 3));
        controls.received(a, told(3, new ControlAnswer("one", 0, true, "done")));
        controls.received(b, told(3, new ControlAnswer("one", 1, true, "done")));
        assertEquals(List.of(new ControlAnswer("two", 0, false, "it is as it was, since another instance failed"),
                new ControlAnswer("two", 1, false, "why"), new ControlAnswer("one", 0, true, "done"),
                new ControlAnswer("one", 1, true, "done")), answers.get());
        tell("reload", "two", "");
        assertEquals(reload(4, "open", "two"), a.told.get(3));
    }

    @Test
    void whatIsOpenedTooLateIsDropped() throws Exception {
        controls = new Controls(ATTEMPT, JobPlan.of(FUNCTIONS, "test", JobOptions.parse("{}", System::currentTimeMillis)).value(),
                environment);
        CompletableFuture<List<ControlAnswer>> answers = tell("reload", "one", "");
        timer.getQueue().peek().run();
        Refusal late = assertThrows(Refusal.class, () -> Controls.await(answers));
        assertTrue(late.getMessage().startsWith("not all have answered within 70 seconds"), late.getMessage());
        assertEquals(reload(2, "drop", "one"), a.told.get(1));
    }
}
