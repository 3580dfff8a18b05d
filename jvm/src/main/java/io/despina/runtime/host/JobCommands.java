package io.despina.runtime.host;

import io.despina.buffer.Budget;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.task.HostedTask;
import io.despina.spec.BucketMap;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import io.despina.spec.InstanceStatus;
import io.despina.spec.Schedule;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Commands to the running tasks of a job in one resource. Any thread may call it. */
public final class JobCommands {
    private final String job;
    private final List<HostedTask> tasks;
    private final Budget budget;

    /** @param budget of the resource */
    JobCommands(String job, List<HostedTask> tasks, Budget budget) {
        this.job = job;
        this.budget = budget;
        this.tasks = List.copyOf(tasks);
    }

    /**
     * Changes when an operator's tasks run.
     *
     * @param schedule null for the one that the graph says
     * @throws IllegalArgumentException if it is not the first of a task here: a fused one runs when the one before it does
     */
    public void setSchedule(String operatorId, Schedule schedule) {
        boolean found = false;
        for (HostedTask hosted : tasks) {
            List<StageSpec> stages = hosted.spec().stages();
            if (stages.get(0).operatorId().equals(operatorId)) {
                found = true;
                hosted.schedule(schedule == null ? hosted.spec().schedule() : schedule);
            } else if (stages.stream().anyMatch(stage -> stage.operatorId().equals(operatorId)
                    && stage.role() != StageSpec.Role.PARTIAL)) {
                throw new IllegalArgumentException("operator " + operatorId + " is fused behind " + stages.get(0).operatorId()
                        + " and runs with it; `fuse: false` on the link before it keeps it apart");
            }
        }
        if (!found) {
            throw new IllegalArgumentException("no operator " + operatorId + " of job " + job + " runs here");
        }
    }

    /**
     * Tells an operator's instances here what a user wants.
     *
     * @param answer called once for each instance, by any thread, perhaps at once
     * @return how many there are. What an operator that is divided has added up before its link counts as instances of it too,
     *         but it only flushes
     */
    public int tell(String operatorId, ControlCommand command, String argument, Consumer<ControlAnswer> answer) {
        int told = 0;
        for (HostedTask hosted : tasks) {
            List<StageSpec> stages = hosted.spec().stages();
            for (int k = 0; k < stages.size(); k++) {
                StageSpec stage = stages.get(k);
                boolean takes = stage.role() != StageSpec.Role.PARTIAL || command == ControlCommand.FLUSH;
                if (takes && stage.operatorId().equals(operatorId)) {
                    told++;
                    hosted.tell(k, command, argument, answer);
                }
            }
        }
        return told;
    }

    /**
     * Asks how an operator's instances here stand.
     *
     * @param answer called once for each instance, by any thread, perhaps at once
     * @return how many there are
     */
    public int status(String operatorId, Consumer<InstanceStatus> answer) {
        int asked = 0;
        for (HostedTask hosted : tasks) {
            List<StageSpec> stages = hosted.spec().stages();
            for (int k = 0; k < stages.size(); k++) {
                if (isWanted(stages.get(k), Set.of(operatorId))) {
                    asked++;
                    hosted.status(k, answer);
                }
            }
        }
        return asked;
    }

    /**
     * Takes some rows that have come to an operator's instances here.
     *
     * @param port   from 0
     * @param answer called once for each instance, at once; what an operator that is divided adds up before its link takes them
     * @return how many there are
     */
    public int tail(String operatorId, int port, BiConsumer<StageSpec, List<String>> answer) {
        int asked = 0;
        for (HostedTask hosted : tasks) {
            List<StageSpec> stages = hosted.spec().stages();
            for (int k = 0; k < stages.size(); k++) {
                if (stages.get(k).role() != StageSpec.Role.MERGING && stages.get(k).operatorId().equals(operatorId)) {
                    asked++;
                    answer.accept(stages.get(k), hosted.tail(k, port));
                }
            }
        }
        return asked;
    }

    /**
     * Lets a mark pass through the graph. All resources of the job must be told, and in the same order as of its epochs.
     *
     * @param number    greater than those before
     * @param operators those that are to answer
     * @param answer    called once for each of their instances when the mark has passed its task, by any thread
     * @return how many there are
     */
    public int sync(long number, Collection<String> operators, Consumer<ControlAnswer> answer) {
        int asked = 0;
        for (HostedTask hosted : tasks) {
            List<StageSpec> wanted = hosted.spec().stages().stream().filter(stage -> isWanted(stage, operators)).toList();
            asked += wanted.size();
            hosted.sync(number, wanted, answer);
        }
        return asked;
    }

    /**
     * Prepares a move of buckets, which the mark of that number begins. All resources of the job prepare it before that is sent.
     *
     * @param operator  whose buckets
     * @param map       behind the mark
     * @param concerned the instances of the operator that give or take some
     * @param answer    called at once for each of these here, with {@code BYTES ROOM}: what it keeps, and what more of states
     *                  this resource has room for; not ok if there is no room for what they keep, which is in memory twice
     *                  until it is handed over
     * @return how many there are
     */
    public int prepareMove(long number, String operator, BucketMap map, Set<Integer> concerned, Consumer<ControlAnswer> answer) {
        List<HostedTask> here = tasks.stream().filter(hosted -> isOf(hosted, operator)
                && concerned.contains(hosted.spec().stages().get(0).instance())).toList();
        long bytes = here.stream().mapToLong(hosted -> hosted.counters().get(0).stateBytes.get()).sum();
        boolean fits = bytes == 0 || budget.has(bytes);     // also where queues are full: all senders must go over
        if (fits) {
            tasks.forEach(hosted -> hosted.prepareMove(number, operator, map));
        }
        long room = budget.floating() - budget.held();
        here.forEach(hosted -> answer.accept(new ControlAnswer(operator, hosted.spec().stages().get(0).instance(), fits,
                fits ? hosted.counters().get(0).stateBytes.get() + " " + room
                        : "what instances here that give or get buckets keep, " + bytes + " bytes, is in memory twice for a "
                        + "moment, and there is no room for that; raise memory_bytes (" + budget.bytes() + ")")));
        return here.size();
    }

    private static boolean isOf(HostedTask hosted, String operator) {
        StageSpec first = hosted.spec().stages().get(0);
        return first.role() != StageSpec.Role.PARTIAL && first.operatorId().equals(operator);
    }

    /**
     * Lets the mark of a prepared move pass through the graph, as {@link #sync}.
     *
     * @param answer called once for each instance of the operator when it has done its part
     * @return how many there are
     */
    public int move(long number, String operator, Consumer<ControlAnswer> answer) {
        int asked = 0;
        for (HostedTask hosted : tasks) {
            List<StageSpec> own = isOf(hosted, operator) ? hosted.spec().stages().subList(0, 1) : List.of();
            asked += own.size();
            hosted.move(number, own, answer);
        }
        return asked;
    }

    private static boolean isWanted(StageSpec stage, Collection<String> operators) {
        return stage.role() != StageSpec.Role.PARTIAL && operators.contains(stage.operatorId());
    }

    /** Wakes a source that waits; nothing happens if it does not run here. */
    public void wake(String operatorId) {
        for (HostedTask hosted : tasks) {
            if (hosted.isSource() && hosted.isConnected() && hosted.spec().stages().get(0).operatorId().equals(operatorId)) {
                hosted.wake();
            }
        }
    }
}
