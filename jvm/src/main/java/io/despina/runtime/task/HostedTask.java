package io.despina.runtime.task;

import io.despina.link.ChannelSpec;
import io.despina.link.PortOutput;
import io.despina.metrics.StageCounters;
import io.despina.packet.PacketLayout;
import io.despina.packet.Schema;
import io.despina.runtime.deployment.InputSpec;
import io.despina.runtime.deployment.PortSpec;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.worker.Task;
import io.despina.runtime.worker.TaskSlot;
import io.despina.runtime.worker.Worker;
import io.despina.runtime.worker.Workers;
import io.despina.spec.Blocking;
import io.despina.spec.Schedule;
import io.despina.wake.Waker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** One task of a job in this resource, from its deployment to its end. */
public final class HostedTask implements Waker {

    /** What a task tells its job, on its worker's thread. */
    public interface TaskListener {
        void failed(TaskFailedException cause);

        /** It has given everything back. */
        void ended();
    }

    private final String job;
    private final TaskSpec spec;
    private final JobCompletion.Part completion;
    private final Workers workers;
    private final List<Inputs.Channel> inputs = new ArrayList<>();
    private final List<StageCounters> counters = new ArrayList<>();
    private final Mailbox mailbox = new Mailbox();
    /** Written (volatile) at deployment and by the task's worker, read by any thread. */
    private volatile Worker home;
    /** Null until it is connected. */
    private TaskSlot slot;

    public HostedTask(String job, TaskSpec spec, JobCompletion.Part completion, Workers workers) {
        this.job = job;
        this.spec = spec;
        this.completion = completion;
        this.workers = workers;
        home = workers.assign(job, spec);
        spec.stages().forEach(stage -> counters.add(new StageCounters()));
    }

    public TaskSpec spec() {
        return spec;
    }

    public JobCompletion.Part completion() {
        return completion;
    }

    /** One per stage. */
    public List<StageCounters> counters() {
        return counters;
    }

    public boolean isSource() {
        return spec.inputs().isEmpty();
    }

    public boolean isConnected() {
        return slot != null;
    }

    /** Gets the receiving ends of its channels. */
    public void receive(JobLinks links) {
        for (InputSpec input : spec.inputs()) {
            for (ChannelSpec channel : input.channels()) {
                inputs.add(new Inputs.Channel(input.port(), links.receiver(channel, spec.settings(), home)));
            }
        }
    }

    /** Connects its outputs and makes the task, which {@link #run} then has run. */
    public void connect(JobParts shared, TaskListener listener) {
        Map<PortSpec, PortOutput> outputs = new LinkedHashMap<>();
        for (PortSpec port : spec.outputs()) {
            outputs.put(port, shared.links().output(port, spec.settings(), home));
        }
        TaskParts parts = new TaskParts(spec, counters, outputs, shared, completion, mailbox, this);
        Opening opening = new Opening(parts,
                spec.blocking() == Blocking.NEVER ? null : open -> workers.runBlocking(job, spec, open), this::run);
        Task task = isSource() ? new SourceTask(parts, opening) : new OperatorTask(parts, opening, inputs, batching());
        slot = new TaskSlot(spec.id(), task, owner(listener), home);
        for (Inputs.Channel input : inputs) {
            input.receiver.setReceiver(slot);
        }
        outputs.values().forEach(output -> output.setWaker(slot));
    }

    private Batching batching() {
        return spec.settings().batchScheduling() ? new Batching.BySegment()
                : new Batching.ByPacket(spec.stages().get(0).ports().inputs().stream().map(Schema::layout)
                        .toArray(PacketLayout[]::new));
    }

    private TaskSlot.Owner owner(TaskListener listener) {
        UnaryOperator<Worker> next = workers.rotation(spec);
        return new TaskSlot.Owner() {
            @Override
            public void failed(TaskSlot failed, Throwable cause) {
                if (failed.isCancelled()) {
                    return;
                }
                StageSpec first = spec.stages().get(0);
                listener.failed(cause instanceof TaskFailedException named ? named
                        : new TaskFailedException(first.operatorId(), first.instance(), cause));
            }

            @Override
            public Worker ownWorker(TaskSlot blocking) {
                Worker own = workers.dedicated(job, spec);
                workers.release(home);
                home = own;
                return own;
            }

            @Override
            public Worker nextWorker(Worker last) {
                return next.apply(last);
            }

            @Override
            public void ended(TaskSlot done) {
                workers.release(home);
                listener.ended();
            }
        };
    }

    /** Of a task that is not connected and will not be. */
    public void leave() {
        inputs.forEach(input -> input.receiver.close());
        workers.release(home);
    }

    /** Has it run soon, if it is connected. */
    public void run() {
        if (slot != null) {
            slot.wake();
        }
    }

    /** A source looks at what is new. Of a task that is connected. */
    @Override
    public void wake() {
        if (isSource()) {
            mailbox.tellOfNews();
        }
        slot.wake();
    }

    /** Has it run by another schedule from now on. */
    public void schedule(Schedule schedule) {
        tell(new Mailbox.Command.RunBy(schedule));
    }

    /**
     * Has a source produce nothing more.
     *
     * @param how {@link io.despina.buffer.Segment#COMPLETE} or {@link io.despina.buffer.Segment#STOPPED}
     */
    public void stop(long how) {
        tell(new Mailbox.Command.Stop(how));
    }

    /** Has a source pass a barrier on: the snapshot of that epoch is of this instant. */
    public void snapshot(long epoch) {
        tell(new Mailbox.Command.Barrier(epoch));
    }

    /** The snapshot of that epoch is complete and kept. */
    public void complete(long epoch) {
        tell(new Mailbox.Command.Complete(epoch));
    }

    private void tell(Mailbox.Command command) {
        mailbox.put(command);
        run();
    }

    /** Has it end with what it has. */
    public void cut() {
        slot.cut();
        interrupt();
    }

    /** Has it give everything back. */
    public void cancel() {
        slot.cancel();
    }

    /** Interrupts what it may wait for. */
    public void interrupt() {
        workers.interrupt(home);
    }
}
