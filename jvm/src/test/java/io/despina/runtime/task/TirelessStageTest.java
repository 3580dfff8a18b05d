package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Operator;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.FaultyRelay;
import io.despina.runtime.task.Bench.Puppet;
import io.despina.runtime.task.Bench.Tally;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An operator that has more to give, however often it is asked, and whose output is never full, can be ended all the same. */
class TirelessStageTest {
    private final Bench bench = new Bench();
    private final Puppet puppet = new Puppet();

    private static final class Tireless extends FaultyRelay {
        int calls;

        @Override
        public boolean watermark(long watermark) {
            calls++;
            return false;
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void itsJobCanBeStopped() {
        Tireless tireless = new Tireless();
        Operator sink = new Tally();
        List<StageSpec> stages = List.of(Bench.stage("source", () -> puppet, 0, Bench.NUMBERS).fusedInto(Bench.next(0, "in")),
                Bench.stage("tireless", () -> tireless, 1, Bench.NUMBERS).fusedInto(Bench.next(1, "out")),
                Bench.stage("sink", () -> sink, 1));
        JobHandle job = bench.start(Bench.task(stages, List.of(), List.of()));
        bench.settle();
        puppet.script.add(() -> puppet.out.watermark(20, false));
        for (int k = 0; k < 100 && tireless.calls == 0; k++) {
            bench.now += Bench.MS;
            bench.worker.crank(bench.now);
        }
        job.stop(10, false);
        for (int k = 0; k < 1_000 && !job.settled().isDone(); k++) {
            bench.now += Bench.MS;
            bench.worker.crank(bench.now);
        }
        assertTrue(tireless.calls > 0 && job.settled().isDone(), tireless.calls + " calls");
    }
}
