package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.host.Resource;
import io.despina.runtime.task.Bench.Ascending;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.FaultyRelay;
import io.despina.runtime.task.Bench.Tally;
import io.despina.spec.Blocking;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A task that is being opened holds nobody up, and its job ends without it. */
class OpeningTest {
    private static final long PATIENCE_S = 30;

    private final Bench bench = new Bench();

    private static TaskSpec slow(TaskSpec task) {
        return Bench.with(task, Blocking.OPENING);
    }

    private static TaskSpec relay(FaultyRelay relay) {
        return Bench.task(List.of(Bench.stage("relay", () -> relay, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 2)));
    }

    private JobHandle start(Diary diary, FaultyRelay relay) {
        return bench.start(slow(Bench.source("source", new Ascending(10_000), 1)), slow(relay(relay)),
                slow(Bench.sink("sink", diary, 2)));
    }

    // Cranked by hand.

    @Test
    void aTaskRunsOnceItIsOpen() {
        Diary diary = new Diary();
        JobHandle job = start(diary, new FaultyRelay());
        bench.settle();
        assertEquals(3, bench.openings.size());
        bench.openings.get(0).run();
        bench.settle();
        assertEquals(List.of(), diary.lines(), "the sink is not open");
        bench.openings.get(2).run();
        bench.openings.get(1).run();
        bench.settle();
        assertEquals(10_000 + 5, diary.lines().size());
        bench.assertClean(job);
        assertNull(job.failure());
    }

    @Test
    void oneThatNeverWaitsIsOpenedByItsWorker() {
        bench.start(Bench.source("source", new Ascending(10), 1), Bench.sink("sink", new Diary(), 1));
        bench.settle();
        assertEquals(List.of(), bench.openings);
    }

    @Test
    void whatCannotBeOpenedFailsTheJob() {
        FaultyRelay failing = new FaultyRelay() {
            @Override
            public void open(OperatorContext context) {
                throw new IllegalArgumentException("no such thing");
            }
        };
        JobHandle job = start(new Diary(), failing);
        bench.settle();
        bench.openings.get(1).run();
        bench.settle();
        assertEquals("operator relay, instance 0: no such thing", job.failure().getMessage());
        assertTrue(failing.closed);
        bench.assertClean(job);
    }

    private void endsWithoutIt(Consumer<JobHandle> how) {
        Diary diary = new Diary();
        FaultyRelay relay = new FaultyRelay();
        JobHandle job = start(diary, relay);
        bench.settle();
        bench.openings.get(0).run();
        bench.openings.get(2).run();
        bench.settle();
        how.accept(job);
        bench.settle();
        bench.assertClean(job);
        assertNull(job.failure());
        bench.openings.get(1).run();
        assertNull(relay.context, "an opening that has not begun never begins");
    }

    @Test
    void aKilledJobEndsWithoutIt() {
        endsWithoutIt(JobHandle::kill);
    }

    @Test
    void aJobThatIsCutEndsWithoutIt() {
        endsWithoutIt(JobHandle::cut);
    }

    @Test
    void aDrainEndsWithoutItWhenItsTimeIsUp() {
        endsWithoutIt(job -> {
            job.stop(100, false);
            bench.pass(99 * Bench.MS);
            assertFalse(job.ended().isDone());
            bench.pass(2 * Bench.MS);
        });
    }

    @Test
    void whatWasOpenedAndNotYetUsedIsClosed() {
        FaultyRelay relay = new FaultyRelay();
        JobHandle job = start(new Diary(), relay);
        bench.settle();
        bench.openings.get(1).run();
        job.kill();
        bench.settle();
        assertTrue(relay.closed);
        bench.assertClean(job);
    }

    // On threads.

    /** Waits in {@link #open} for the test, whoever interrupts it, as in a file system that does not answer. */
    private static final class Stuck implements Operator {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch answered = new CountDownLatch(1);
        private final CompletableFuture<Boolean> closed = new CompletableFuture<>();

        @Override
        public void open(OperatorContext context) {
            context.stateBytes(1 << 16);
            begun.countDown();
            boolean interrupted = false;
            while (answered.getCount() > 0) {
                try {
                    answered.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void process(int port, PacketCursor packets) {
            throw new IllegalStateException("its job has ended");
        }

        @Override
        public void close() {
            closed.complete(Thread.currentThread().isInterrupted());
        }
    }

    private static void await(CompletableFuture<?> future) throws Exception {
        future.get(PATIENCE_S, TimeUnit.SECONDS);
    }

    private static void holdsNobodyUp(Consumer<JobHandle> end) throws Exception {
        SegmentPool pool = new SegmentPool(new Budget(96L << 20));
        Stuck stuck = new Stuck();
        try (Resource resource = Resource.open(1, pool, null, System::nanoTime)) {
            JobHandle blocked = resource.deploy(Attempt.first("blocked"), List.of(Bench.source("source", new Ascending(10), 1),
                    slow(Bench.sink("sink", stuck, 1))));
            Verdicts.concludeTogether(List.of(blocked));
            blocked.start();
            assertTrue(stuck.begun.await(PATIENCE_S, TimeUnit.SECONDS));
            Tally tally = new Tally();
            JobHandle other = resource.deploy(Attempt.first("other"), List.of(Bench.source("source", new Ascending(100_000), 1),
                    Bench.sink("sink", tally, 1)));
            Verdicts.concludeTogether(List.of(other));
            other.start();
            await(other.ended());
            assertEquals(100_000, tally.taken);
            assertFalse(blocked.ended().isDone());
            end.accept(blocked);
            await(blocked.ended());
            assertFalse(stuck.closed.isDone(), "still stuck");
            stuck.answered.countDown();
            assertFalse(stuck.closed.get(PATIENCE_S, TimeUnit.SECONDS), "closed undisturbed by the interrupt");
        } finally {
            stuck.answered.countDown();
        }
        assertEquals(0, pool.leaks().size());
    }

    @Test
    void aStuckOpeningHoldsUpNoOtherJobAndNoKill() throws Exception {
        holdsNobodyUp(JobHandle::kill);
    }

    @Test
    void aStuckOpeningHoldsUpNoCut() throws Exception {
        holdsNobodyUp(JobHandle::cut);
    }

    @Test
    void aStuckOpeningHoldsUpNoDrainForLongerThanItMayTake() throws Exception {
        holdsNobodyUp(job -> job.stop(1, false));
    }

    /** Remembers who called. */
    private static final class Telling extends FaultyRelay {
        private final boolean blocks;
        private Thread opener;
        private Thread runner;

        Telling(boolean blocks) {
            this.blocks = blocks;
        }

        @Override
        public void open(OperatorContext context) {
            opener = Thread.currentThread();
            super.open(context);
        }

        @Override
        public boolean blocks() {
            return blocks;
        }

        @Override
        public void process(int port, PacketCursor packets) throws Exception {
            runner = Thread.currentThread();
            super.process(port, packets);
        }
    }

    private static Telling ran(Blocking declared, boolean blocks) throws Exception {
        SegmentPool pool = new SegmentPool(new Budget(96L << 20));
        Telling relay = new Telling(blocks);
        try (Resource resource = Resource.open(1, pool, null, System::nanoTime)) {
            Diary diary = new Diary();
            JobHandle job = resource.deploy(Attempt.first("job"), List.of(Bench.source("source", new Ascending(10_000), 1),
                    Bench.with(relay(relay), declared), Bench.sink("sink", diary, 2)));
            Verdicts.concludeTogether(List.of(job));
            job.start();
            await(job.ended());
            assertNull(job.failure());
            assertEquals(10_000 + 5, diary.lines().size());
        }
        return relay;
    }

    @Test
    void aWorkerRunsWhatABlockingThreadHasOpened() throws Exception {
        Telling relay = ran(Blocking.OPENING, false);
        assertEquals("despina-worker-0", relay.runner.getName());
        assertNotSame(relay.opener, relay.runner);
    }

    @Test
    void aWorkerDoesBothWhereNothingBlocks() throws Exception {
        Telling relay = ran(Blocking.NEVER, false);
        assertEquals("despina-worker-0", relay.runner.getName());
        assertSame(relay.opener, relay.runner);
    }

    @Test
    void whatTurnsOutToBlockLeavesTheWorkers() throws Exception {
        assertTrue(ran(Blocking.OPENING, true).runner.getName().startsWith("despina-blocking"));
        assertTrue(ran(Blocking.NEVER, true).runner.getName().startsWith("despina-blocking"));
        assertTrue(ran(Blocking.ALWAYS, true).runner.getName().startsWith("despina-blocking"));
    }
}
