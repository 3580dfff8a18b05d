package io.despina.runtime.task;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.link.Attempt;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.source.time.Watermarks;
import io.despina.runtime.host.FrozenEpoch;
import io.despina.runtime.host.JobHandle;
import io.despina.spec.EventTime;
import io.despina.state.State;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An idle source holds nobody's watermark back when its job is restored either, and one that wakes does. */
class RestoredIdlenessTest {
    private static final long IDLE_AFTER = 1_000 * Bench.MS;

    @TempDir
    Path folder;

    private final Bench bench = new Bench();
    private final List<Long> slow = new ArrayList<>();
    private final List<Long> quick = new ArrayList<>();
    private Bench.Diary diary;
    private StoredEpochs epochs;

    /** Sends what it is given; the number is its event time. */
    private static final class Times implements Source {
        private final List<Long> given;
        private Output out;
        private Watermarks watermarks;

        Times(List<Long> given) {
            this.given = given;
        }

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
            watermarks = new Watermarks(new EventTime(0, List.of(), 0, IDLE_AFTER, List.of(), NEVER), out, context.clock());
        }

        @Override
        public long produce(long now) {
            boolean wrote = !given.isEmpty();
            for (; !given.isEmpty(); given.remove(0)) {
                watermarks.before(given.get(0));
                out.writer().begin().setLong(0, given.get(0));
                out.writer().commit();
            }
            watermarks.batchDone(now, wrote);
            return watermarks.waiting(now, now + Bench.MS);
        }

        @Override
        public List<State> states() {
            return List.of(watermarks.state());
        }

        @Override
        public void restored() {
            watermarks.restored();
        }
    }

    private JobHandle start(Attempt attempt) {
        diary = new Bench.Diary();
        JobHandle job = bench.resource.deploy(attempt, List.of(Bench.source("slow", new Times(slow), 1),
                Bench.source("quick", new Times(quick), 2), Bench.sink("sink", diary, 1, 2)), epochs);
        job.start();
        bench.pass(2 * Bench.MS);
        return job;
    }

    private void say(List<Long> who, long... times) {
        for (long each : times) {
            who.add(each);
        }
        bench.pass(200 * Bench.MS);
    }

    private JobHandle restored(JobHandle job) {
        CompletableFuture<FrozenEpoch> frozen = job.epochs().begin(epochs.complete() + 1);
        bench.pass(2 * Bench.MS);
        epochs.workOff();
        epochs.finish(frozen.getNow(null));
        epochs.workOff();
        job.kill();
        bench.settle();
        epochs.startAgain();
        return start(Attempt.first("job").next());
    }

    private void end(JobHandle job) {
        job.kill();
        bench.settle();
    }

    @Test
    void anIdleSourceIsIdleAtOnce() {
        epochs = new StoredEpochs(folder);
        JobHandle job = start(Attempt.first("job"));
        say(slow, 5);
        say(quick, 10);
        bench.pass(IDLE_AFTER - 300 * Bench.MS);
        assertEquals(List.of("5", "10", "W 5", "W 10"), diary.lines(), "the slow one is idle, the other is not yet");
        job = restored(job);
        say(quick, 20);
        assertEquals(List.of("20", "W 20"), diary.lines(), "nobody waits for the idle source");
        say(slow, 7, 30);
        say(quick, 25, 40);
        assertEquals(List.of("20", "W 20", "7", "30", "25", "40", "W 30"), diary.lines(), "it is awake");
        end(job);
    }

    @Test
    void aSourceThatWasAwakeHoldsTheOthersBack() {
        epochs = new StoredEpochs(folder);
        JobHandle job = start(Attempt.first("job"));
        say(slow, 5);
        say(quick, 10);
        job = restored(job);
        say(quick, 20);
        assertEquals(List.of("20"), diary.lines());
        bench.pass(IDLE_AFTER);
        say(quick, 21);
        assertEquals(List.of("20", "W 20", "21", "W 21"), diary.lines().stream().filter(line -> !line.equals("W 10")).toList());
        end(job);
    }
}
