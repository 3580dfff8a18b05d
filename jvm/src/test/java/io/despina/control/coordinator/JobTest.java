package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.members.Member;
import io.despina.control.protocol.Measurement;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.link.Attempt;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.Moment;
import io.despina.metrics.OperatorSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A job over its attempts, as its members' messages direct them. What waits for a time is run by hand. */
class JobTest {
    private static final Refusal WHY = new Refusal("operator", "it broke", null);
    private static final Refusal GONE = new Refusal("resource_lost", "resource `b` was lost: closed", null);

    private final HandTimer timer = new HandTimer();
    private final Environment environment = new Environment(() -> TimeUnit.MILLISECONDS.toNanos(timer.millis()), timer::millis,
            timer, Runnable::run, null);
    private final FakeMember a = new FakeMember("a");
    private final FakeMember b = new FakeMember("b");
    private final List<Refusal> refusals = new ArrayList<>();

    @AfterEach
    void end() {
        timer.shutdownNow();
    }

    @Test
    void aJobThatIsNotRestartedEndsWithItsFirstAttempt() throws Exception {
        Job job = running("{}", null);
        fail(job, WHY);
        assertTrue(job.ended().isDone());
        assertEquals(JobState.FAILED, job.status().state());
        assertEquals(0, new Report(job).status().path("restarts").asInt());
    }

    @Test
    void aLossIsFollowedByTheNextAttemptAtOnce() throws Exception {
        Job job = running();
        lose(job);
        assertFalse(job.ended().isDone());
        JsonNode status = new Report(job).status();
        assertEquals("restarting", status.path("state").asText());
        assertTrue(status.path("error").isMissingNode(), status.toString());
        assertEquals(0, timer.nextDelay());
        runNext();
        assertEquals(2, job.attempt().attempt().number());
        assertEquals(JobState.RESTARTING, job.status().state());
        ready(job);
        assertEquals(JobState.RUNNING, job.status().state());
        assertEquals(1, new Report(job).status().path("restarts").asInt());
        assertEquals(2, new Report(job).status().path("attempt").asInt());
    }

    @Test
    void theNextLossWaits() throws Exception {
        Job job = running();
        lose(job);
        runNext();
        ready(job);
        lose(job);
        assertEquals(1_000, timer.nextDelay());
        runNext();
        assertEquals(3, job.attempt().attempt().number());
        ready(job);
        assertEquals(2, new Report(job).status().path("restarts").asInt());
    }

    @Test
    void aLossWhileItRestartsIsALoss() throws Exception {
        Job job = running();
        lose(job);
        runNext();
        lose(job);
        assertEquals(1_000, timer.nextDelay());
        runNext();
        ready(job);
        assertEquals(JobState.RUNNING, job.status().state());
        assertEquals(3, job.attempt().attempt().number());
    }

    @Test
    void itDoesNotWaitForTheReasonAndHasItLater() throws Exception {
        Job job = running();
        job.lost(b, GONE);
        job.attempt().received(a, new Message.Finished(job.attempt().attempt(), List.of()));
        runNext();
        Refusal better = new Refusal("resource_lost", "resource `b` was lost: process 7 ended with signal 9", null);
        job.explained(b, GONE, better);
        assertEquals(better.getMessage(), new Report(job).status().at("/last_restart/why/message").asText());
        ready(job);
        assertEquals(better.getMessage(), new Report(job).report().at("/last_restart/why/message").asText());
    }

    @Test
    void whatDoesNotEndIsLeftBehindAfterASecond() throws Exception {
        Job job = running();
        job.lost(b, GONE);
        assertEquals(JobState.RESTARTING, job.status().state());
        assertEquals(1_000, timer.nextDelay());
        runNext();      // the deadline of the attempt's end
        assertEquals(0, timer.nextDelay());
        runNext();
        assertEquals(2, job.attempt().attempt().number());
        assertTrue(a.told.contains(new Message.Forget(Attempt.first("one"))), a.told.toString());
    }

    @Test
    void whatAnEarlierAttemptSaysIsForgotten() throws Exception {
        Job job = running();
        lose(job);
        runNext();
        a.told.clear();
        job.attempt().received(a, new Message.Finished(Attempt.first("one"), List.of()));
        assertEquals(List.of(new Message.Forget(Attempt.first("one"))), a.told);
    }

    @Test
    void aRecordThatFailsItsOperatorThreeTimesEndsTheJob() throws Exception {
        Job job = running();
        for (int k = 0; k < 2; k++) {
            fail(job, WHY);
            runNext();
            ready(job);
        }
        fail(job, WHY);
        assertTrue(job.ended().isDone());
        assertEquals(JobState.FAILED, job.status().state());
        assertEquals("it broke (the same 3 times in a row)", job.status().error().getMessage());
        assertEquals(0, timer.waiting());
    }

    @Test
    void theSameRecordThreeTimesEndsTheJobThatBadRecordsEnd() throws Exception {
        Job job = running();
        for (int k = 0; k < 2; k++) {
            fail(job, WHY.about("relay").on("0a"));
            runNext();
            ready(job);
        }
        assertEquals(List.of(), job.poison());
        fail(job, WHY.about("relay").on("0a"));
        assertEquals(JobState.FAILED, job.status().state());
        assertEquals("it broke (the same record 3 times in a row)", job.status().error().getMessage());
    }

    @Test
    void aRefusalEndsTheJob() throws Exception {
        Job job = running();
        Refusal no = new Refusal("deploy", "resource `b` refuses the graph", null);
        fail(job, no);
        assertTrue(job.ended().isDone());
        assertEquals(no.getMessage(), job.status().error().getMessage());
    }

    @Test
    void aResourceThatDoesNotComeIsAwaitedAgain() throws Exception {
        Job job = running();
        refusals.add(new Refusal("resource_start", "resource `b` did not start", null));
        lose(job);
        runNext();
        assertFalse(job.ended().isDone());
        assertEquals("resource `b` did not start", new Report(job).status().at("/last_restart/why/message").asText());
        assertEquals(1_000, timer.nextDelay());
        runNext();
        ready(job);
        assertEquals(2, job.attempt().attempt().number());
        assertEquals(GONE.getMessage(), new Report(job).status().at("/last_restart/why/message").asText());
    }

    @Test
    void aRefusalOfTheNextAttemptEndsTheJobWithIt() throws Exception {
        Job job = running();
        Refusal no = new Refusal("state", "the coordinator is closed", null);
        refusals.add(no);
        lose(job);
        runNext();
        assertTrue(job.ended().isDone());
        assertEquals(JobState.FAILED, job.status().state());
        assertSame(no, job.status().error());
    }

    @Test
    void aJobWhoseLastEpochWasCommittedBeforeTheLossIsDone() throws Exception {
        Job job = running();
        refusals.add(new Refusal(Job.ALREADY_ENDED, "the job has ended", null));
        lose(job);
        runNext();
        assertTrue(job.ended().isDone());
        assertEquals(JobState.DONE, job.status().state());
        assertEquals(null, job.status().error());
    }

    @Test
    void aStopWhileItWaitsEndsIt() throws Exception {
        Job job = running();
        lose(job);
        job.stop("drain");
        assertTrue(job.ended().isDone());
        assertEquals(JobState.STOPPED, job.status().state());
        assertEquals(0, timer.waiting());
    }

    @Test
    void aStopWhileTheOldAttemptEndsIsNotFollowedByAnother() throws Exception {
        Job job = running();
        job.lost(b, GONE);
        job.stop("drain");
        job.attempt().received(a, new Message.Finished(job.attempt().attempt(), List.of()));
        assertTrue(job.ended().isDone());
        assertEquals(JobState.STOPPED, job.status().state());
    }

    @Test
    void aStopWhileTheNextAttemptBeginsStopsThat() throws Exception {
        Job job = running();
        lose(job);
        beforeBegin = () -> job.stop("now");
        runNext();
        beforeBegin = () -> { };
        finish(job);
        assertTrue(job.ended().isDone());
        assertEquals(JobState.STOPPED, job.status().state());
    }

    @Test
    void aStopOfTheNextAttemptIsAStop() throws Exception {
        Job job = running();
        lose(job);
        runNext();
        ready(job);
        job.stop("now");
        finish(job);
        assertTrue(job.ended().isDone());
        assertEquals(JobState.STOPPED, job.status().state());
    }

    @Test
    void whoAsksWhereItRunsHearsOfTheAttemptThatDoes() throws Exception {
        Job job = job("{}", RestartPolicy.USUAL);
        CompletableFuture<JobAttempt> first = job.running();
        assertFalse(first.isDone());
        ready(job);
        assertSame(job.attempt(), first.join());
        lose(job);
        CompletableFuture<JobAttempt> second = job.running();
        assertFalse(second.isDone());
        runNext();
        assertFalse(second.isDone());
        ready(job);
        assertSame(job.attempt(), second.join());
    }

    @Test
    void whoAsksWhereItRunsHearsOfItsEnd() throws Exception {
        Job job = running();
        lose(job);
        CompletableFuture<JobAttempt> asked = job.running();
        job.stop("now");
        assertEquals("resource_lost", assertThrows(Refusal.class, () -> asked.join().members()).rule());
    }

    @Test
    void rowsThatNobodyHasTakenOutliveTheirAttempt() throws Exception {
        Job job = job(JobGraphs.collect("{}", 10, "id"), "{}", RestartPolicy.USUAL);
        ready(job);
        job.attempt().received(a, new Message.Rows(job.attempt().attempt(), "rows", new byte[8], null));
        job.attempt().received(a, new Message.Lines(job.attempt().attempt(), "rows", List.of("a line")));
        lose(job);
        runNext();
        assertEquals(8, job.exchange().waitingBytes());
        assertEquals(List.of("a line"), job.exchange().takeLines().stream().flatMap(each -> each.lines().stream()).toList());
    }

    @Test
    void itsTimeGoesOnOverAttempts() throws Exception {
        Job job = running("{\"duration_s\": 60, \"warm_up_s\": 1}", RestartPolicy.USUAL);
        assertEquals(2, timer.waiting());
        timer.later(20_000);
        lose(job);
        runNext();
        ready(job);
        assertEquals(1, timer.waiting());
        assertEquals(40_000, timer.nextDelay());
    }

    @Test
    void theTimeThatItHasTakenGoesOnOverAttempts() throws Exception {
        Job job = running();
        timer.later(20_000);
        lose(job);
        timer.later(5_000);
        runNext();
        ready(job);
        assertEquals(25.0, new Report(job).status().path("elapsed_s").asDouble());
    }

    @Test
    void countersAreThoseOfTheAttemptBeforeUntilAllResourcesHaveRestoredTheirs() throws Exception {
        Job job = running();
        tell(job, a, counters(7));
        lose(job);
        assertEquals(7, packets(job));
        runNext();
        assertEquals(7, packets(job));
        ready(job);
        tell(job, a, counters(0));
        assertEquals(7, packets(job));
        lose(job);
        runNext();
        ready(job);
        assertEquals(7, packets(job), "the attempt before had none of its own either");
        tell(job, a, restored(9));
        assertEquals(7, packets(job));
        tell(job, b, restored(2));
        assertEquals(11, packets(job));
    }

    private static void tell(Job job, FakeMember from, Measurement counters) {
        job.attempt().received(from, new Message.Counters(job.attempt().attempt(), counters));
    }

    private static int packets(Job job) {
        return new Report(job).status().at("/operators/relay/packets_in").asInt();
    }

    private static Measurement restored(long packets) {
        return new Measurement(counters(packets).job(), null, Moment.NONE, new Measurement.Times(1_000_000, Measurement.NONE));
    }

    @Test
    void thePartsOfItsTimeAreTold() throws Exception {
        Job job = running();
        timer.later(500);
        job.lost(b, GONE);
        timer.later(10);
        job.attempt().received(a, new Message.Finished(job.attempt().attempt(), List.of()));
        assertEquals("{\"at_ms\":1000500,\"since_ms\":10,\"ended_ms\":10,\"claimed_ms\":null,\"deployed_ms\":null,"
                + "\"restored_ms\":null,\"first_row_ms\":null}", times(job));
        timer.later(20);
        runNext();
        timer.later(30);
        ready(job);
        timer.later(40);
        Measurement first = new Measurement(counters(1).job(), null, Moment.NONE,
                new Measurement.Times(1_000_565, 1_000_570));
        job.attempt().received(a, new Message.Counters(job.attempt().attempt(), first));
        assertEquals("{\"at_ms\":1000500,\"since_ms\":100,\"ended_ms\":10,\"claimed_ms\":30,\"deployed_ms\":60,"
                + "\"restored_ms\":65,\"first_row_ms\":70}", times(job));
    }

    private static String times(Job job) {
        JsonNode last = new Report(job).status().path("last_restart");
        ((ObjectNode) last).remove("why");
        return last.toString();
    }

    @Test
    void aJobThatIsDoneIsNotRestarted() throws Exception {
        Job job = running();
        lose(job);
        runNext();
        ready(job);
        finish(job);
        assertTrue(job.ended().isDone());
        assertEquals(JobState.DONE, job.status().state());
    }

    @Test
    void onlySoManyEndedJobsAreKept() throws Exception {
        Jobs jobs = new Jobs();
        Job runs = named("runs", JobGraphs.relay(10));
        jobs.add(runs, null);
        for (int k = 0; k <= Jobs.MOST_ENDED; k++) {
            Job job = named("ended-" + k, JobGraphs.relay(10));
            jobs.add(job, null);
            job.stop("now");
        }
        assertEquals(runs, jobs.get("runs"));
        assertNotNull(jobs.get("ended-1"));
        assertEquals("job", assertThrows(Refusal.class, () -> jobs.get("ended-0")).rule());
    }

    @Test
    void rowsThatNobodyTakesPushOlderJobsOut() throws Exception {
        Jobs jobs = new Jobs();
        byte[] rows = new byte[(int) (Jobs.MOST_BYTES / 2 + 1)];
        for (String id : List.of("old", "new")) {
            Job job = named(id, JobGraphs.collect("{}", 10, "id"));
            jobs.add(job, null);
            job.attempt().received(a, new Message.Rows(Attempt.first(id), "rows", rows, null));
            job.stop("now");
        }
        assertEquals(rows.length, jobs.get("new").exchange().waitingBytes());
        assertThrows(Refusal.class, () -> jobs.get("old"));
    }

    @Test
    void aJobThatIsStartedAgainTakesThePlaceOfTheOneBeforeItOnceAndOutlivesIt() throws Exception {
        Jobs jobs = new Jobs();
        Job first = named("again", JobGraphs.relay(10));
        jobs.add(first, null);
        first.stop("now");
        Job second = named("again", JobGraphs.relay(10));
        jobs.add(second, first);
        assertEquals(second, jobs.get("again"));
        assertEquals("state", assertThrows(Refusal.class, () -> jobs.add(second, first)).rule());
        for (int k = 0; k < Jobs.MOST_ENDED; k++) {
            Job job = named("ended-" + k, JobGraphs.relay(10));
            jobs.add(job, null);
            job.stop("now");
        }
        assertEquals(second, jobs.get("again"));
    }

    private Runnable beforeBegin = () -> { };

    private Job running() throws Refusal {
        return running("{}", RestartPolicy.USUAL);
    }

    private Job running(String options, RestartPolicy policy) throws Refusal {
        Job job = job(options, policy);
        ready(job);
        assertEquals(JobState.RUNNING, job.status().state());
        return job;
    }

    private Job job(String options, RestartPolicy policy) throws Refusal {
        return job(JobGraphs.relay(10), options, policy);
    }

    private Job job(String graph, String options, RestartPolicy policy) throws Refusal {
        Job job = new Job(course(submission(options), plan(graph), policy), environment, again -> {
            if (!refusals.isEmpty()) {
                throw refusals.remove(0);
            }
            beforeBegin.run();
            begin(again, again.attempt().attempt().next());
        });
        begin(job, Attempt.first("one"));
        return job;
    }

    private Job.Course course(Submission submission, JobPlan plan, RestartPolicy policy) {
        return new Job.Course(submission, plan, policy, new Moves(MeasuredPlacing.Placed.NOTHING), new StartTimes(timer::millis));
    }

    /** One that has no resources yet. */
    private Job named(String id, String graph) throws Refusal {
        Job job = new Job(course(submission("{}"), plan(graph), null), environment, again -> { });
        job.begin(new JobAttempt(Attempt.first(id), job.course().planned(), job.course().submission(), environment), null);
        return job;
    }

    private Submission submission(String options) throws Refusal {
        return new Submission("", "test", JobOptions.parse(options, System::currentTimeMillis), timer.millis());
    }

    private static JobPlan plan(String graph) throws Refusal {
        return JobPlan.of(graph, "test", JobOptions.parse("{}", System::currentTimeMillis)).value();
    }

    private void begin(Job job, Attempt attempt) {
        JobAttempt made = new JobAttempt(attempt, job.course().planned(), job.course().submission(), environment);
        job.begin(made, null);
        Map<Member, Message.Deploy> parts = new LinkedHashMap<>();
        Message.Deploy deploy = new Message.Deploy(attempt, "", "test", Map.of(), null, "/", List.of(),
                Map.of(), List.of(), Map.of(), "", 1 << 20, new byte[0], 0, null, null, null, null, null);
        parts.put(a, deploy);
        parts.put(b, deploy);
        made.deploy(parts);
    }

    private void ready(Job job) {
        for (FakeMember each : List.of(a, b)) {
            job.attempt().received(each, new Message.Ready(job.attempt().attempt()));
        }
    }

    private void finish(Job job) {
        for (FakeMember each : List.of(a, b)) {
            job.attempt().received(each, new Message.Finished(job.attempt().attempt(), List.of()));
        }
    }

    private void lose(Job job) {
        job.lost(b, GONE);
        job.explained(b, GONE, GONE);
        job.attempt().received(a, new Message.Finished(job.attempt().attempt(), List.of()));
    }

    private void fail(Job job, Refusal why) {
        job.attempt().received(b, new Message.Failed(job.attempt().attempt(), why.rule(), why.getMessage(), null,
                why.operator(), why.record()));
        job.attempt().fail(why);
        finish(job);
    }

    private void runNext() {
        timer.runNext();
    }

    private static Measurement counters(long packets) {
        OperatorSnapshot relay = new OperatorSnapshot(packets, packets, 0, 0, 0, 1, OperatorSnapshot.State.NONE,
                OperatorSnapshot.Words.NONE);
        return new Measurement(new JobSnapshot(Map.of("relay", relay), Map.of(), Map.of(), Map.of()), null, Moment.NONE,
                Measurement.Times.UNKNOWN);
    }
}
