package io.despina.control.coordinator;

import io.despina.control.protocol.Refusal;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * The coordinator's jobs, by id: all running ones, and the last {@link #MOST_ENDED} ended ones, as long as
 * their untaken rows are at most {@link #MOST_BYTES}. The last ended job stays in any case. Thread-safe.
 */
final class Jobs {
    static final int MOST_ENDED = 100;
    static final long MOST_BYTES = 256L << 20;

    private final Map<String, Job> jobs = new ConcurrentHashMap<>();
    /** The oldest first; guarded by itself. */
    private final Deque<Job> ended = new ArrayDeque<>();

    /** @param before the ended job whose id it has; null for a new one */
    void add(Job job, Job before) throws Refusal {
        if (before == null) {
            jobs.put(job.id(), job);
        } else if (!jobs.replace(job.id(), before, job)) {
            throw new Refusal("state", before.attempt().attempt() + " has been started again already", null);
        }
        job.ended().thenRun(() -> keep(job));
    }

    private void keep(Job last) {
        synchronized (ended) {
            ended.add(last);
            long bytes = ended.stream().mapToLong(one -> one.exchange().waitingBytes()).sum();
            while (ended.size() > 1 && (ended.size() > MOST_ENDED || bytes > MOST_BYTES)) {
                Job dropped = ended.remove();
                bytes -= dropped.exchange().waitingBytes();
                jobs.remove(dropped.id(), dropped);
            }
        }
    }

    Job get(String id) throws Refusal {
        Job job = jobs.get(id);
        if (job == null) {
            throw new Refusal("job", "no job " + id, "of jobs that have ended, the last " + MOST_ENDED + " are kept, with "
                    + (MOST_BYTES >> 20) + " MB of rows at most: take rows and report when a job ends");
        }
        return job;
    }

    /** @return null if there is none */
    Job find(String id) {
        return jobs.get(id);
    }

    Collection<Job> all() {
        return jobs.values();
    }

    /** Also when it is interrupted, as Spark does with a query that it stops: what comes next may want the same state folder. */
    static void awaitEnd(List<Job> ending, long millis, LongSupplier nanoTime) {
        CompletableFuture<Void> all = CompletableFuture.allOf(ending.stream().map(Job::ended).toArray(CompletableFuture[]::new));
        long begun = nanoTime.getAsLong();
        boolean interrupted = false;
        boolean waits = true;
        while (waits) {
            try {
                all.get(millis - TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - begun), TimeUnit.MILLISECONDS);
                waits = false;
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException | TimeoutException e) {
                System.err.println("despina: a job did not end in time; its resources are ended");
                waits = false;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
