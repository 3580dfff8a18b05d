package io.despina.runtime.host;

import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.task.HostedTask;
import io.despina.spec.Schedule;
import java.util.List;

/** Commands to the running tasks of a job in one resource. Any thread may call it. */
public final class JobCommands {
    private final String job;
    private final List<HostedTask> tasks;

    JobCommands(String job, List<HostedTask> tasks) {
        this.job = job;
        this.tasks = List.copyOf(tasks);
    }

    /**
     * Changes when an operator's tasks run.
     *
     * @throws IllegalArgumentException if it is not the first of a task here: a fused one runs when the one before it does
     */
    public void setSchedule(String operatorId, Schedule schedule) {
        boolean found = false;
        for (HostedTask hosted : tasks) {
            List<StageSpec> stages = hosted.spec().stages();
            if (stages.get(0).operatorId().equals(operatorId)) {
                found = true;
                hosted.schedule(schedule);
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

    /** Wakes a source that waits; nothing happens if it does not run here. */
    public void wake(String operatorId) {
        for (HostedTask hosted : tasks) {
            if (hosted.isSource() && hosted.isConnected() && hosted.spec().stages().get(0).operatorId().equals(operatorId)) {
                hosted.wake();
            }
        }
    }
}
