package io.despina.runtime.host;

import io.despina.buffer.Segment;
import io.despina.link.Attempt;
import io.despina.metrics.LinkSnapshot;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.task.HandOvers;
import io.despina.runtime.task.HostedTask;
import io.despina.runtime.task.JobCompletion;
import io.despina.runtime.task.JobLinks;
import io.despina.runtime.task.JobParts;
import io.despina.runtime.task.JobSnapshots;
import io.despina.runtime.task.TaskFailedException;
import io.despina.runtime.worker.TaskSlot;
import io.despina.spec.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One job's tasks in one resource: deployed, started, perhaps stopped, settled, ended. Any thread may call it. Tasks settle when
 * their input has ended, or the job was {@link #cut}; those that take part in {@link #epochs} then wait for the last epoch, and
 * for {@link #conclude}. When the last task has ended, so or after a failure or {@link #kill}, nothing of the job is left here.
 */
public final class JobHandle implements AutoCloseable {
    private static final long FOR_EVER_NANOS = Long.MAX_VALUE / 4;

    private final String id;
    private final ResourceOptions options;
    private final JobLinks links;
    private final JobParts shared;
    private final JobCounters counters;
    private final JobCommands commands;
    private final JobEpochs epochs = new JobEpochs();
    private final List<HostedTask> tasks = new ArrayList<>();
    private final JobCompletion completion;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicInteger left;
    /** Guarded by this. */
    private final List<Consumer<TaskFailedException>> listeners = new ArrayList<>();
    /** Guarded by this. */
    private boolean started;
    /** Guarded by this. */
    private boolean killed;
    /** Guarded by this. */
    private boolean cut;
    /** Guarded by this: everything that the tasks sent has arrived or was given up. */
    private boolean sent;
    /** Guarded by this. */
    private boolean over;
    /** Guarded by this: the first failure. */
    private TaskFailedException failure;
    /** Guarded by this. */
    private TaskSlot drain;

    JobHandle(Attempt attempt, List<TaskSpec> specs, ResourceOptions options, JobSnapshots snapshots) {
        id = attempt.job();
        this.options = options;
        left = new AtomicInteger(specs.size());
        completion = new JobCompletion(specs.size(), this::allSettled);
        links = new JobLinks(options.links(), attempt, specs, reason -> fail(TaskFailedException.ofChannel(reason)));
        shared = JobParts.of(links, snapshots, epochs.words(), options.clock(), options.wall(), specs);
        try {
            specs.forEach(this::receive);
        } catch (RuntimeException e) {
            tasks.forEach(HostedTask::leave);
            links.close();
            throw e;
        }
        counters = new JobCounters(links, options.clock());
        commands = new JobCommands(id, tasks, options.links().pool().budget());
        epochs.begin(tasks, snapshots != JobSnapshots.NONE);
        tasks.forEach(counters::add);
    }

    private void receive(TaskSpec spec) {
        HostedTask hosted = new HostedTask(id, spec, completion.new Part(), options.workers());
        tasks.add(hosted);
        hosted.receive(links);
    }

    public String id() {
        return id;
    }

    /**
     * Connects the tasks' outputs and runs them. Every resource of the job must have deployed it.
     *
     * @throws IllegalStateException if it has been started or killed before
     * @throws RuntimeException      if an output cannot be connected; then the job has ended here
     */
    public synchronized void start() {
        if (started || killed) {
            throw new IllegalStateException("job " + id + (killed ? " has been ended" : " has been started"));
        }
        started = true;
        for (HostedTask hosted : tasks) {
            try {
                hosted.connect(shared, new HostedTask.TaskListener() {
                    @Override
                    public void failed(TaskFailedException cause) {
                        fail(cause);
                    }

                    @Override
                    public void ended() {
                        left.decrementAndGet();
                        epochs.left(hosted);
                        hosted.completion().settle();
                        endIfNothingIsLeft();
                    }
                });
            } catch (RuntimeException e) {
                StageSpec first = hosted.spec().stages().get(0);
                // set before the job ends here, so that the end does not count as a success
                failure = new TaskFailedException(first.operatorId(), first.instance(), e);
                killed = true;
                tasks.forEach(this::undo);
                throw e;
            }
        }
        completion.settleIfEmpty();
        tasks.forEach(HostedTask::run);
    }

    /** Ends a task of a job that does not start. */
    private void undo(HostedTask hosted) {
        if (hosted.isConnected()) {
            hosted.cancel();
            return;
        }
        hosted.leave();
        left.decrementAndGet();
        hosted.completion().settle();
    }

    private void fail(TaskFailedException cause) {
        List<Consumer<TaskFailedException>> toCall;
        synchronized (this) {
            if (failure != null || killed) {
                return;
            }
            if (cause.isOfChannel() && (drain != null || cut)) {
                // the resource at the other end was cut a little sooner
                toCall = null;
            } else {
                failure = cause;
                toCall = List.copyOf(listeners);
            }
        }
        if (toCall == null) {
            cut();
            return;
        }
        try {
            kill();
        } finally {
            toCall.forEach(listener -> listener.accept(cause));
        }
    }

    /** The last task has settled. Its packets may still be in flight, unless the job was killed or cut. */
    private void allSettled() {
        links.whenSent(this::sent);
        boolean drop;
        synchronized (this) {
            drop = killed || cut;
        }
        if (drop) {
            links.abandon();
        }
    }

    private void sent() {
        // settled completes before ended
        settled.complete(null);
        synchronized (this) {
            sent = true;
        }
        endIfNothingIsLeft();
    }

    private void endIfNothingIsLeft() {
        TaskSlot timer;
        synchronized (this) {
            if (!sent || left.get() > 0 || over) {
                return;
            }
            over = true;
            timer = drain;
        }
        links.close();
        ended.complete(null);
        if (timer != null) {
            timer.wake();
        }
    }

    /** Called once, on any thread, when a task fails or a channel breaks; at once if that has happened already. */
    public void onFailure(Consumer<TaskFailedException> listener) {
        TaskFailedException already;
        synchronized (this) {
            listeners.add(listener);
            already = failure;
        }
        if (already != null) {
            listener.accept(already);
        }
    }

    /** Completes, never exceptionally, when every task has settled and everything that they sent has arrived or was given up. */
    public CompletableFuture<Void> settled() {
        return settled;
    }

    /** Its epochs here. When all resources have settled, a last one makes what the sinks have taken visible. */
    public JobEpochs epochs() {
        return epochs;
    }

    /** Lets the tasks that wait close. @param success whether the whole job has succeeded */
    public void conclude(boolean success) {
        completion.decide(success ? JobCompletion.Decision.SUCCEED : JobCompletion.Decision.CLOSE);
        tasks.forEach(HostedTask::run);
    }

    /** Paths at which sinks have left rows that are not committed, for the user. Complete when the job has {@link #ended}. */
    public List<String> leftBehind() {
        return completion.leftBehind();
    }

    /**
     * Packets that the job's tasks here have sent, less those that their operators have taken. The sum over all resources is
     * what was lost in flight when the job was cut. For a job that has settled.
     */
    public long undelivered() {
        long sent = links.counters().values().stream().mapToLong(LinkSnapshot::packets).sum();
        long taken = tasks.stream().filter(hosted -> !hosted.isSource())
                .mapToLong(hosted -> hosted.counters().get(0).packetsIn.get()).sum();
        return sent - taken + completion.dropped();
    }

    /** Whether it has been {@link #cut}. */
    public synchronized boolean isCut() {
        return cut;
    }

    /** Completes, never exceptionally, when every task has ended and nothing of the job is left here. */
    public CompletableFuture<Void> ended() {
        return ended;
    }

    /** The first failure, or null. */
    public synchronized TaskFailedException failure() {
        return failure;
    }

    /**
     * Stops the sources. Packets in flight are processed, whatever the tasks' schedules, until the time is up; then the job is
     * {@link #cut}.
     *
     * @param drainMs milliseconds
     * @param flush   whether open windows fire, as at the end of the input
     */
    public void stop(long drainMs, boolean flush) {
        synchronized (this) {
            if (!started || killed) {
                kill();
                return;
            }
            if (drain == null) {
                long deadline = options.clock().getAsLong() + Math.min(TimeUnit.MILLISECONDS.toNanos(drainMs), FOR_EVER_NANOS);
                DrainTimer timer = new DrainTimer(deadline, settled::isDone, this::cut);
                drain = new TaskSlot(id + "-drain", timer, timer, options.workers().any());
            }
        }
        for (HostedTask hosted : tasks) {
            if (hosted.isSource()) {
                hosted.stop(flush ? Segment.COMPLETE : Segment.STOPPED);
            } else {
                hosted.schedule(Schedule.DATA);     // its next tick may come too late
            }
        }
        drain.wake();
    }

    /**
     * Ends the job early: tasks take nothing more, sinks prepare what they have taken. Before the start, the same as
     * {@link #kill}.
     */
    public void cut() {
        boolean starts;
        synchronized (this) {
            if (killed || cut) {
                return;
            }
            starts = started;
            cut = starts;
        }
        if (!starts) {
            kill();
            return;
        }
        if (!settled.isDone()) {
            epochs.fail("job " + id + " was cut short");
        }
        if (completion.isSettled()) {
            links.abandon();
        }
        tasks.forEach(HostedTask::cut);
    }

    /** Aborts every task as soon as possible; sinks leave what is not committed. {@link #ended} completes when all have ended. */
    public void kill() {
        boolean ran;
        synchronized (this) {
            if (killed) {
                return;
            }
            killed = true;
            ran = started;
        }
        epochs.end("job " + id + " was ended");
        if (!ran) {
            tasks.forEach(this::undo);
            completion.settleIfEmpty();
            return;
        }
        if (completion.isSettled()) {
            links.abandon();
        }
        for (HostedTask hosted : tasks) {
            hosted.cancel();
            hosted.interrupt();
        }
    }

    /** What its operators hand over to others. */
    public HandOvers handOvers() {
        return shared.handOvers();
    }

    /** Commands to the job's running tasks here. */
    public JobCommands commands() {
        return commands;
    }

    /** What the job's tasks here have counted. */
    public JobCounters counters() {
        return counters;
    }

    /** As {@link #kill}. */
    @Override
    public void close() {
        kill();
    }
}
