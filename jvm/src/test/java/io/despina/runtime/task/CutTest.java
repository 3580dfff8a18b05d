package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.metrics.OperatorSnapshot;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.Ascending;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.FaultyRelay;
import io.despina.runtime.task.Bench.Puppet;
import io.despina.spec.Schedule;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is counted of the packets of a job that is cut. */
class CutTest {
    private final Bench bench = new Bench();
    private final Puppet puppet = new Puppet();
    private final Diary diary = new Diary();

    private static TaskSpec held(TaskSpec task) {
        return Bench.with(task, new Schedule.Periodic(Long.MAX_VALUE / 4), TaskSettings.DEFAULT);
    }

    @Test
    void packetsThatWaitedWhenAJobWasCutAreCounted() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.task(
                List.of(Bench.stage("relay", FaultyRelay::new, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), held(Bench.sink("sink", diary, 2)));
        bench.settle();
        puppet.script.add(() -> LongStream.range(0, 1000).forEach(puppet::number));
        bench.pass(2 * Bench.MS);
        job.cut();
        bench.settle();
        assertTrue(job.ended().isDone());
        assertEquals(List.of("prepare", "commit", "close"), diary.lines());
        assertEquals(1000, job.undelivered());
    }

    @Test
    void packetsThatNoOperatorHadTakenWhenAJobWasCutAreNotCountedAsTaken() {
        JobHandle job = bench.start(Bench.source("source", new Ascending(20_000_000), 1), Bench.task(
                List.of(Bench.stage("relay", FaultyRelay::new, 1, Bench.NUMBERS).fusedInto(Bench.next(0, "relay->later")),
                        Bench.stage("later", FaultyRelay::new, 1, Bench.NUMBERS)),
                List.of(Bench.in(0, 1)), List.of(Bench.out(1, 0, Bench.NUMBERS, 2))), held(Bench.sink("sink", diary, 2)));
        bench.pass(100 * Bench.MS);
        job.cut();
        bench.settle();
        assertTrue(job.ended().isDone());
        assertEquals(0, bench.pool.budget().used());
        Map<String, OperatorSnapshot> counted = job.counters().snapshot().operators();
        assertTrue(counted.get("later").packetsOut() > 0);
        assertEquals(counted.get("later").packetsOut(), counted.get("later").packetsIn());
        assertEquals(counted.get("relay").packetsOut(), counted.get("relay").packetsIn());
        assertEquals(counted.get("source").packetsOut(), job.undelivered());
    }
}
