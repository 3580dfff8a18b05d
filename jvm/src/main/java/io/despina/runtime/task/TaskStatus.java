package io.despina.runtime.task;

import io.despina.link.NoRoom;
import io.despina.link.PortOutput;
import io.despina.metrics.Counter;
import io.despina.metrics.StageCounters;
import io.despina.metrics.TaskTimes;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.spec.InstanceStatus;
import io.despina.spec.InstanceStatus.Doing;
import io.despina.spec.Partition;
import io.despina.spec.Schedule;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** How a task stands, for users who ask. The task's thread and its host write it, any thread reads it. */
final class TaskStatus {
    private static final String ARROW = "->";

    /** A user asks for an instance: the first answer counts. */
    final class StatusRequest {
        private final int stage;
        private final Consumer<InstanceStatus> answer;
        private final AtomicBoolean answered = new AtomicBoolean();

        StatusRequest(int stage, Consumer<InstanceStatus> answer) {
            this.stage = stage;
            this.answer = answer;
        }

        /** @param keys of the operator's state, or {@link InstanceStatus#UNKNOWN} */
        void answer(long keys) {
            if (answered.compareAndSet(false, true)) {
                answer.accept(status(stage, keys));
            }
        }
    }

    private final TaskSpec spec;
    private final List<StageCounters> counters;
    private final List<Inputs.Channel> inputs;
    /** Written (volatile) once before the task runs. */
    private volatile List<PortOutput> outputs = List.of();
    private volatile LongSupplier clock = () -> 0;
    /** Written (volatile) once by the task's thread. */
    private volatile boolean open;
    /** As {@link #open}. */
    private volatile boolean ended;
    /** Written (volatile) by who sets it. */
    private volatile Schedule schedule;
    /** Written by the task's thread after each run: whether it had more to do, and whether it waits for something outside. */
    private final Counter busy = new Counter();
    private final Counter waits = new Counter();
    private final TaskTimes times = new TaskTimes();
    /** One per stage. */
    private final List<PortTails> tails;

    /** @param inputs may still grow before {@link #connect} */
    TaskStatus(TaskSpec spec, List<StageCounters> counters, List<Inputs.Channel> inputs) {
        this.spec = spec;
        this.counters = counters;
        this.inputs = inputs;
        schedule = spec.schedule();
        tails = spec.stages().stream().map(stage -> new PortTails(stage.ports().inputs(), () -> clock.getAsLong())).toList();
    }

    List<PortTails> tails() {
        return tails;
    }

    List<StageCounters> counters() {
        return counters;
    }

    void connect(Collection<PortOutput> ports, LongSupplier nanos) {
        clock = nanos;
        outputs = List.copyOf(ports);
    }

    void schedule(Schedule now) {
        schedule = now;
    }

    void opened() {
        open = true;
    }

    boolean isOpen() {
        return open;
    }

    void ended() {
        ended = true;
        times.close(clock.getAsLong());
    }

    /** What the task's time goes to. */
    TaskTimes times() {
        return times;
    }

    /** @param now nanoseconds when the run ended */
    void ran(boolean hasMore, boolean isWaiting, long now) {
        busy.set(hasMore ? 1 : 0);
        waits.set(isWaiting ? 1 : 0);
        times.end(now, !hasMore && pause() != null);
    }

    private InstanceStatus status(int stage, long keys) {
        StageSpec of = spec.stages().get(stage);
        StageCounters counted = counters.get(stage);
        NoRoom pause = ended ? null : pause();
        long bytes = 0;
        double seconds = 0;
        for (Inputs.Channel input : inputs) {
            long queued = ended ? 0 : input.receiver.queuedBytes();
            bytes += queued;
            seconds += queued == 0 ? 0 : (double) queued / input.receiver.bytesPerSecond();
        }
        long millis = Double.isInfinite(seconds) ? InstanceStatus.UNKNOWN : Math.round(seconds * 1000);
        return new InstanceStatus(of.operatorId(), of.instance(), doing(pause != null, bytes > 0),
                pause == null ? null : new InstanceStatus.Pause(receiver(pause),
                        TimeUnit.NANOSECONDS.toMillis(Math.max(0, clock.getAsLong() - pause.since()))),
                stage == 0 ? new InstanceStatus.Queue(bytes, millis) : new InstanceStatus.Queue(0, 0),
                new InstanceStatus.State(counted.stateBytes.get(), keys, counted.watermark.get()));
    }

    private Doing doing(boolean paused, boolean queued) {
        if (ended || !open) {
            return ended ? Doing.ENDED : Doing.OPENING;
        }
        if (schedule instanceof Schedule.Held) {
            return Doing.HELD;
        }
        if (paused) {
            return Doing.PAUSED;
        }
        boolean takes = queued && schedule instanceof Schedule.Data && waits.get() == 0;
        return takes || busy.get() != 0 ? Doing.RUNNING : Doing.WAITING;
    }

    private NoRoom pause() {
        for (PortOutput output : outputs) {
            NoRoom pause = output.noRoom();
            if (pause != null) {
                return pause;
            }
        }
        return null;
    }

    /** The instance at the other end of a channel. */
    private String receiver(NoRoom pause) {
        String link = pause.link().name();
        int arrow = link.indexOf(ARROW);
        String to = arrow < 0 ? link : link.substring(arrow + ARROW.length());
        int dot = to.indexOf('.');
        int instance = pause.link().partition() instanceof Partition.Forward ? spec.stages().get(0).instance() : pause.channel();
        return (dot < 0 ? to : to.substring(0, dot)) + "[" + instance + "]";
    }
}
