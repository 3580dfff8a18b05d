package io.despina.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.host.Resource;
import io.despina.runtime.task.Verdicts;
import io.despina.runtime.worker.WorkerOptions;
import io.despina.wire.Wire;
import io.despina.wire.WireOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The simulator's graphs on real threads, over real TCP. */
class RealThreadsTest {
    private static final byte[] SECRET = "a secret of the test".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final int SEEDS = 30;
    private static final int CYCLES = 40;
    private static final long POLL_NANOS = 50_000;
    private static final long PATIENCE_S = 60;

    /** Resources with sockets between them, all in this process. */
    private static final class House implements AutoCloseable {
        private final List<SegmentPool> pools = new ArrayList<>();
        private final List<Wire> wires = new ArrayList<>();
        private final List<Resource> resources = new ArrayList<>();

        House(int count, long memoryBytes) throws IOException {
            this(count, memoryBytes, WorkerOptions.of(2));
        }

        House(int count, long memoryBytes, WorkerOptions threads) throws IOException {
            for (int k = 0; k < count; k++) {
                SegmentPool pool = new SegmentPool(new Budget(memoryBytes));
                Wire wire = Wire.open(WireOptions.local(SECRET, pool, threads.wireThreads(), 4));
                pools.add(pool);
                wires.add(wire);
                resources.add(Resource.open(threads, pool, wire, System::nanoTime));
            }
        }

        int[] ports() {
            return wires.stream().mapToInt(Wire::port).toArray();
        }

        List<JobHandle> start(String jobId, List<List<TaskSpec>> tasks) {
            List<JobHandle> jobs = new ArrayList<>();
            for (int k = 0; k < resources.size(); k++) {
                jobs.add(resources.get(k).deploy(Attempt.first(jobId), tasks.get(k)));
            }
            Verdicts.concludeTogether(jobs);
            jobs.forEach(JobHandle::start);
            return jobs;
        }

        static void await(List<JobHandle> jobs) throws Exception {
            awaitEnd(jobs);
            for (JobHandle job : jobs) {
                // one that fails cuts the others' channels: only all together tell why
                assertNull(job.failure(), () -> jobs.stream().map(one -> String.valueOf(one.failure())).toList().toString());
            }
        }

        static void awaitEnd(List<JobHandle> jobs) throws Exception {
            for (JobHandle job : jobs) {
                try {
                    job.ended().get(PATIENCE_S, TimeUnit.SECONDS);
                } catch (TimeoutException e) {
                    throw new AssertionError("not ended: " + job.counters().snapshot().operators(), e);
                }
            }
        }

        void verifyEmpty() {
            for (SegmentPool pool : pools) {
                assertEquals(0, pool.leaks().size(), () -> "segments out, one of them "
                        + pool.leaks().values().iterator().next());
                assertEquals(0, pool.budget().used(), "bytes in use");
            }
        }

        /** After a kill: an IO thread may still hold what it was reading. */
        void awaitEmpty() {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
            while (pools.stream().anyMatch(pool -> !pool.leaks().isEmpty() || pool.budget().used() > 0)
                    && System.nanoTime() < deadline) {
                Thread.yield();
            }
            verifyEmpty();
        }

        @Override
        public void close() {
            resources.forEach(Resource::close);
            wires.forEach(Wire::close);
        }
    }

    /** Workers that serve connections, that leave them to other threads, and that look for work before they sleep. */
    private static WorkerOptions threads(long seed) {
        return seed % 3 == 0 ? WorkerOptions.of(2) : seed % 3 == 1 ? new WorkerOptions(2, 2, 0, worker -> { })
                : new WorkerOptions(2, 0, POLL_NANOS, worker -> { });
    }

    @Test
    void randomGraphsFinishOverTcp() throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(3);
            RandomGraph graph = new RandomGraph(random, count);
            try (House house = new House(count, graph.memory(), threads(seed))) {
                House.await(house.start("job", graph.tasks(house.ports())));
                graph.verify();
                house.verifyEmpty();
            } catch (AssertionError | Exception e) {
                throw new AssertionError("seed " + seed + "\n" + graph, e);
            }
        }
    }

    @Test
    void startingAndEndingLeavesNothingBehind() throws Exception {
        try (House house = new House(2, 64L << 20)) {
            int threads = 0;
            for (int cycle = 0; cycle < CYCLES; cycle++) {
                RandomGraph graph = new RandomGraph(new Random(11), 2);
                List<JobHandle> jobs = house.start("job" + cycle, graph.tasks(house.ports()));
                if (cycle % 3 == 2) {
                    jobs.forEach(JobHandle::kill);
                    // the one killed later may have found its channels to the other closed
                    House.awaitEnd(jobs);
                    house.awaitEmpty();
                } else {
                    House.await(jobs);
                    house.verifyEmpty();
                }
                if (cycle == CYCLES / 2) {
                    threads = Thread.activeCount();
                }
            }
            // The blocking tier keeps a thread or two for the next task; a leak would be one for each cycle.
            assertTrue(Thread.activeCount() < threads + CYCLES / 4, "threads grew from " + threads + " to "
                    + Thread.activeCount());
        }
    }

    @Test
    void severalJobsShareAResource() throws Exception {
        try (House house = new House(2, 64L << 20)) {
            List<JobHandle> jobs = new ArrayList<>();
            List<RandomGraph> graphs = new ArrayList<>();
            for (int k = 0; k < 4; k++) {
                RandomGraph graph = new RandomGraph(new Random(100 + k), 2);
                graphs.add(graph);
                jobs.addAll(house.start("job" + k, graph.tasks(house.ports())));
            }
            House.await(jobs);
            graphs.forEach(RandomGraph::verify);
            house.verifyEmpty();
        }
    }
}
