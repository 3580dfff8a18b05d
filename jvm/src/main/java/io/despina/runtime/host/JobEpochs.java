package io.despina.runtime.host;

import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.task.EpochWords;
import io.despina.runtime.task.FrozenInstance;
import io.despina.runtime.task.HostedTask;
import io.despina.runtime.task.JobSnapshots;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * The epochs of a job in one resource. In a job with snapshots every operator instance takes part in each. In any other job only
 * sinks that commit do, from their END on: such a job has one epoch, which begins when it has settled. Any thread may call it,
 * and no call blocks.
 */
public final class JobEpochs {

    /** An epoch that has begun, or that a task has spoken of: a barrier may come faster than the command. */
    private static final class Gathering {
        final CompletableFuture<FrozenEpoch> answer = new CompletableFuture<>();
        final Map<JobSnapshots.Instance, FrozenInstance> frozen = new HashMap<>();
        boolean begun;
        Throwable failure;
    }

    /** Set before the job starts. */
    private List<HostedTask> tasks = List.of();
    /** Of every operator instance here, in the order of tasks. */
    private final List<JobSnapshots.Instance> order = new ArrayList<>();
    /** Guarded by this: the instances that take part. */
    private final Set<JobSnapshots.Instance> parts = new HashSet<>();
    /** Guarded by this: by number. */
    private final TreeMap<Long, Gathering> gathering = new TreeMap<>();
    /** Guarded by this: what is said about epochs before this one comes too late. */
    private long oldest;
    /** Guarded by this: the last that has begun. */
    private long last;
    /** Guarded by this: the last epoch that a part has committed. */
    private final Map<JobSnapshots.Instance, Long> committed = new HashMap<>();
    /** Guarded by this: by the epoch that is to be committed. */
    private final TreeMap<Long, CompletableFuture<Void>> committing = new TreeMap<>();
    /** Guarded by this: why no epoch can be taken any more; or null. */
    private String over;
    /** Guarded by this: why what a job with snapshots keeps is not whole; or null. */
    private String lost;
    /** Set before the job starts: whether all instances take part. */
    private boolean all;

    /** Before the job starts. @param all whether all instances take part */
    void begin(List<HostedTask> tasks, boolean all) {
        this.all = all;
        this.tasks = List.copyOf(tasks);
        for (HostedTask hosted : tasks) {
            for (StageSpec stage : hosted.spec().stages()) {
                if (stage.role() != StageSpec.Role.PARTIAL) {
                    order.add(new JobSnapshots.Instance(stage.operatorId(), stage.instance()));
                }
            }
        }
        if (all) {
            parts.addAll(order);
        }
    }

    /** What the tasks say. */
    EpochWords words() {
        return new Words();
    }

    /**
     * Sends the barrier of an epoch.
     *
     * @param epoch greater than those before, of which none is under way any more: one that has not completed is dropped
     * @return completes when every part here has frozen, is written and prepared. Fails if one could not write or prepare: the
     *         epoch is then to be dropped, but not the job
     */
    public CompletableFuture<FrozenEpoch> begin(long epoch) {
        Gathering begun;
        synchronized (this) {
            if (epoch <= last) {
                throw new IllegalArgumentException("epoch " + epoch + " begins after epoch " + last);
            }
            last = epoch;
            begun = gathering.computeIfAbsent(epoch, any -> new Gathering());
            begun.begun = true;
            begun.failure = lost == null ? begun.failure : new IOException(lost);
        }
        drop(epoch - 1);
        tasks.forEach(task -> task.barrier(epoch));
        tell(epoch);
        return begun.answer;
    }

    /**
     * The epoch is complete and kept, all over the job: sinks commit it, and all prepared before it; sources acknowledge it.
     *
     * @param isLast whether the job ends with it
     * @return completes when all have, and nobody needs the sinks of a job that ends; fails if the job ends before
     */
    public CompletableFuture<Void> complete(long epoch, boolean isLast) {
        CompletableFuture<Void> all;
        synchronized (this) {
            all = committing.computeIfAbsent(epoch, any -> new CompletableFuture<>());
        }
        tasks.forEach(task -> task.complete(epoch, isLast));
        tellCommitted();
        return all;
    }

    /** The epoch, and each before it, will never be complete if it is not yet: what is prepared waits for the next one. */
    public void drop(long epoch) {
        List<CompletableFuture<FrozenEpoch>> dropped = new ArrayList<>();
        synchronized (this) {
            oldest = Math.max(oldest, epoch + 1);
            Map<Long, Gathering> until = gathering.headMap(epoch, true);
            until.values().forEach(each -> dropped.add(each.answer));
            until.clear();
        }
        dropped.forEach(each -> each.completeExceptionally(new CancellationException("the epoch was dropped")));
    }

    /** Who has not frozen that epoch here, in words; empty for nobody. */
    public synchronized String unfrozen(long epoch) {
        Gathering under = gathering.get(epoch);
        return under == null ? "" : named(under.frozen.keySet());
    }

    /** The oldest epoch that is to be committed here; {@link Long#MAX_VALUE} for none. */
    public synchronized long committing() {
        return committing.isEmpty() ? Long.MAX_VALUE : committing.firstKey();
    }

    /** Who has not committed that epoch here, in words; empty for nobody. */
    public synchronized String uncommitted(long epoch) {
        return named(committed.entrySet().stream().filter(each -> each.getValue() >= epoch).map(Map.Entry::getKey)
                .collect(Collectors.toSet()));
    }

    /** The operators of parts that are not among those: the first in the plan's order, and how many others. */
    private String named(Set<JobSnapshots.Instance> done) {
        List<String> late = order.stream().filter(part -> parts.contains(part) && !done.contains(part))
                .map(JobSnapshots.Instance::operator).distinct().toList();
        int others = late.size() - 1;
        return late.isEmpty() ? "" : "operator `" + late.get(0) + "`"
                + (others == 0 ? "" : " and " + others + (others == 1 ? " other" : " others"));
    }

    /** The task has ended. If it takes part, no epoch can have its part any more. */
    void left(HostedTask task) {
        boolean partOf;
        synchronized (this) {
            partOf = task.spec().stages().stream()
                    .anyMatch(stage -> parts.contains(new JobSnapshots.Instance(stage.operatorId(), stage.instance())));
        }
        if (partOf) {
            end("task " + task.spec().id() + " has ended");
        }
    }

    /** Packets were lost: no epoch that has begun can be complete any more. */
    void fail(String why) {
        long until;
        synchronized (this) {
            lost = all ? why : null;
            gathering.values().forEach(each -> each.failure = new IOException(why));
            until = last;
        }
        tell(until);
    }

    /** No epoch can be taken any more, and none that is under way will complete. */
    void end(String why) {
        List<CompletableFuture<Void>> left;
        synchronized (this) {
            if (over == null) {
                over = why;
            }
            left = List.copyOf(committing.values());
            committing.clear();
        }
        tell(Long.MAX_VALUE);
        left.forEach(each -> each.completeExceptionally(new CancellationException(why)));
    }

    /** Answers for the epochs up to one, as far as the answer is known. */
    private void tell(long until) {
        List<Runnable> answers = new ArrayList<>();
        synchronized (this) {
            gathering.headMap(until, true).forEach((epoch, each) -> {
                if (!each.begun) {
                    return;
                }
                Throwable why = over != null ? new CancellationException(over) : each.failure;
                if (why != null) {
                    answers.add(() -> each.answer.completeExceptionally(why));
                } else if (each.frozen.keySet().containsAll(parts)) {
                    FrozenEpoch frozen = new FrozenEpoch(epoch,
                            order.stream().map(each.frozen::get).filter(Objects::nonNull).toList());
                    answers.add(() -> each.answer.complete(frozen));
                }
            });
        }
        answers.forEach(Runnable::run);
    }

    private void tellCommitted() {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        String why;
        synchronized (this) {
            long least = parts.stream().mapToLong(part -> committed.getOrDefault(part, 0L)).min().orElse(Long.MAX_VALUE);
            Map<Long, CompletableFuture<Void>> until = committing.headMap(over == null ? least : Long.MAX_VALUE, true);
            all.addAll(until.values());
            until.clear();
            why = over;
        }
        all.forEach(each -> {
            if (why == null) {
                each.complete(null);
            } else {
                each.completeExceptionally(new CancellationException(why));
            }
        });
    }

    private final class Words implements EpochWords {
        @Override
        public void join(JobSnapshots.Instance part) {
            synchronized (JobEpochs.this) {
                parts.add(part);
            }
        }

        @Override
        public void frozen(long epoch, FrozenInstance part) {
            synchronized (JobEpochs.this) {
                if (epoch < oldest) {
                    return;
                }
                gathering.computeIfAbsent(epoch, any -> new Gathering()).frozen.put(part.of(), part);
            }
            tell(epoch);
        }

        @Override
        public void failed(long epoch, JobSnapshots.Instance part, Throwable why) {
            synchronized (JobEpochs.this) {
                if (epoch < oldest) {
                    return;
                }
                gathering.computeIfAbsent(epoch, any -> new Gathering()).failure = why;
            }
            tell(epoch);
        }

        @Override
        public void committed(long epoch, JobSnapshots.Instance part) {
            synchronized (JobEpochs.this) {
                committed.merge(part, epoch, Math::max);
            }
            tellCommitted();
        }
    }
}
