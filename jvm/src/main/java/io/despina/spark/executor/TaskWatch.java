package io.despina.spark.executor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.TaskInfo;
import scala.jdk.javaapi.CollectionConverters;

/** Knows which executor hosts which resource, and tells a resource's task when its executor is gone. Thread-safe. */
final class TaskWatch extends SparkListener {
    /** The local property by which a job is known as a resource's. */
    static final String KEY = "despina.resource";

    private final TaskSlots slots;
    private final Runnable end;
    /** By key; until Spark has their jobs no more. */
    private final Map<String, ExecutorTask> tasks = new ConcurrentHashMap<>();
    // written by Spark's listener thread
    private final Map<Integer, String> jobs = new ConcurrentHashMap<>();
    private final Map<Integer, String> stages = new ConcurrentHashMap<>();
    /** By Spark's number of each that holds a slot, which it may do for a while after its job was cancelled. */
    private final Map<Long, Running> running = new ConcurrentHashMap<>();

    /** Where a task runs. */
    private record Running(String key, String executor, String host) {
    }

    /** @param end run when the application ends */
    TaskWatch(TaskSlots slots, Runnable end) {
        this.slots = slots;
        this.end = end;
    }

    void add(String key, ExecutorTask task) {
        tasks.put(key, task);
        task.over().thenRun(() -> tasks.remove(key));
    }

    /** Whether a task is about to give its slot back. */
    boolean isAnyLeaving() {
        return tasks.values().stream().anyMatch(ExecutorTask::isLeaving)
                || running.values().stream().anyMatch(one -> !tasks.containsKey(one.key()));
    }

    @Override
    public void onJobStart(SparkListenerJobStart started) {
        String key = started.properties() == null ? null : started.properties().getProperty(KEY);
        if (key != null) {
            jobs.put(started.jobId(), key);
            CollectionConverters.asJava(started.stageInfos()).forEach(stage -> stages.put(stage.stageId(), key));
        }
    }

    @Override
    public void onJobEnd(SparkListenerJobEnd ended) {
        String key = jobs.remove(ended.jobId());
        stages.values().removeIf(each -> each.equals(key));
    }

    @Override
    public void onTaskStart(SparkListenerTaskStart started) {
        String key = stages.get(started.stageId());
        if (key != null) {
            TaskInfo task = started.taskInfo();
            running.put(task.taskId(), new Running(key, task.executorId(), task.host()));
        }
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd ended) {
        Running one = running.remove(ended.taskInfo().taskId());
        if (one != null && ended.reason() instanceof ExecutorLostFailure lost) {
            tell(one, lost.reason().isDefined() ? lost.reason().get() : "it does not say why");
        }
    }

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
        slots.hasLostOne();
        for (Running one : running.values()) {
            if (one.executor().equals(removed.executorId())) {
                running.values().remove(one);
                tell(one, removed.reason());
            }
        }
    }

    private void tell(Running one, String reason) {
        ExecutorTask task = tasks.get(one.key());
        if (task != null) {
            task.hasLostItsExecutor("Spark has lost executor " + one.executor() + " on " + one.host() + ": " + reason.strip());
        }
    }

    @Override
    public void onApplicationEnd(SparkListenerApplicationEnd ended) {
        end.run();
    }
}
