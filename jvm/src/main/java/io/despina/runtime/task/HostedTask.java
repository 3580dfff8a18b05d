package io.despina.runtime.task;

import io.despina.link.ChannelSpec;
import io.despina.link.PortOutput;
import io.despina.metrics.StageCounters;
import io.despina.metrics.TaskTimes;
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
import io.despina.spec.BucketMap;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import io.despina.spec.InstanceStatus;
import io.despina.spec.Schedule;
import io.despina.wake.Waker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** One task of a job in this resource, from its deployment to its end. */
public final class HostedTask implements Waker {

    /** Called on the thread of the task's worker. */
    public interface TaskListener {
        void failed(TaskFailedException cause);

        /** The task has ended and released everything. */
        void ended();
    }

    private final String job;
    private final TaskSpec spec;
    private final JobCompletion.Part completion;
    private final Workers workers;
    private final List<Inputs.Channel> inputs = new ArrayList<>();
    private final List<StageCounters> counters = new ArrayList<>();
    private final Mailbox mailbox = new Mailbox();
    private final TaskStatus status;
    /** Whether the task has a thread of its own, on which a call may take long. Written (volatile) as {@link #home} is. */
    private volatile boolean mayBlock;
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
        status = new TaskStatus(spec, counters, inputs);
        mayBlock = spec.blocking() == Blocking.ALWAYS;
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

    /** That runs it now. */
    public Worker home() {
        return home;
    }

    /** What its time goes to. */
    public TaskTimes times() {
        return status.times();
    }

    public boolean isSource() {
        return spec.inputs().isEmpty();
    }

    public boolean isConnected() {
        return slot != null;
    }

    /** Creates the receiving ends of its channels. */
    public void receive(JobLinks links) {
        for (InputSpec input : spec.inputs()) {
            for (ChannelSpec channel : input.channels()) {
                inputs.add(new Inputs.Channel(input, links.receiver(channel, spec.settings(), home)));
            }
        }
    }

    /** Connects its outputs and creates the task; {@link #run} starts it. */
    public void connect(JobParts shared, TaskListener listener) {
        Map<PortSpec, PortOutput> outputs = new LinkedHashMap<>();
        for (PortSpec port : spec.outputs()) {
            outputs.put(port, shared.links().output(port, spec.settings(), home));
        }
        TaskParts parts = new TaskParts(spec, outputs, shared, completion, mailbox, this,
                call -> put(new Mailbox.Command.Call(call)), status);
        status.connect(outputs.values(), parts.clock());
        Opening opening = new Opening(parts,
                spec.blocking() == Blocking.NEVER ? null : open -> workers.runBlocking(job, spec, home.aside(open)), this::run);
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
                mayBlock = true;
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

    /** Closes the inputs of a task that is not connected and will not be. */
    public void leave() {
        inputs.forEach(input -> input.receiver.close());
        workers.release(home);
    }

    /** The task runs soon, if it is connected. */
    public void run() {
        if (slot != null) {
            slot.wake();
        }
    }

    /** A source produces soon, whatever it answered last. The task must be connected. */
    @Override
    public void wake() {
        if (isSource()) {
            mailbox.tellOfNews();
        }
        slot.wake();
    }

    /** Changes the schedule. */
    public void schedule(Schedule schedule) {
        status.schedule(schedule);
        mailbox.schedule(schedule);
        run();
    }

    /**
     * Tells the operator of a stage what a user wants.
     *
     * @param stage  from 0
     * @param answer called once, by any thread, perhaps at once
     */
    public void tell(int stage, ControlCommand command, String argument, Consumer<ControlAnswer> answer) {
        Mailbox.Command.Tell tell = new Mailbox.Command.Tell(stage, command, argument, answer, spec.stages().get(stage));
        try {
            put(tell);
        } catch (IllegalStateException full) {
            tell.answer(false, full.getMessage());
        }
    }

    /**
     * Asks how the operator of a stage stands. A task that is in a call which may take long is not waited for.
     *
     * @param stage  from 0
     * @param answer called once, by any thread, perhaps at once
     */
    public void status(int stage, Consumer<InstanceStatus> answer) {
        TaskStatus.StatusRequest asked = status.new StatusRequest(stage, answer);
        if (takesLong()) {
            asked.answer(InstanceStatus.UNKNOWN);
            return;
        }
        try {
            put(new Mailbox.Command.Status(stage, asked));
        } catch (IllegalStateException full) {
            asked.answer(InstanceStatus.UNKNOWN);
        }
        if (takesLong()) {      // it has begun to, and may not have seen the question
            asked.answer(InstanceStatus.UNKNOWN);
        }
    }

    /** Some rows that have come to a port of a stage since the last call, see {@link ControlCommand#TAIL}. Any thread may ask. */
    public List<String> tail(int stage, int port) {
        return status.tails().get(stage).take(port);
    }

    private boolean takesLong() {
        return slot == null || !status.isOpen() || mayBlock && slot.isRunning();
    }

    /**
     * The mark of a user's {@code sync}: a source sends it, at the next point between two packets.
     *
     * @param number greater than those before
     * @param stages that are to answer
     * @param answer called once for each of them when the mark has passed the task, by any thread
     */
    public void sync(long number, List<StageSpec> stages, Consumer<ControlAnswer> answer) {
        put(new Mailbox.Command.Pass(SyncMarks.value(number), stages, answer));
    }

    /** Prepares a move of buckets: behind its mark the operator has that map. @param number greater than those before */
    public void prepareMove(long number, String operator, BucketMap map) {
        spec.maps().filter(each -> each.operator().equals(operator))
                .forEach(each -> each.prepare(SyncMarks.ofMove(number), map));
    }

    /** The mark of a move that all resources have prepared, as {@link #sync}. Who answers has done its part of it. */
    public void move(long number, List<StageSpec> stages, Consumer<ControlAnswer> answer) {
        put(new Mailbox.Command.Pass(SyncMarks.ofMove(number), stages, answer));
    }

    /**
     * Stops a source.
     *
     * @param how {@link io.despina.buffer.Segment#COMPLETE} or {@link io.despina.buffer.Segment#STOPPED}
     */
    public void stop(long how) {
        put(new Mailbox.Command.Stop(how));
    }

    /**
     * The barrier of an epoch: a source sends it, at the next point between two packets; a task that has passed its END, or
     * passes it before the barrier comes to it, acts as if it had come.
     */
    public void barrier(long epoch) {
        put(new Mailbox.Command.Barrier(epoch));
    }

    /** The epoch is complete and kept. @param isLast whether the job ends with it */
    public void complete(long epoch, boolean isLast) {
        put(new Mailbox.Command.Complete(epoch, isLast));
    }

    private void put(Mailbox.Command command) {
        mailbox.put(command);
        run();
    }

    /** Ends the task early: it takes nothing more. */
    public void cut() {
        slot.cut();
        interrupt();
    }

    /** Aborts the task. */
    public void cancel() {
        slot.cancel();
    }

    /** Interrupts the call in which the task may block. */
    public void interrupt() {
        workers.interrupt(home);
    }
}
