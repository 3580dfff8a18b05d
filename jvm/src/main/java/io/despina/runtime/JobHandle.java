package io.despina.runtime;

import io.despina.buffer.Segment;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSpec;
import io.despina.link.PortOutput;
import io.despina.metrics.JobSnapshot;
import io.despina.packet.PacketLayout;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One job's tasks in one resource: deployed, started, perhaps stopped, ended. Any thread may call it. When the last task has
 * ended, by itself or after a failure or {@link #kill}, nothing of the job is left here.
 */
public final class JobHandle implements AutoCloseable {
    private static final long FOR_EVER_NANOS = Long.MAX_VALUE / 4;

    /** One task, from its deployment on. */
    private static final class HostedTask {
        private final TaskSpec spec;
        private final List<Inputs.Channel> inputs = new ArrayList<>();
        private final List<StageCounters> counters = new ArrayList<>();
        private Worker home;
        private Task task;
        private TaskSlot slot;

        private HostedTask(TaskSpec spec) {
            this.spec = spec;
            spec.stages().forEach(stage -> counters.add(new StageCounters()));
        }
    }

    private final String id;
    private final ResourceOptions options;
    private final JobLinks links;
    private final JobCounters counters;
    private final List<HostedTask> tasks = new ArrayList<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicInteger left;
    /** Guarded by this. */
    private final List<Consumer<TaskFailedException>> listeners = new ArrayList<>();
    /** Guarded by this. */
    private boolean started;
    /** Guarded by this. */
    private boolean killed;
    /** Guarded by this: the first failure. */
    private TaskFailedException failure;
    /** Guarded by this. */
    private TaskSlot drain;

    JobHandle(String id, List<TaskSpec> specs, ResourceOptions options) {
        this.id = id;
        this.options = options;
        left = new AtomicInteger(specs.size());
        links = options.links().open(id, specs, reason -> fail(TaskFailedException.ofChannel(reason)));
        try {
            specs.forEach(this::receive);
        } catch (RuntimeException e) {
            tasks.forEach(this::leave);
            links.close();
            throw e;
        }
        counters = new JobCounters(links);
        tasks.forEach(hosted -> counters.add(hosted.spec, hosted.counters));
    }

    private void receive(TaskSpec spec) {
        HostedTask hosted = new HostedTask(spec);
        hosted.home = options.tiers().home(id, spec);
        tasks.add(hosted);
        for (InputSpec input : spec.inputs()) {
            for (ChannelSpec channel : input.channels()) {
                hosted.inputs.add(new Inputs.Channel(input.port(), links.receiver(channel, spec.settings(), hosted.home)));
            }
        }
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
                connect(hosted);
            } catch (RuntimeException e) {
                StageSpec first = hosted.spec.stages().get(0);
                // known before the job ends here, so that its end is not taken for a good one
                failure = new TaskFailedException(first.operatorId(), first.instance(), e);
                killed = true;
                tasks.forEach(this::undo);
                throw e;
            }
        }
        if (tasks.isEmpty()) {
            finish();
        }
        tasks.forEach(hosted -> hosted.slot.wake());
    }

    private void connect(HostedTask hosted) {
        TaskSpec spec = hosted.spec;
        Map<PortSpec, PortOutput> outputs = new LinkedHashMap<>();
        for (PortSpec port : spec.outputs()) {
            outputs.put(port, links.output(port, spec.settings(), hosted.home));
        }
        TaskParts parts = new TaskParts(spec, hosted.counters, outputs, links, options.clock());
        hosted.task = spec.inputs().isEmpty() ? new SourceTask(parts) : new OperatorTask(parts, hosted.inputs, walk(spec));
        hosted.slot = new TaskSlot(spec.id(), hosted.task, owner(hosted), hosted.home, options.tiers().nextHome(spec));
        for (Inputs.Channel input : hosted.inputs) {
            input.receiver.wakes(hosted.slot::wake);
        }
        outputs.values().forEach(output -> output.wakes(hosted.slot::wake));
    }

    /** Of a start that failed. */
    private void undo(HostedTask hosted) {
        if (hosted.slot != null) {
            hosted.slot.cancel();
            return;
        }
        leave(hosted);
        if (left.decrementAndGet() == 0) {
            finish();
        }
    }

    /** Of a task that has never run. */
    private void leave(HostedTask hosted) {
        hosted.inputs.forEach(input -> input.receiver.close());
        options.tiers().leave(hosted.home);
    }

    private static Walk walk(TaskSpec spec) {
        return spec.settings().batchScheduling() ? new Walk.BySegment()
                : new Walk.ByPacket(spec.stages().get(0).inputs().stream().map(Schema::layout)
                        .toArray(PacketLayout[]::new));
    }

    private TaskSlot.Owner owner(HostedTask hosted) {
        return new TaskSlot.Owner() {
            @Override
            public void failed(TaskSlot slot, Throwable cause) {
                if (slot.isCancelled()) {
                    return;
                }
                StageSpec first = hosted.spec.stages().get(0);
                fail(cause instanceof TaskFailedException named ? named
                        : new TaskFailedException(first.operatorId(), first.instance(), cause));
            }

            @Override
            public void ended(TaskSlot slot) {
                options.tiers().leave(hosted.home);
                if (left.decrementAndGet() == 0) {
                    finish();
                }
            }
        };
    }

    private void fail(TaskFailedException cause) {
        List<Consumer<TaskFailedException>> told;
        synchronized (this) {
            if (failure != null || killed) {
                return;
            }
            told = List.copyOf(listeners);
            failure = cause;
        }
        try {
            kill();
        } finally {
            told.forEach(listener -> listener.accept(cause));
        }
    }

    /** The last task has ended: what it sent may still be on its way, unless the job was killed. */
    private void finish() {
        links.whenSent(this::complete);
        boolean drop;
        synchronized (this) {
            drop = killed;
        }
        if (drop) {
            links.abandon();
        }
    }

    private void complete() {
        links.close();
        TaskSlot timer;
        synchronized (this) {
            timer = drain;
        }
        ended.complete(null);
        if (timer != null) {
            timer.wake();
        }
    }

    /** Told once, on any thread, when a task fails or a channel breaks; at once if that has happened already. */
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

    /** Completes, never exceptionally, when every task has ended and nothing of the job is left here. */
    public CompletableFuture<Void> ended() {
        return ended;
    }

    /** The first failure, or null. */
    public synchronized TaskFailedException failure() {
        return failure;
    }

    /**
     * The sources produce nothing more; what is in flight is worked off, whatever the tasks' schedules, for so long, then the
     * job is killed.
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
                drain = new TaskSlot(id + "-drain", new DrainTimer(deadline, ended::isDone, this::kill), new Ignoring(),
                        options.tiers().any(), home -> home);
            }
        }
        for (HostedTask hosted : tasks) {
            if (hosted.task instanceof SourceTask source) {
                source.stop(flush ? Segment.COMPLETE : Segment.STOPPED);
                hosted.slot.wake();
            } else {
                // the next tick may come too late
                set(hosted, Schedule.DATA);
            }
        }
        drain.wake();
    }

    private static final class Ignoring implements TaskSlot.Owner {
        @Override
        public void failed(TaskSlot slot, Throwable cause) {
            System.getLogger(JobHandle.class.getName()).log(System.Logger.Level.ERROR, slot.id(), cause);
        }

        @Override
        public void ended(TaskSlot slot) {
        }
    }

    /** Ends every task as soon as it can be reached; sinks drop what is not committed. {@link #ended} tells when. */
    public void kill() {
        synchronized (this) {
            if (killed) {
                return;
            }
            killed = true;
            if (!started) {
                tasks.forEach(this::leave);
                finish();
                return;
            }
        }
        if (left.get() == 0) {
            links.abandon();
        }
        for (HostedTask hosted : tasks) {
            hosted.slot.cancel();
            if (hosted.spec.blocks()) {
                options.tiers().interrupt(hosted.home);
            }
        }
    }

    /** What has been counted since the start, or since {@link #resetCounters}. */
    public JobSnapshot counters() {
        return counters.snapshot();
    }

    /** {@link #counters} without latencies. */
    public JobSnapshot counts() {
        return counters.counts();
    }

    /** By the link's name: bytes of segments that wait at the sending ends here, now. */
    public Map<String, Long> queuedBytes() {
        return links.queuedBytes();
    }

    /** Counts and latencies begin anew: the end of a warm-up. */
    public void resetCounters() {
        counters.reset();
    }

    /**
     * Changes when an operator's tasks run.
     *
     * @throws IllegalArgumentException if it is not the first of a task here: a fused one runs when the one before it does
     */
    public void setSchedule(String operatorId, Schedule schedule) {
        boolean found = false;
        for (HostedTask hosted : tasks) {
            List<StageSpec> stages = hosted.spec.stages();
            if (stages.get(0).operatorId().equals(operatorId)) {
                found = true;
                set(hosted, schedule);
            } else if (stages.stream().anyMatch(stage -> stage.operatorId().equals(operatorId))) {
                throw new IllegalArgumentException("operator " + operatorId + " is fused behind " + stages.get(0).operatorId()
                        + " and runs with it; `fuse: false` on the link before it keeps it apart");
            }
        }
        if (!found) {
            throw new IllegalArgumentException("no operator " + operatorId + " of job " + id + " runs here");
        }
    }

    private static void set(HostedTask hosted, Schedule schedule) {
        if (hosted.task instanceof SourceTask source) {
            source.schedule(schedule);
        } else if (hosted.task instanceof OperatorTask operator) {
            operator.schedule(schedule);
        }
        if (hosted.slot != null) {
            hosted.slot.wake();
        }
    }

    /** As {@link #kill}. */
    @Override
    public void close() {
        kill();
    }
}
