package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.link.Attempt;
import io.despina.operator.Operator;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.FaultyRelay;
import io.despina.runtime.task.Bench.Puppet;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.state.NamedEntries;
import io.despina.state.NamedNumbers;
import io.despina.state.Sections;
import io.despina.state.Snapshots;
import io.despina.state.State;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An operator's outputs are told the watermark that it says: here 10 less than its input's. */
class OutputWatermarkTest {
    private static final int SLICE = 64;

    private final Bench bench = new Bench();
    private final Puppet puppet = new Puppet();
    private final Diary diary = new Diary();

    private static final class Behind extends FaultyRelay {
        @Override
        public long outputWatermark(long watermark) {
            return watermark == Long.MAX_VALUE ? watermark : watermark - 10;
        }
    }

    private void say(Runnable... what) {
        puppet.script.addAll(List.of(what));
        bench.pass(2 * Bench.MS);
    }

    private TaskSpec[] linked() {
        Operator behind = new Behind();
        return new TaskSpec[] {Bench.source("source", puppet, 1), Bench.task(
                List.of(Bench.stage("behind", () -> behind, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), Bench.sink("sink", diary, 2)};
    }

    private TaskSpec fused() {
        Operator behind = new Behind();
        List<StageSpec> stages = List.of(Bench.stage("source", () -> puppet, 0, Bench.NUMBERS).fusedInto(Bench.next(0, "in")),
                Bench.stage("behind", () -> behind, 1, Bench.NUMBERS).fusedInto(Bench.next(1, "out")),
                Bench.stage("sink", () -> diary, 1));
        return Bench.task(stages, List.of(), List.of());
    }

    private void compare() {
        bench.settle();
        say(() -> puppet.number(7), () -> puppet.out.watermark(20, false));
        say(() -> puppet.number(8), () -> puppet.out.watermark(25, true), () -> puppet.number(9));
        puppet.ends = true;
        bench.pass(2 * Bench.MS);
        assertEquals(List.of("7", "W 10", "8", "W 15", "9", "W max", "end"), diary.lines().subList(0, 7));
    }

    @Test
    void acrossLinks() {
        bench.start(linked());
        compare();
    }

    @Test
    void inAFusedChain() {
        bench.start(fused());
        compare();
    }

    @Test
    void afterARestore() {
        JobHandle job = bench.resource.deploy(Attempt.first("job").next(), List.of(linked()), new Restored());
        Verdicts.concludeTogether(List.of(job));
        job.start();
        bench.pass(2 * Bench.MS);
        assertEquals(List.of("W 90"), diary.lines());
        say(() -> puppet.out.watermark(101, false));
        assertEquals(List.of("W 90", "W 91"), diary.lines());
    }

    /** Each operator had reached 100; of the sink there is nothing. */
    private static final class Restored implements JobSnapshots {
        @Override
        public int buckets() {
            return 1;
        }

        @Override
        public List<Sections> restored(String operator) throws IOException {
            List<State> states = List.of(new NamedNumbers("reached", 100, 0), new NamedEntries("stage_counters", Map::of));
            try (Snapshots reached = new Snapshots(states, SLICE)) {
                return operator.equals("sink") ? null : List.of(Snapshots.sections(reached.all()));
            }
        }

        @Override
        public InstanceSnapshot begin(long epoch, Instance of, List<State> states, Waker waker) {
            throw new UnsupportedOperationException();
        }
    }
}
