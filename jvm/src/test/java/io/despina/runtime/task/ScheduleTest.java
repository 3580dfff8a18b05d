package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Source;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.Puppet;
import io.despina.spec.Schedule;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private final Bench bench = new Bench();
    private final Puppet puppet = new Puppet();
    private final Diary diary = new Diary();

    private JobHandle start(Schedule schedule) {
        JobHandle job = bench.start(Bench.source("source", puppet, 1),
                Bench.with(Bench.sink("sink", diary, 1), schedule, TaskSettings.DEFAULT));
        bench.settle();
        return job;
    }

    private void say(long... numbers) {
        for (long n : numbers) {
            puppet.script.add(() -> puppet.number(n));
        }
        bench.pass(3 * Bench.MS);
    }

    @Test
    void periodicTakesEverythingAtEachTick() {
        start(new Schedule.Periodic(100 * Bench.MS));
        say(1);
        say(2, 3);
        assertEquals(List.of(), diary.lines());
        bench.pass(100 * Bench.MS);
        assertEquals(List.of("1", "2", "3"), diary.lines());
        say(4);
        assertEquals(3, diary.lines().size());
        bench.pass(100 * Bench.MS);
        assertEquals(4, diary.lines().size());
    }

    @Test
    void periodicAlsoRunsAtTheEnd() {
        JobHandle job = start(new Schedule.Periodic(60_000 * Bench.MS));
        say(1, 2);
        puppet.ends = true;
        bench.pass(5 * Bench.MS);
        assertTrue(job.ended().isDone());
        assertEquals(List.of("1", "2"), diary.lines().subList(0, 2));
    }

    @Test
    void periodicGoesOnWhenOneOfItsInputsHasEnded() {
        Puppet other = new Puppet();
        bench.start(Bench.source("a", puppet, 1), Bench.source("b", other, 2),
                Bench.with(Bench.sink("sink", diary, 1, 2), new Schedule.Periodic(100 * Bench.MS), TaskSettings.DEFAULT));
        puppet.ends = true;
        bench.pass(3 * Bench.MS);
        other.script.add(() -> other.number(7));
        bench.pass(3 * Bench.MS);
        assertEquals(List.of(), diary.lines());
        bench.pass(100 * Bench.MS);
        assertEquals(List.of("7"), diary.lines());
    }

    @Test
    void aJobThatStopsWaitsForNoTick() {
        Bench.Tally tally = new Bench.Tally();
        JobHandle job = bench.start(Bench.source("source", new Bench.Ascending(Long.MAX_VALUE), 1), Bench.task(
                List.of(Bench.stage("relay", Bench.FaultyRelay::new, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 2))),
                Bench.with(Bench.sink("sink", tally, 2), new Schedule.Periodic(60_000 * Bench.MS), TaskSettings.DEFAULT));
        bench.pass(100 * Bench.MS);
        assertEquals(0, tally.taken);
        job.stop(10_000, false);
        bench.settle();
        assertTrue(job.ended().isDone());
        assertNull(job.failure());
        assertEquals(job.counters().snapshot().operators().get("source").packetsOut(), tally.taken);
    }

    @Test
    void countWaitsForSoManyPackets() {
        start(new Schedule.Count(5));
        say(1, 2);
        say(3, 4);
        bench.pass(1000 * Bench.MS);
        assertEquals(List.of(), diary.lines());
        say(5);
        assertEquals(List.of("1", "2", "3", "4", "5"), diary.lines());
    }

    @Test
    void countAlsoRunsAtTheEnd() {
        JobHandle job = start(new Schedule.Count(5));
        say(1, 2);
        puppet.ends = true;
        bench.pass(5 * Bench.MS);
        assertTrue(job.ended().isDone());
        assertEquals(List.of("1", "2"), diary.lines().subList(0, 2));
    }

    @Test
    void countAlsoRunsWhenTheInboxIsFull() {
        Bench.Tally tally = new Bench.Tally();
        JobHandle job = bench.start(Bench.source("source", new Bench.Ascending(2_000_000), 1),
                Bench.with(Bench.sink("sink", tally, 1), new Schedule.Count(Long.MAX_VALUE), TaskSettings.DEFAULT));
        bench.pass(10_000 * Bench.MS);
        assertTrue(job.ended().isDone());
        assertEquals(2_000_000, tally.taken);
    }

    @Test
    void anyRunsAsSoonAsOneOfThemDoes() {
        start(new Schedule.Any(List.of(new Schedule.Count(3), new Schedule.Periodic(50 * Bench.MS))));
        say(1, 2);
        assertEquals(List.of(), diary.lines());
        say(3);
        assertEquals(3, diary.lines().size());
        say(4);
        assertEquals(3, diary.lines().size());
        bench.pass(50 * Bench.MS);
        assertEquals(4, diary.lines().size());
    }

    @Test
    void aScheduleChangesWhileTheTaskRuns() {
        JobHandle job = start(new Schedule.Count(1000));
        say(1);
        bench.pass(100 * Bench.MS);
        assertEquals(List.of(), diary.lines());
        job.commands().setSchedule("sink", Schedule.DATA);
        bench.settle();
        assertEquals(List.of("1"), diary.lines());
    }

    @Test
    void aPeriodicSourceIsAskedOncePerTick() {
        puppet.every = 1;
        bench.start(Bench.with(Bench.source("source", puppet, 1), new Schedule.Periodic(10 * Bench.MS), TaskSettings.DEFAULT),
                Bench.sink("sink", diary, 1));
        bench.pass(100 * Bench.MS);
        assertEquals(10, puppet.produced);
    }

    @Test
    void aSourceThatIsHeldMakesNothingAndDoesWhatItIsWokenFor() {
        JobHandle job = bench.start(Bench.with(Bench.source("source", puppet, 1), new Schedule.Held(), TaskSettings.DEFAULT),
                Bench.sink("sink", diary, 1));
        bench.pass(100 * Bench.MS);
        assertEquals(0, puppet.held);
        puppet.heldAgain = bench.now + 10 * Bench.MS;
        puppet.wake.run();
        bench.pass(9 * Bench.MS);
        assertEquals(1, puppet.held);
        puppet.heldAgain = Source.WHEN_WOKEN;
        bench.pass(100 * Bench.MS);
        assertEquals(2, puppet.held);
        assertEquals(0, puppet.produced);
        say(1);
        job.commands().setSchedule("source", Schedule.DATA);
        bench.settle();
        assertEquals(List.of("1"), diary.lines());
        assertEquals(2, puppet.held);
    }

    @Test
    void theScheduleOfAFusedOperatorIsNotItsOwn() {
        JobHandle job = bench.start(Bench.task(List.of(
                Bench.stage("source", () -> puppet, 0, Bench.NUMBERS).fusedInto(Bench.next(0, "source->sink")),
                Bench.stage("sink", () -> diary, 1)), List.of(), List.of()));
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> job.commands().setSchedule("sink", Schedule.DATA));
        assertEquals("operator sink is fused behind source and runs with it; `fuse: false` on the link before it keeps it apart",
                e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> job.commands().setSchedule("nobody", Schedule.DATA));
    }

    @Test
    void anIdleEngineSetsNoTimer() {
        puppet.every = Long.MAX_VALUE / 4;
        start(Schedule.DATA);
        say(1);
        assertTrue(bench.worker.nextDeadline() > bench.now + 1_000_000 * Bench.MS);
    }
}
