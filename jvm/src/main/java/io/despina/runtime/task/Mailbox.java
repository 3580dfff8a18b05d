package io.despina.runtime.task;

import io.despina.runtime.deployment.StageSpec;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import io.despina.spec.InstanceStatus;
import io.despina.spec.Schedule;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The commands to a task, in order. Any thread puts them in, and wakes the task afterwards; the task takes them at the beginning
 * of a run.
 */
final class Mailbox {

    /** A command. */
    sealed interface Command {

        /** The task has ended before it. */
        default void missed() {
        }

        /** Whether a user has given it: those are as many as users like, and must not fill the memory. */
        default boolean isOfUser() {
            return false;
        }

        /** Change the schedule, to the last one that was told. */
        record RunBy(AtomicReference<Schedule> last) implements Command {

            Schedule take() {
                return last.getAndSet(null);
            }
        }

        /**
         * To a source: stop.
         *
         * @param how {@link io.despina.buffer.Segment#COMPLETE} or {@link io.despina.buffer.Segment#STOPPED}
         */
        record Stop(long how) implements Command {
        }

        /** The barrier of an epoch: a source sends it, and so does a task that has passed its END. */
        record Barrier(long epoch) implements Command {
        }

        /** The epoch is complete and kept. @param isLast whether the job ends with it */
        record Complete(long epoch, boolean isLast) implements Command {
        }

        /**
         * What a user tells the operator of a stage.
         *
         * @param stage  from 0
         * @param answer called once, by any thread
         */
        record Tell(int stage, ControlCommand command, String argument, Consumer<ControlAnswer> answer,
                StageSpec spec) implements Command {

            void answer(boolean ok, String words) {
                answer.accept(new ControlAnswer(spec.operatorId(), spec.instance(), ok, words));
            }

            @Override
            public boolean isOfUser() {
                return true;
            }

            /** Who has no rows any more needs nothing read anew, and keeps no other instance from it. */
            @Override
            public void missed() {
                answer(command == ControlCommand.RELOAD, INPUT_HAS_ENDED);
            }
        }

        /** A user asks how the instance of a stage stands. @param stage from 0 */
        record Status(int stage, TaskStatus.StatusRequest asked) implements Command {
            @Override
            public boolean isOfUser() {
                return true;
            }

            @Override
            public void missed() {
                asked.answer(InstanceStatus.UNKNOWN);
            }
        }

        /**
         * A mark, of a user's {@code sync} or of a move of buckets: a source sends it, and the others await it.
         *
         * @param mark   what its barrier says
         * @param answer called once for each of the stages
         */
        record Pass(long mark, List<StageSpec> stages, Consumer<ControlAnswer> answer) implements Command {

            void passed() {
                stages.forEach(each -> answer.accept(new ControlAnswer(each.operatorId(), each.instance(), true, "")));
            }

            /** Nothing follows the last packets, and no mark. */
            @Override
            public void missed() {
                stages.forEach(each -> answer.accept(
                        new ControlAnswer(each.operatorId(), each.instance(), true, INPUT_HAS_ENDED)));
            }
        }

        /** Go on with what was done elsewhere. */
        record Call(Runnable call) implements Command {
        }
    }

    private static final String INPUT_HAS_ENDED = "its input has ended";
    /** A task with this many commands of users does not run any more. */
    private static final int MOST = 1 << 10;

    private final Queue<Command> commands = new ConcurrentLinkedQueue<>();
    /** Of users. */
    private final AtomicInteger size = new AtomicInteger();
    /** The schedule that the task has not taken yet; null if it has. */
    private final AtomicReference<Schedule> schedule = new AtomicReference<>();
    /** Written (volatile) by any thread that has something for a source, and by the task's thread before the source looks. */
    private volatile boolean news;
    /** Written (volatile) by the task's thread: it takes no more. */
    private volatile boolean closed;

    /** @throws IllegalStateException if it is of a user, and too many of those wait. The job's own are taken all the same */
    void put(Command command) {
        if (closed) {
            command.missed();
            return;
        }
        if (command.isOfUser() && size.incrementAndGet() > MOST) {
            size.decrementAndGet();
            throw new IllegalStateException("the task takes no commands; " + MOST + " wait");
        }
        commands.add(command);
        if (closed) {
            close();
        }
    }

    /** Puts in a schedule: of several that the task has not taken, the last one counts. */
    void schedule(Schedule next) {
        if (schedule.getAndSet(next) == null) {
            put(new Command.RunBy(schedule));
        }
    }

    /** The next command, or null. */
    Command poll() {
        Command next = commands.poll();
        if (next != null && next.isOfUser()) {
            size.decrementAndGet();
        }
        return next;
    }

    /** The task has ended: further commands are ignored. */
    void close() {
        closed = true;
        for (Command next = poll(); next != null; next = poll()) {
            next.missed();
        }
    }

    /** There is something new for the source; remembered once. */
    void tellOfNews() {
        news = true;
    }

    boolean hasNews() {
        return news;
    }

    /** The source is about to look at what is new. */
    void forgetNews() {
        if (news) {
            news = false;
        }
    }
}
