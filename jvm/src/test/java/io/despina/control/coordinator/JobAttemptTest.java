package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.members.Member;
import io.despina.control.protocol.Measurement;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.Moment;
import io.despina.metrics.OperatorSnapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A job as its members' messages direct it; the timer never comes to run anything. */
class JobAttemptTest {
    private static final Refusal WHY = new Refusal("operator", "it broke", null);
    private static final Refusal GONE = new Refusal("resource_lost", "resource `b` was lost: killed", null);

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(0);
    private final Environment environment = new Environment(System::nanoTime, System::currentTimeMillis, timer, Runnable::run,
            null);
    private final FakeMember a = new FakeMember("a");
    private final FakeMember b = new FakeMember("b");

    @AfterEach
    void end() {
        timer.shutdownNow();
    }

    @Test
    void stoppingAFailedJobLeavesItFailed() throws Exception {
        JobAttempt job = running("one");
        job.fail(WHY);
        job.stop("drain");
        finish(job);
        assertEquals(JobState.FAILED, job.status().state());
        assertEquals(WHY, job.status().error());
    }

    @Test
    void aResourceThatIsLostBeforeItIsToldOfTheJobFailsIt() throws Exception {
        JobAttempt job = job("one", JobGraphs.relay(10));
        b.lost = GONE;
        job.lost(b, GONE);
        job.deploy(parts());
        assertEquals(JobState.FAILED, job.status().state());
        assertEquals(GONE, job.status().error());
        assertTrue(a.told.isEmpty(), a.told.toString());
    }

    @Test
    void aResourceThatIsLostWhileItDeploysFailsTheJobAsSoonAsTheOthersHaveEnded() throws Exception {
        JobAttempt job = job("one", JobGraphs.relay(10));
        job.deploy(parts());
        job.received(a, new Message.Ready(Attempt.first("one")));
        job.lost(b, GONE);
        assertTrue(a.was(Message.Stop.class));
        job.received(a, new Message.Finished(Attempt.first("one"), List.of()));
        job.explained(b, GONE, GONE);
        assertEquals(JobState.FAILED, job.status().state());
        assertTrue(a.was(Message.Forget.class));
    }

    @Test
    void aLossEndsTheOthersAtOnceAndTheJobHasTheReasonThatFollows() throws Exception {
        JobAttempt job = running("one");
        job.lost(b, GONE);
        assertTrue(a.told.contains(new Message.Stop(Attempt.first("one"), Message.Stop.ABORT, 0)));
        job.received(a, new Message.Finished(Attempt.first("one"), List.of()));
        assertEquals(JobState.DRAINING, job.status().state());
        Refusal better = new Refusal("resource_lost", "resource `b` was lost: process 7 ended with exit code 3", null);
        job.explained(b, GONE, better);
        assertEquals(JobState.FAILED, job.status().state());
        assertEquals(better, job.status().error());
    }

    @Test
    void aJobThatDoesNotWaitForTheReasonHasItAllTheSame() throws Exception {
        JobAttempt job = running("one");
        job.lost(b, GONE);
        timer.getQueue().peek().run();
        assertEquals(GONE, job.status().error());
        Refusal better = new Refusal("resource_lost", "resource `b` was lost: process 7 ended with signal 9", null);
        job.explained(b, GONE, better);
        assertEquals(better, job.status().error());
    }

    @Test
    void whatAnEarlierAttemptSaysIsRefused() throws Exception {
        Attempt zombie = Attempt.first("one");
        JobOptions options = JobOptions.parse("{}", System::currentTimeMillis);
        JobPlan planned = JobPlan.of(JobGraphs.relay(10), "test", options).value();
        JobAttempt job = new JobAttempt(zombie.next(), planned, new Submission("", "test", options), environment);
        job.deploy(parts());
        a.told.clear();
        job.received(a, new Message.Ready(zombie));
        job.received(b, new Message.Ready(zombie.next()));
        job.received(a, new Message.Failed(zombie, "operator", "a fault of long ago", null, "relay", null));
        job.received(a, new Message.Finished(zombie, List.of()));
        assertEquals(JobState.DEPLOYING, job.status().state());
        assertEquals(List.of(new Message.Forget(zombie), new Message.Forget(zombie), new Message.Forget(zombie)), a.told);
        job.received(a, new Message.Ready(zombie.next()));
        assertEquals(JobState.RUNNING, job.status().state());
    }

    @Test
    void aFusedOperatorHasNoScheduleOfItsOwn() throws Exception {
        JobAttempt job = job("one", JobGraphs.collect("{}", 10, "id"));
        job.deploy(parts());
        job.received(a, new Message.Ready(Attempt.first("one")));
        job.received(b, new Message.Ready(Attempt.first("one")));
        Refusal refused = assertThrows(Refusal.class, () -> schedule(job, "made"));
        assertEquals("schedule", refused.rule());
        assertTrue(refused.hint().contains("\"fuse\": false"), refused.hint());
        schedule(job, "source");
        assertTrue(a.was(Message.SetSchedule.class));
    }

    @Test
    void aJobThatEndsTakesNoCommands() throws Exception {
        JobAttempt job = running("one");
        job.stop("drain");
        Refusal refused = assertThrows(Refusal.class, () -> job.control(new Controls.Wanted("status", "", "")));
        assertEquals("state", refused.rule());
        assertEquals("job one is draining, not running", refused.getMessage());
        assertNull(refused.hint());
    }

    @Test
    void aJobThatStartsIsToldSomethingLater() throws Exception {
        JobAttempt job = job("one", JobGraphs.relay(10));
        job.deploy(parts());
        Refusal refused = assertThrows(Refusal.class, () -> job.control(new Controls.Wanted("status", "", "")));
        assertEquals("job one is deploying, not running; ask again when it runs", refused.getMessage() + "; " + refused.hint());
    }

    private static void schedule(JobAttempt job, String operator) throws Refusal {
        job.control(new Controls.Wanted("set_schedule", operator, "{\"type\": \"data\"}"));
    }

    @Test
    void rowsGoToTheResourceThatHostsTheirSourceOnceAllRun() throws Exception {
        String deployment = "{\"format\": 1, \"resources\": {\"a\": {\"host\": \"127.0.0.1\"}, \"b\": {\"host\": \"127.0.0.1\"}},"
                + " \"place\": {\"source\": [\"b\"], \"*\": [\"a\"]}}";
        JobOptions options = JobOptions.parse(Json.object().put("deployment_text", deployment)
                .set("inputs", Json.object().arrayNode().add("source")).toString(), System::currentTimeMillis);
        JobAttempt job = new JobAttempt(Attempt.first("one"),
                JobPlan.of(JobGraphs.collect("{}", 10, "id"), "test", options).value(),
                new Submission("", "test", options), environment);
        Feed feed = job.exchange().feed("source");
        job.deploy(parts());
        job.received(a, new Message.Ready(Attempt.first("one")));
        feed.end();
        assertFalse(b.was(Message.Supply.class));
        job.received(b, new Message.Ready(Attempt.first("one")));
        assertTrue(b.was(Message.Supply.class));
        assertFalse(a.was(Message.Supply.class));
        job.stop("drain");
        assertFalse(feed.feed(new byte[0], 60_000).open());
        assertEquals(null, job.exchange().feed("made"));
    }

    @Test
    void aFailedJobEndsWhenNothingOfItIsLeft() throws Exception {
        JobAttempt job = running("one");
        job.received(a, new Message.Failed(Attempt.first("one"), WHY.rule(), WHY.getMessage(), null, null, null));
        assertTrue(b.was(Message.Stop.class));
        job.received(b, new Message.Finished(Attempt.first("one"), List.of()));
        assertEquals(JobState.DRAINING, job.status().state());
        job.received(a, new Message.Finished(Attempt.first("one"), List.of()));
        assertEquals(JobState.FAILED, job.status().state());
        assertEquals(WHY.getMessage(), job.status().error().getMessage());
    }

    @Test
    void theErrorOfAnOperatorHasItsPlaceInTheGraph() throws Exception {
        JobAttempt job = running("one");
        job.received(a, new Message.Failed(Attempt.first("one"), WHY.rule(), WHY.getMessage(), null, "relay", null));
        assertEquals("{\"rule\":\"operator\",\"message\":\"it "
                + "broke\",\"operator\":\"relay\",\"file\":\"test\",\"line\":4,\"column\":13"
                + ",\"pointer\":\"/operators/relay\"}", job.status().error().body().toString());
    }

    @Test
    void sinksCommitWhenAllMembersHaveSettledAndEndWhenAllHaveCommitted() throws Exception {
        JobAttempt job = running("one");
        job.received(a, new Message.Settled(Attempt.first("one"), false, 0));
        assertFalse(a.was(Message.Barrier.class));
        job.received(b, new Message.Settled(Attempt.first("one"), false, 0));
        assertTrue(a.was(Message.Barrier.class));
        job.received(a, new Message.Frozen(Attempt.first("one"), 1, null, List.of()));
        assertFalse(a.was(Message.Complete.class));
        job.received(b, new Message.Frozen(Attempt.first("one"), 1, null, List.of()));
        assertTrue(a.told.contains(new Message.Complete(Attempt.first("one"), 1, true)));
        job.received(b, new Message.Committed(Attempt.first("one"), 1, false));
        assertFalse(b.was(Message.Conclude.class));
        job.received(a, new Message.Committed(Attempt.first("one"), 1, false));
        assertTrue(b.told.contains(new Message.Conclude(Attempt.first("one"), true)));
        finish(job);
        assertEquals(JobState.DONE, job.status().state());
    }

    @Test
    void nothingIsCommittedAfterAFailure() throws Exception {
        JobAttempt job = running("one");
        job.received(a, new Message.Settled(Attempt.first("one"), false, 0));
        job.received(b, new Message.Failed(Attempt.first("one"), WHY.rule(), WHY.getMessage(), null, null, null));
        job.received(b, new Message.Settled(Attempt.first("one"), false, 0));
        assertFalse(a.was(Message.Barrier.class));
        assertTrue(a.told.contains(new Message.Stop(Attempt.first("one"), Message.Stop.ABORT, 0)));
        job.received(a, new Message.Finished(Attempt.first("one"), List.of("out/.left")));
        job.received(b, new Message.Finished(Attempt.first("one"), List.of()));
        assertEquals(JobState.FAILED, job.status().state());
        assertEquals("[\"out/.left\"]", new Report(job).status().path("left_behind").toString());
        assertEquals("b", job.status().error().resource());
    }

    @Test
    void aDrainThatIsCutShortIsIncompleteAndSaysWhatWasLost() throws Exception {
        JobAttempt job = running("one");
        job.stop("drain");
        job.received(a, new Message.Settled(Attempt.first("one"), true, 12));
        job.received(b, new Message.Settled(Attempt.first("one"), false, -2));
        commit(job);
        assertTrue(a.told.contains(new Message.Conclude(Attempt.first("one"), false)));
        finish(job);
        assertEquals(JobState.INCOMPLETE, job.status().state());
        assertTrue(job.status().error().getMessage().contains("10 packets in flight were dropped"),
                job.status().error().getMessage());
        assertEquals(10, new Report(job).status().path("undelivered").asLong());
    }

    @Test
    void aDrainThatIsCutShortSaysWhatOperatorsHeld() throws Exception {
        JobAttempt job = running("one");
        job.stop("flush");
        job.received(a, new Message.Settled(Attempt.first("one"), true, 0));
        job.received(b, new Message.Settled(Attempt.first("one"), false, 0));
        job.received(a, new Message.Counters(Attempt.first("one"), counters(9, 3)));
        job.received(b, new Message.Counters(Attempt.first("one"), counters(9, 1)));
        commit(job);
        finish(job);
        assertEquals(JobState.INCOMPLETE, job.status().state());
        assertTrue(job.status().error().getMessage().contains("4 packets in operators were dropped"),
                job.status().error().getMessage());
        assertEquals(4, new Report(job).status().path("held").asLong());
        assertEquals(2, new Report(job).status().path("operators").path("relay").path("open_windows").asLong());
    }

    @Test
    void theEndOfItsTimeStopsAJobAsItsOptionsSay() throws Exception {
        JobOptions options = JobOptions.parse("{\"duration_s\": 3600, \"on_stop\": \"flush\", \"drain_ms\": 70}",
                System::currentTimeMillis);
        JobPlan planned = JobPlan.of(JobGraphs.relay(10), "test", options).value();
        JobAttempt job = new JobAttempt(Attempt.first("one"), planned, new Submission("", "test", options), environment);
        job.deploy(parts());
        job.received(a, new Message.Ready(Attempt.first("one")));
        job.received(b, new Message.Ready(Attempt.first("one")));
        timer.getQueue().peek().run();
        assertTrue(a.told.contains(new Message.Stop(Attempt.first("one"), "flush", 70)), a.told.toString());
        assertEquals("stop_mode", assertThrows(Refusal.class, () -> JobOptions.parse("{\"on_stop\": \"soon\"}",
                System::currentTimeMillis)).rule());
    }

    @Test
    void aJobThatWasToEndAtOnceIsStopped() throws Exception {
        JobAttempt job = running("one");
        job.stop("now");
        job.received(a, new Message.Settled(Attempt.first("one"), true, 12));
        job.received(b, new Message.Settled(Attempt.first("one"), true, 0));
        assertTrue(a.was(Message.Barrier.class));
        finish(job);
        assertEquals(JobState.STOPPED, job.status().state());
    }

    /** As a program does that stops its job and leaves the block of it. */
    @Test
    void aJobThatWasToEndAtOnceDrainsNoMore() throws Exception {
        JobAttempt job = running("one");
        job.stop("now");
        job.stop("drain");
        job.received(a, new Message.Failed(Attempt.first("one"), Message.Failed.CHANNEL, "closed by its peer", null, "", null));
        finish(job);
        assertEquals(JobState.STOPPED, job.status().state());
    }

    @Test
    void theEndOfItsTimeDoesNotMakeAStoppedJobDone() throws Exception {
        JobOptions options = JobOptions.parse("{\"duration_s\": 3600}", System::currentTimeMillis);
        JobPlan planned = JobPlan.of(JobGraphs.relay(10), "test", options).value();
        JobAttempt job = new JobAttempt(Attempt.first("one"), planned, new Submission("", "test", options), environment);
        job.deploy(parts());
        job.received(a, new Message.Ready(Attempt.first("one")));
        job.received(b, new Message.Ready(Attempt.first("one")));
        Runnable endOfDuration = timer.getQueue().peek();
        job.stop("now");
        job.received(a, new Message.Settled(Attempt.first("one"), true, 12));
        endOfDuration.run();
        job.received(b, new Message.Settled(Attempt.first("one"), true, 0));
        finish(job);
        assertEquals(JobState.STOPPED, job.status().state());
    }

    @Test
    void noTimerHoldsAnEndedJob() throws Exception {
        timer.setRemoveOnCancelPolicy(true);
        JobOptions options = JobOptions.parse("{\"warm_up_s\": 3600, \"duration_s\": 86400}", System::currentTimeMillis);
        JobPlan planned = JobPlan.of(JobGraphs.relay(10), "test", options).value();
        JobAttempt job = new JobAttempt(Attempt.first("one"), planned, new Submission("", "test", options), environment);
        job.deploy(parts());
        job.received(a, new Message.Ready(Attempt.first("one")));
        job.received(b, new Message.Ready(Attempt.first("one")));
        assertEquals(2, timer.getQueue().size());
        job.fail(WHY);
        assertEquals(3, timer.getQueue().size());
        finish(job);
        assertEquals(0, timer.getQueue().size());
    }

    @Test
    void countersAreThereWhenAllHaveAnswered() throws Exception {
        JobAttempt job = running("one");
        CompletableFuture<Void> counted = job.count();
        assertTrue(a.was(Message.Count.class));
        assertTrue(b.was(Message.Count.class));
        job.received(a, new Message.Counters(Attempt.first("one"), counters(3)));
        assertFalse(counted.isDone());
        job.received(b, new Message.Counters(Attempt.first("one"), counters(4)));
        assertTrue(counted.isDone());
        assertEquals(7, new Report(job).status().at("/operators/relay/packets_in").asLong());
    }

    @Test
    void membersThatHaveNotAnsweredAreNotAskedAgain() throws Exception {
        JobAttempt job = running("one");
        CompletableFuture<Void> counted = job.count();
        job.received(b, new Message.Counters(Attempt.first("one"), counters(4)));
        assertEquals(counted, job.count());
        assertEquals(1, a.told.stream().filter(Message.Count.class::isInstance).count());
    }

    @Test
    void nobodyWaitsForCountersOfAMemberThatHasFinished() throws Exception {
        JobAttempt job = running("one");
        CompletableFuture<Void> counted = job.count();
        job.received(a, new Message.Counters(Attempt.first("one"), counters(3)));
        job.received(b, new Message.Finished(Attempt.first("one"), List.of()));
        assertTrue(counted.isDone());
    }

    @Test
    void aJobThatDoesNotRunIsNotAsked() throws Exception {
        JobAttempt job = job("one", JobGraphs.relay(10));
        job.deploy(parts());
        assertTrue(job.count().isDone());
        assertFalse(a.was(Message.Count.class));
        job.received(a, new Message.Ready(Attempt.first("one")));
        job.received(b, new Message.Ready(Attempt.first("one")));
        finish(job);
        assertTrue(job.count().isDone());
        assertFalse(a.was(Message.Count.class));
    }

    @Test
    void anEndedJobKeepsItsReport() throws Exception {
        JobAttempt job = running("one");
        finish(job);
        assertEquals(JobState.DONE, job.status().state());
        assertEquals("{\"a\":{\"pid\":7},\"b\":{\"pid\":7}}", new Report(job).status().path("resources").toString());
        assertNotNull(new Report(job).report().get("operators").get("relay"));
    }

    @Test
    void latencyIsLeftOutWhereHostsHaveClocksOfTheirOwn() throws Exception {
        String here = "{\"format\": 1, \"resources\": {\"a\": {\"start\": \"join\", \"control_port\": 7000%s}, \"b\": "
                + "{\"start\": \"join\", \"host\": \"127.0.0.2\", \"control_port\": 7001}}}";
        assertTrue(report(here.formatted(", \"host\": \"127.0.0.1\"")).contains("latency_ms"));
        assertTrue(!report(here.formatted(", \"host\": \"10.1.2.3\"")).contains("latency_ms"));
        // where it will be is not known
        assertTrue(!report(here.formatted("")).contains("latency_ms"));
    }

    private String report(String deployment) throws Refusal {
        JobOptions options = JobOptions.parse(Json.object().put("deployment_text", deployment).toString(),
                System::currentTimeMillis);
        JobPlan planned = JobPlan.of(JobGraphs.relay(10), "test", options).value();
        return new Report(new JobAttempt(Attempt.first("one"), planned, new Submission("", "test", options),
                environment)).report()
                .toString();
    }

    private JobAttempt job(String id, String graph) throws Refusal {
        JobOptions options = JobOptions.parse("{}", System::currentTimeMillis);
        JobPlan planned = JobPlan.of(graph, "test", options).value();
        return new JobAttempt(Attempt.first(id), planned, new Submission("", "test", options), environment);
    }

    private JobAttempt running(String id) throws Refusal {
        JobAttempt job = job(id, JobGraphs.relay(10));
        job.deploy(parts());
        job.received(a, new Message.Ready(Attempt.first(id)));
        job.received(b, new Message.Ready(Attempt.first(id)));
        assertEquals(JobState.RUNNING, job.status().state());
        return job;
    }

    private static Measurement counters(long packets) {
        return counters(packets, 0);
    }

    private static Measurement counters(long packets, long held) {
        OperatorSnapshot relay = new OperatorSnapshot(packets, packets, 0, 0, 0, 1,
                new OperatorSnapshot.State(0, held, held == 0 ? 0 : 1, 5), OperatorSnapshot.Words.NONE);
        return new Measurement(new JobSnapshot(Map.of("relay", relay), Map.of(), Map.of(), Map.of()), null, Moment.NONE,
                Measurement.Times.UNKNOWN);
    }

    /** Both have frozen the last epoch, and then committed it. */
    private void commit(JobAttempt job) {
        job.received(a, new Message.Frozen(job.attempt(), 1, null, List.of()));
        job.received(b, new Message.Frozen(job.attempt(), 1, null, List.of()));
        job.received(a, new Message.Committed(job.attempt(), 1, false));
        job.received(b, new Message.Committed(job.attempt(), 1, false));
    }

    private void finish(JobAttempt job) {
        job.received(a, new Message.Finished(job.attempt(), List.of()));
        job.received(b, new Message.Finished(job.attempt(), List.of()));
    }

    private Map<Member, Message.Deploy> parts() {
        Map<Member, Message.Deploy> parts = new LinkedHashMap<>();
        Message.Deploy deploy = new Message.Deploy(Attempt.first("one"), "", "test", Map.of(), null, "/", List.of(),
                Map.of(), List.of(), Map.of(), "", 1 << 20, new byte[0], 0, null, null, null, null, null);
        parts.put(a, deploy);
        parts.put(b, deploy);
        return parts;
    }
}
