package io.despina.runtime;

import io.despina.link.ChannelSpec;
import io.despina.link.PortOutput;
import io.despina.packet.PacketLayout;
import io.despina.packet.Schema;
import io.despina.spec.Blocking;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One task of a job in this resource, from its deployment to its end. */
final class HostedTask {

    /** What a task tells its job, on its worker's thread. */
    interface Listener {
        void failed(TaskFailedException cause);

        /** It has given everything back. */
        void ended();
    }

    private final String job;
    private final TaskSpec spec;
    private final Closing.Part closing;
    private final Tiers tiers;
    private final List<Inputs.Channel> inputs = new ArrayList<>();
    private final List<StageCounters> counters = new ArrayList<>();
    private final Mailbox mailbox = new Mailbox();
    /** Written (volatile) at deployment and by the task's worker, read by any thread. */
    private volatile Worker home;
    /** Null until it is connected. */
    private TaskSlot slot;

    HostedTask(String job, TaskSpec spec, Closing.Part closing, Tiers tiers) {
        this.job = job;
        this.spec = spec;
        this.closing = closing;
        this.tiers = tiers;
        home = tiers.home(job, spec);
        spec.stages().forEach(stage -> counters.add(new StageCounters()));
    }

    TaskSpec spec() {
        return spec;
    }

    Closing.Part closing() {
        return closing;
    }

    /** One per stage. */
    List<StageCounters> counters() {
        return counters;
    }

    boolean isSource() {
        return spec.inputs().isEmpty();
    }

    boolean isConnected() {
        return slot != null;
    }

    /** Gets the receiving ends of its channels. */
    void receive(JobLinks links) {
        for (InputSpec input : spec.inputs()) {
            for (ChannelSpec channel : input.channels()) {
                inputs.add(new Inputs.Channel(input.port(), links.receiver(channel, spec.settings(), home)));
            }
        }
    }

    /** Connects its outputs and makes the task, which {@link #run} then has run. */
    void connect(JobParts shared, Listener listener) {
        Map<PortSpec, PortOutput> outputs = new LinkedHashMap<>();
        for (PortSpec port : spec.outputs()) {
            outputs.put(port, shared.links().output(port, spec.settings(), home));
        }
        TaskParts parts = new TaskParts(spec, counters, outputs, shared, closing, mailbox, this::wake);
        Opening opening = new Opening(parts, spec.blocking() == Blocking.NEVER ? null : open -> tiers.aside(job, spec, open),
                this::run);
        Task task = isSource() ? new SourceTask(parts, opening) : new OperatorTask(parts, opening, inputs, walk());
        slot = new TaskSlot(spec.id(), task, owner(listener), home, tiers.nextHome(spec));
        for (Inputs.Channel input : inputs) {
            input.receiver.wakes(slot::wake);
        }
        outputs.values().forEach(output -> output.wakes(slot::wake));
    }

    private Walk walk() {
        return spec.settings().batchScheduling() ? new Walk.BySegment()
                : new Walk.ByPacket(spec.stages().get(0).inputs().stream().map(Schema::layout).toArray(PacketLayout[]::new));
    }

    private TaskSlot.Owner owner(Listener listener) {
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
                Worker own = tiers.own(job, spec);
                tiers.leave(home);
                home = own;
                return own;
            }

            @Override
            public void ended(TaskSlot done) {
                tiers.leave(home);
                listener.ended();
            }
        };
    }

    /** Of a task that is not connected and will not be. */
    void leave() {
        inputs.forEach(input -> input.receiver.close());
        tiers.leave(home);
    }

    /** Has it run soon, if it is connected. */
    void run() {
        if (slot != null) {
            slot.wake();
        }
    }

    /** Has it run soon, and a source look at what is new. Of a task that is connected. */
    void wake() {
        if (isSource()) {
            mailbox.tellOfNews();
        }
        slot.wake();
    }

    void tell(Mailbox.Command command) {
        mailbox.put(command);
        run();
    }

    /** Has it end with what it has. */
    void cut() {
        slot.cut();
        interrupt();
    }

    /** Has it give everything back. */
    void cancel() {
        slot.cancel();
    }

    /** Interrupts what it may wait for. */
    void interrupt() {
        tiers.interrupt(home);
    }
}
