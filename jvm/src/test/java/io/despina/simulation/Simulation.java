package io.despina.simulation;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.host.Resource;
import io.despina.runtime.host.ResourceOptions;
import io.despina.runtime.task.JobLinks;
import io.despina.runtime.task.TaskFailedException;
import io.despina.runtime.task.Verdicts;
import io.despina.runtime.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Several resources on one clock, cranked at random until their jobs have ended. */
final class Simulation {
    private static final int STEPS = 4_000_000;
    private static final long LONGEST_TICK = 20_000;
    private static final long LONGEST_STALL = 10_000_000;
    private static final int STALL_ONE_IN = 300;
    private static final int OPEN_ONE_IN = 30;

    private final Random random;
    private final SimulatedNetwork network;
    private final List<SimulatedWorkers> tiers = new ArrayList<>();
    private final List<SegmentPool> pools = new ArrayList<>();
    private final List<Resource> resources = new ArrayList<>();
    private final List<JobHandle> jobs = new ArrayList<>();
    /** By pool: memory that something else has taken. */
    private final List<Long> taken = new ArrayList<>();
    /** Segments that may be beyond the budget of a resource. */
    private int mostBeyond = Integer.MAX_VALUE;
    private int seenBeyond;
    private final List<Stalled> stalled = new ArrayList<>();
    /** Nanoseconds; moves between turns and a little while a task runs. */
    private long now = 1_000_000;

    private record Stalled(Worker worker, long until) {
    }

    Simulation(Random random) {
        this.random = random;
        network = new SimulatedNetwork(this::nanos, random);
    }

    /** Every look at the clock takes a moment. */
    long nanos() {
        return now += 50;
    }

    void addResource(int workers, long memoryBytes) {
        SimulatedWorkers threads = new SimulatedWorkers(workers);
        SegmentPool pool = new SegmentPool(new Budget(memoryBytes));
        tiers.add(threads);
        pools.add(pool);
        resources.add(new Resource(new ResourceOptions(threads, new JobLinks.Shared(pool, network.of(pool), this::nanos),
                    () -> nanos() / 1_000)));
    }

    /** @param tasks per resource */
    List<JobHandle> start(String jobId, List<List<TaskSpec>> tasks) {
        List<JobHandle> started = new ArrayList<>();
        for (int k = 0; k < resources.size(); k++) {
            started.add(resources.get(k).deploy(Attempt.first(jobId), tasks.get(k)));
        }
        Verdicts.concludeTogether(started);
        started.forEach(JobHandle::start);
        jobs.addAll(started);
        return started;
    }

    /** Leaves no more than {@code most} bytes floating, and from now on holds the resources to what may be beyond that. */
    void leaveFloating(int most, int beyond) {
        mostBeyond = beyond;
        for (SegmentPool pool : pools) {
            long bytes = pool.budget().floating() - random.nextInt(most);
            pool.budget().take(bytes);
            taken.add(bytes);
        }
    }

    /** The most segments that have been beyond one budget. */
    int seenBeyond() {
        return seenBeyond;
    }

    long memoryInUse() {
        return pools.stream().mapToLong(pool -> pool.budget().used()).sum() - taken.stream().mapToLong(bytes -> bytes).sum();
    }

    List<SegmentPool> pools() {
        return pools;
    }

    /** @throws AssertionError if a task fails, nothing moves any more, or it takes too long */
    void runUntilEnded() {
        run(STEPS);
        for (JobHandle job : jobs) {
            TaskFailedException failure = job.failure();
            if (failure != null) {
                throw new AssertionError("job failed", failure);
            }
            if (!job.ended().isDone()) {
                throw new AssertionError("not ended after " + STEPS + " steps: " + job.counters().snapshot());
            }
        }
        for (SegmentPool pool : pools) {
            if (!pool.leaks().isEmpty()) {
                throw new AssertionError(pool.leaks().size() + " segments leaked", pool.leaks().values().iterator().next());
            }
        }
    }

    /** Goes on for so many steps, or until all jobs have ended or one has failed. */
    void run(int steps) {
        for (int k = 0; k < steps && !isOver(); k++) {
            if (!turn() && !sweep()) {
                waitForTime();
            }
            pools.forEach(this::checkBeyond);
        }
    }

    private void checkBeyond(SegmentPool pool) {
        int beyond = pool.overdraft().segments();
        seenBeyond = Math.max(seenBeyond, beyond);
        if (beyond > mostBeyond) {
            throw new AssertionError(beyond + " segments beyond the budget, " + mostBeyond + " at most may be");
        }
    }

    private boolean isOver() {
        boolean ended = true;
        for (JobHandle job : jobs) {
            if (job.failure() != null) {
                return true;
            }
            ended &= job.ended().isDone();
        }
        return ended;
    }

    private boolean turn() {
        now += random.nextLong(LONGEST_TICK);
        if (random.nextInt(3) == 0) {
            return network.crank(now);
        }
        SimulatedWorkers threads = tiers.get(random.nextInt(tiers.size()));
        if (random.nextInt(OPEN_ONE_IN) == 0) {
            return threads.open(random);
        }
        List<Worker> workers = threads.workers();
        Worker worker = workers.get(random.nextInt(workers.size()));
        if (isStalled(worker)) {
            return false;
        }
        if (random.nextInt(STALL_ONE_IN) == 0) {
            stalled.add(new Stalled(worker, now + random.nextLong(LONGEST_STALL)));
        }
        return worker.crank(now);
    }

    private boolean isStalled(Worker worker) {
        stalled.removeIf(one -> one.until() <= now);
        return stalled.stream().anyMatch(one -> one.worker() == worker);
    }

    private boolean sweep() {
        boolean moved = network.crankAny(now);
        for (SimulatedWorkers threads : tiers) {
            moved |= threads.open(random);
            for (int k = 0; k < threads.workers().size(); k++) {
                Worker worker = threads.workers().get(k);
                moved |= !isStalled(worker) && worker.crank(now);
            }
        }
        return moved;
    }

    private void waitForTime() {
        long next = network.nextEvent(now);
        for (Stalled one : stalled) {
            next = Math.min(next, one.until());
        }
        for (SimulatedWorkers threads : tiers) {
            for (Worker worker : threads.workers()) {
                long deadline = worker.nextDeadline();
                next = Math.min(next, deadline);
            }
        }
        if (next == Long.MAX_VALUE) {
            StringBuilder state = new StringBuilder("deadlock: nothing can move any more");
            jobs.forEach(job -> state.append("\n").append(job.counters().snapshot().operators()));
            throw new AssertionError(state.toString());
        }
        now = Math.max(now, next);
    }
}
