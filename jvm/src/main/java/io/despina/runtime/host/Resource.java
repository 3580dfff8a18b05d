package io.despina.runtime.host;

import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.metrics.ProcessUse;
import io.despina.metrics.ResourceSnapshot;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.task.JobLinks;
import io.despina.runtime.task.JobSnapshots;
import io.despina.runtime.worker.ThreadWorkers;
import io.despina.runtime.worker.WorkerOptions;
import io.despina.wire.Wire;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/** Hosts tasks of any number of jobs in this process. Any thread may call it. */
public final class Resource implements AutoCloseable {
    private static final long CLOSE_S = 5;
    private static final long RECENT_NANOS = 1_000_000_000;

    private final ResourceOptions options;
    /** Guarded by this. */
    private final Map<Attempt, JobHandle> jobs = new LinkedHashMap<>();
    /** Guarded by this. */
    private ResourceSnapshot recent;
    /** Guarded by this. */
    private long recentAt;

    public Resource(ResourceOptions options) {
        this.options = options;
    }

    /**
     * A resource with threads of its own.
     *
     * @param cores   sizes the pool of workers
     * @param pool    the resource's memory
     * @param wire    its network; null if no other resource is to be reached. Not closed with the resource
     * @param clock   nanoseconds, monotonic: the clock of all its jobs
     */
    public static Resource open(int cores, SegmentPool pool, Wire wire, LongSupplier clock) {
        return open(WorkerOptions.of(cores), pool, wire, clock);
    }

    /** The same with other threads. */
    public static Resource open(WorkerOptions threads, SegmentPool pool, Wire wire, LongSupplier clock) {
        return new Resource(new ResourceOptions(new ThreadWorkers(threads, wire, clock), new JobLinks.Shared(pool, wire, clock)));
    }

    /**
     * Prepares a job's tasks here: when this returns, every channel that ends here can be sent to.
     *
     * @param attempt unique among the jobs deployed here
     * @throws io.despina.buffer.BudgetException if the minima of its channels do not fit into the memory
     */
    public JobHandle deploy(Attempt attempt, List<TaskSpec> tasks) {
        return deploy(attempt, tasks, JobSnapshots.NONE);
    }

    /** The same, of a job with snapshots. */
    public JobHandle deploy(Attempt attempt, List<TaskSpec> tasks, JobSnapshots snapshots) {
        JobHandle job;
        synchronized (this) {
            if (jobs.containsKey(attempt)) {
                throw new IllegalArgumentException(attempt + " is deployed already");
            }
            job = new JobHandle(attempt, tasks, options, snapshots);
            jobs.put(attempt, job);
        }
        job.ended().whenComplete((nothing, failure) -> forget(attempt));
        return job;
    }

    private synchronized void forget(Attempt attempt) {
        jobs.remove(attempt);
    }

    /** What this process has used. */
    public ResourceSnapshot counters() {
        return options.used().counters();
    }

    /** What its process has used of processors and has of memory: quickly told. */
    public ProcessUse use() {
        return options.used().use();
    }

    /**
     * {@link #counters} as they were at most {@link #RECENT_NANOS} ago: to count looks at every thread, so all jobs share one
     * count.
     */
    public synchronized ResourceSnapshot recentCounters() {
        long now = options.clock().getAsLong();
        if (recent == null || now - recentAt > RECENT_NANOS) {
            recent = counters();
            recentAt = now;
        }
        return recent;
    }

    /** Ends all jobs at once, waits for them (at most 5 s), and ends the threads. */
    @Override
    public void close() {
        List<JobHandle> running;
        synchronized (this) {
            running = List.copyOf(jobs.values());
        }
        running.forEach(JobHandle::kill);
        for (JobHandle job : running) {
            try {
                job.ended().get(CLOSE_S, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            } catch (ExecutionException | TimeoutException e) {
                System.getLogger(Resource.class.getName()).log(System.Logger.Level.WARNING,
                        "job " + job.id() + " did not end within " + CLOSE_S + " s", e);
            }
        }
        options.workers().close();
    }
}
