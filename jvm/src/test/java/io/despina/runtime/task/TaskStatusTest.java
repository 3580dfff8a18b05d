package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.metrics.QueueSnapshot;
import io.despina.metrics.TaskTimes;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.Ascending;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.Puppet;
import io.despina.spec.Blocking;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import io.despina.spec.InstanceStatus;
import io.despina.spec.InstanceStatus.Doing;
import io.despina.spec.Schedule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What users are told of how tasks stand. */
class TaskStatusTest {
    private final Bench bench = new Bench();
    private final Puppet puppet = new Puppet();

    private InstanceStatus status(JobHandle job, String operator) {
        List<InstanceStatus> answers = new ArrayList<>();
        assertEquals(1, job.commands().status(operator, answers::add));
        bench.settle();
        assertEquals(1, answers.size());
        assertEquals(operator, answers.get(0).operator());
        return answers.get(0);
    }

    @Test
    void whoHasNothingToDoWaits() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", new Diary(), 1));
        puppet.script.add(() -> puppet.out.watermark(7, false));
        puppet.script.add(() -> puppet.number(1));
        bench.pass(3 * Bench.MS);
        assertEquals(Doing.WAITING, status(job, "source").doing());
        InstanceStatus sink = status(job, "sink");
        assertEquals(Doing.WAITING, sink.doing());
        assertEquals(new InstanceStatus.Queue(0, 0), sink.queue());
        assertEquals(new InstanceStatus.State(0, 0, 7), sink.state());
    }

    @Test
    void whoIsPausedKnowsByWhomAndForHowLong() {
        JobHandle job = bench.start(Bench.source("source", new Ascending(Long.MAX_VALUE), 1),
                Bench.with(Bench.sink("slow", new Diary(), 1), new Schedule.Periodic(100_000 * Bench.MS),
                        TaskSettings.DEFAULT));
        bench.settle();
        bench.now += 70 * Bench.MS;
        InstanceStatus source = status(job, "source");
        assertEquals(Doing.PAUSED, source.doing());
        assertEquals(new InstanceStatus.Pause("link1[0]", 70), source.pause());
        InstanceStatus slow = status(job, "slow");
        assertEquals(Doing.WAITING, slow.doing(), "for its schedule");
        assertTrue(slow.queue().bytes() > 0);
        assertEquals(InstanceStatus.UNKNOWN, slow.queue().millis(), "it has not taken any yet");
        job.kill();
        bench.settle();
    }

    @Test
    void theTimeOfATaskGoesToItsRunsAndToItsWaitsForRoom() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", new Diary(), 1));
        puppet.script.add(() -> bench.now += 5 * Bench.MS);
        bench.pass(40 * Bench.MS);
        TaskTimes.Snapshot source = job.counters().tasks().get("source").get(0);
        assertEquals(5, source.busyNanos() / Bench.MS);
        assertEquals(0, source.pausedNanos());
        job.counters().reset();
        puppet.script.add(() -> bench.now += 2 * Bench.MS);
        bench.pass(40 * Bench.MS);
        assertEquals(2, job.counters().tasks().get("source").get(0).busyNanos() / Bench.MS, "since the end of the warm-up");
        job.kill();
        bench.settle();
    }

    @Test
    void aTaskIsPausedFromTheEndOfTheRunThatFilledItsLinkToTheNext() {
        JobHandle job = bench.start(Bench.source("source", new Ascending(Long.MAX_VALUE), 1),
                Bench.with(Bench.sink("slow", new Diary(), 1), new Schedule.Periodic(100_000 * Bench.MS), TaskSettings.DEFAULT));
        bench.settle();
        bench.now += 70 * Bench.MS;
        assertEquals(70, job.counters().tasks().get("source").get(0).pausedNanos() / Bench.MS);
        QueueSnapshot queue = job.counters().queues().values().iterator().next();
        assertEquals(1, queue.senders());
        assertEquals(1.0, queue.fill());
        assertTrue(queue.queuedBytes() >= queue.capacityBytes(), queue.toString());
        job.kill();
        bench.settle();
        long paused = job.counters().tasks().get("source").get(0).pausedNanos();
        bench.now += 70 * Bench.MS;
        assertEquals(paused, job.counters().tasks().get("source").get(0).pausedNanos(), "it has ended");
    }

    /** Two senders to two receivers, of which one takes nothing: its queues are full, and those of the other are not. */
    @Test
    void parallelQueuesAreNoFullerThanTheFullest() {
        QueueSnapshot link = QueueSnapshot.of(1, 0, 1000).plus(QueueSnapshot.of(0, 600, 1000))
                .plus(QueueSnapshot.of(1, 100, 1000)).plus(QueueSnapshot.of(0, 500, 1000));
        assertEquals(new QueueSnapshot(2, 1200, 4000, 0.6), link);
    }

    @Test
    void aSourceThatIsHeldSaysSo() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", new Diary(), 1));
        job.commands().setSchedule("source", new Schedule.Held());
        bench.settle();
        assertEquals(Doing.HELD, status(job, "source").doing());
        job.commands().setSchedule("source", null);
        assertEquals(Doing.WAITING, status(job, "source").doing());
    }

    @Test
    void whoIsNotOpenYetIsNotWaitedFor() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1),
                Bench.with(Bench.sink("sink", new Diary(), 1), Blocking.OPENING));
        InstanceStatus sink = status(job, "sink");
        assertEquals(Doing.OPENING, sink.doing());
        assertEquals(InstanceStatus.UNKNOWN, sink.state().keys());
        bench.openings.forEach(Runnable::run);
        bench.settle();
        assertEquals(Doing.WAITING, status(job, "sink").doing());
    }

    @Test
    void whoIsCutBeforeItIsOpenHasEnded() {
        JobHandle job = bench.start(Bench.with(Bench.source("source", puppet, 1), Blocking.OPENING),
                Bench.with(Bench.sink("sink", new Diary(), 1), Blocking.OPENING));
        bench.settle();
        List<ControlAnswer> told = new ArrayList<>();
        job.commands().tell("source", ControlCommand.FLUSH, "", told::add);
        job.commands().sync(1, List.of("sink"), told::add);
        job.cut();
        bench.settle();
        assertEquals(List.of("source", "sink"), told.stream().map(ControlAnswer::operator).toList());
        assertEquals(Doing.ENDED, status(job, "source").doing());
        assertEquals(Doing.ENDED, status(job, "sink").doing());
    }

    /** Looks at itself from within a call. */
    @Test
    void whoIsInALongCallIsNotWaitedFor() {
        List<InstanceStatus> answers = new ArrayList<>();
        List<ControlAnswer> told = new ArrayList<>();
        JobHandle[] job = new JobHandle[1];
        job[0] = bench.start(Bench.with(Bench.source("source", puppet, 1), Blocking.ALWAYS),
                Bench.sink("sink", new Diary(), 1));
        bench.settle();
        bench.openings.forEach(Runnable::run);
        bench.settle();
        puppet.script.add(() -> {
            job[0].commands().status("source", answers::add);
            assertEquals(1, answers.size(), "while it is in a call");
            assertEquals(InstanceStatus.UNKNOWN, answers.get(0).state().keys());
            for (int k = 1; k < 2_000; k++) {
                job[0].commands().status("source", answers::add);
            }
            job[0].commands().tell("source", ControlCommand.FLUSH, "", told::add);
        });
        bench.pass(3 * Bench.MS);
        assertEquals(2_000, answers.size(), "and once only");
        assertEquals(List.of(new ControlAnswer("source", 0, true, "")), told, "those who ask take no room of others");
    }

    @Test
    void whoHasEndedSaysSo() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", new Diary(), 1));
        puppet.ends = true;
        bench.pass(3 * Bench.MS);
        assertEquals(Doing.ENDED, status(job, "source").doing());
        assertEquals(Doing.ENDED, status(job, "sink").doing());
    }
}
