package io.despina.spark.executor;

import io.despina.control.process.ChildProcess;
import io.despina.control.protocol.Refusal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend;
import org.apache.spark.scheduler.local.LocalSchedulerBackend;
import org.apache.spark.status.api.v1.ExecutorSummary;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.math.BigDecimal;

/** What a Spark application has room for. It is counted first, because Spark lets a job without a slot wait in silence. */
final class TaskSlots {
    private static final Pattern LOCAL_CLUSTER = Pattern.compile("local-cluster\\[\\s*(\\d+)\\s*,\\s*(\\d+)\\s*,\\s*(\\d+)\\s*]");
    /** A slot that has just been given back is counted this late. */
    private static final long GRACE_MILLIS = 100;
    /** A task that was told to end gives its slot back within this time, if it does so at all. */
    private static final long LEAVING_MILLIS = 5_000;
    /** How long executors that were asked for may take to come up, or to come back, from when the application was first seen. */
    private static final long COMING_MILLIS = 30_000;
    /** An application that is first seen at this age has the executors that it will have. */
    private static final long YOUNG_MILLIS = 60_000;
    /** No executor has come for so long: where it is not known how many will, those are all. */
    private static final long SETTLED_MILLIS = 500;
    private static final long LOOK_EVERY_MILLIS = 10;

    /**
     * An executor.
     *
     * @param free of its cores
     */
    record Executor(String id, String host, int cores, int free) {
    }

    /**
     * How resources get their slots.
     *
     * @param cpus   of each
     * @param cores  of an executor; where these are more, several resources may share it
     * @param whole  whether the cpus are not {@code spark.task.cpus}, but all that the executor has
     */
    record Division(int cpus, int cores, boolean whole) {
    }

    private final SparkContext spark;
    private final SparkConf conf;
    private final int taskCpus;
    private final int left;
    /** Milliseconds; since when executors may come: when the last was lost. Written by Spark's listener, read by any. */
    private volatile long comingSince;
    /** Written by whoever waits, read by any. */
    private volatile String waitingFor = "";

    /** @param left how many of them no resource may take */
    TaskSlots(SparkContext spark, int left) {
        this.spark = spark;
        this.left = left;
        conf = spark.conf();
        taskCpus = Math.max(1, conf.getInt("spark.task.cpus", 1));
        long now = System.currentTimeMillis();      // of the clock by which Spark says when it started
        comingSince = now - spark.startTime() < YOUNG_MILLIS ? now : spark.startTime();
    }

    /** Whether executors are processes of this machine, and were told where answers are kept. */
    boolean areNear() {
        return (spark.isLocal() || LOCAL_CLUSTER.matcher(spark.master()).matches())
                && (conf.get("spark.executor.defaultJavaOptions", "") + conf.get("spark.executor.extraJavaOptions", ""))
                .contains("-D" + ChildProcess.ANSWERS + "=");
    }

    /** What a call of {@link #all} or {@link #divide} waits for at this moment; empty for nothing. */
    String waitingFor() {
        return waitingFor;
    }

    private void waitForMore(int executors) throws Refusal {
        int all = expected();
        waitingFor = "waiting for executors (" + executors + (all == 0 ? "" : " of " + all) + ")";
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_EVERY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refusal("state", "interrupted while waiting for executors", null);
        } finally {
            waitingFor = "";
        }
    }

    void hasLostOne() {
        comingSince = System.currentTimeMillis();
    }

    /**
     * Those that take tasks now.
     *
     * @throws Refusal the application has ended
     */
    List<Executor> executors() throws Refusal {
        Map<String, Integer> running = running();
        if (spark.schedulerBackend() instanceof LocalSchedulerBackend local) {
            int busy = running.values().stream().mapToInt(Integer::intValue).sum() * taskCpus;
            return List.of(new Executor("driver", conf.get("spark.driver.host"), local.totalCores(), local.totalCores() - busy));
        }
        List<Executor> found = new ArrayList<>();
        if (spark.schedulerBackend() instanceof CoarseGrainedSchedulerBackend cluster) {
            Map<String, ExecutorSummary> known = summaries();
            for (String id : CollectionConverters.asJava(cluster.getExecutorIds())) {
                Option<BigDecimal> cpus = cluster.getExecutorAvailableCpus(id);
                int free = cpus.isDefined() ? cpus.get().toInt() : 0;
                // one that has no core free for no task is coming up
                if (cluster.isExecutorActive(id) && (free > 0 || running.getOrDefault(id, 0) > 0)) {
                    ExecutorSummary summary = known.get(id);
                    found.add(summary == null ? new Executor(id, "", free, free)
                            : new Executor(id, host(summary), summary.totalCores(), free));
                }
            }
        }
        return found;
    }

    /** Tasks by executor. */
    private Map<String, Integer> running() throws Refusal {
        // Spark takes its scheduler away as the application ends, and its end may come at any moment
        if (!(spark.taskScheduler() instanceof TaskSchedulerImpl scheduler)) {
            throw new Refusal("spark", "the Spark application has ended", "start a session");
        }
        Map<String, Integer> running = new HashMap<>();
        CollectionConverters.asJava(scheduler.runningTasksByExecutors())
                .forEach((id, tasks) -> running.put(id, (Integer) tasks));
        return running;
    }

    private Map<String, ExecutorSummary> summaries() {
        Map<String, ExecutorSummary> known = new HashMap<>();
        for (ExecutorSummary one : CollectionConverters.asJava(spark.statusStore().executorList(true))) {
            known.put(one.id(), one);
        }
        return known;
    }

    /** Its port comes a little later. */
    private static String host(ExecutorSummary summary) {
        return summary.hostPort().replaceFirst(":\\d+$", "");
    }

    /**
     * All executors, as soon as those that were asked for are there.
     *
     * @throws Refusal there are none, and none will come
     */
    List<Executor> all() throws Refusal {
        while (true) {
            List<Executor> found = executors();
            if (!mayGetMore(found.size()) && isSettled()) {
                if (found.isEmpty()) {
                    throw refusal(found, 1);
                }
                return found;
            }
            waitForMore(found.size());
        }
    }

    /** How many resources those executors take, each at most one. */
    int resources(List<Executor> executors) {
        int all = executors.stream().mapToInt(e -> e.cores() / taskCpus).sum();
        return Math.min(executors.size(), Math.max(1, all - left));
    }

    /**
     * How so many resources get slots.
     *
     * @param waits   for executors that are still to come, and for slots that are given back; else hardly
     * @param leaving whether tasks of ours are about to give theirs back
     * @throws Refusal there are too few
     */
    Division divide(int resources, boolean waits, BooleanSupplier leaving) throws Refusal {
        long asked = System.nanoTime();
        while (true) {
            List<Executor> found = executors();
            int least = found.stream().mapToInt(Executor::cores).min().orElse(0);
            int most = found.stream().mapToInt(Executor::cores).max().orElse(0);
            if (left == 0 && least > taskCpus && profilesAreSupported() && slots(found, least) >= resources) {
                return new Division(least, most, true);
            }
            if (slots(found, taskCpus) >= resources + left) {
                return new Division(taskCpus, most, false);
            }
            long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - asked);
            boolean soon = waited < GRACE_MILLIS || waits && waited < LEAVING_MILLIS && leaving.getAsBoolean();
            if (!soon && !(waits && mayGetMore(found.size()) && isEnoughExpected(resources + left))) {
                throw refusal(found, resources);
            }
            waitForMore(found.size());
        }
    }

    private static int slots(List<Executor> executors, int cpus) {
        return executors.stream().mapToInt(e -> e.free() / cpus).sum();
    }

    private boolean isDynamic() {
        return conf.getBoolean("spark.dynamicAllocation.enabled", false);
    }

    /** Task profiles without executors of their own: where executors are not allocated as they are needed, and not local[n]. */
    private boolean profilesAreSupported() {
        return !isDynamic() && !spark.isLocal();
    }

    /** How many were asked for; 0 if that is not known. */
    private int expected() {
        Matcher localCluster = LOCAL_CLUSTER.matcher(spark.master());
        if (isDynamic()) {
            int least = conf.getInt("spark.dynamicAllocation.minExecutors", 0);
            return areComing() ? Math.max(least, conf.getInt("spark.dynamicAllocation.initialExecutors", least)) : least;
        }
        return localCluster.matches() ? Integer.parseInt(localCluster.group(1))
                : spark.isLocal() ? 1
                : conf.getInt("spark.executor.instances", isStandalone() ? 0 : 2);
    }

    private boolean isStandalone() {
        return spark.master().startsWith("spark://");
    }

    private boolean areComing() {
        return System.currentTimeMillis() - comingSince < COMING_MILLIS;
    }

    private boolean mayGetMore(int registered) {
        return areComing() && registered < Math.max(isDynamic() ? 0 : 1, expected());
    }

    /** Where it is known how many come, they are there; else none has come for a while. */
    private boolean isSettled() {
        return !isStandalone() || expected() > 0 || summaries().values().stream()
                .allMatch(e -> System.currentTimeMillis() - e.addTime().getTime() > SETTLED_MILLIS);
    }

    private boolean isEnoughExpected(int resources) {
        Matcher localCluster = LOCAL_CLUSTER.matcher(spark.master());
        int cores = localCluster.matches() ? Integer.parseInt(localCluster.group(2)) : conf.getInt("spark.executor.cores", 0);
        return expected() == 0 || cores == 0 || (long) expected() * (cores / taskCpus) >= resources;
    }

    private Refusal refusal(List<Executor> found, int resources) {
        int needed = resources + left;
        int all = found.stream().mapToInt(e -> e.cores() / taskCpus).sum();
        int free = slots(found, taskCpus);
        String cores = found.isEmpty() ? "" : " with " + found.stream().map(e -> Integer.toString(e.cores())).distinct()
                .collect(Collectors.joining(" or ")) + " cores each, spark.task.cpus=" + taskCpus + ",";
        String message = "the graph needs " + counted(needed, "slot") + ", one for each resource"
                + (left == 0 ? "" : " and " + left + " for Spark's own tasks") + ", and Spark has " + free
                + (free < all ? " free of " + all : "") + ": " + counted(found.size(), "executor") + cores + " at master "
                + spark.master();
        return new Refusal("slots", message, hint(needed, all));
    }

    private String hint(int needed, int all) {
        Matcher localCluster = LOCAL_CLUSTER.matcher(spark.master());
        if (needed <= all) {
            return "stop what holds the others (Spark's UI shows it), or give the application more executors";
        }
        if (isDynamic()) {
            return "spark.dynamicAllocation.minExecutors=" + conf.getInt("spark.dynamicAllocation.minExecutors", 0)
                    + " keeps that many; set it to " + needed + ": a graph starts on executors that are there";
        }
        if (localCluster.matches()) {
            return "local-cluster[" + needed + "," + localCluster.group(2) + "," + localCluster.group(3) + "] has enough";
        }
        if (spark.isLocal()) {
            return "local[" + needed * taskCpus + "] has enough, all in one JVM";
        }
        return isStandalone() ? "spark.cores.max=" + conf.get("spark.cores.max", "(not set: all)")
                + " bounds them, and so do the workers that are there" : "set spark.executor.instances="
                + conf.get("spark.executor.instances", "2") + " to " + needed;
    }

    private static String counted(int count, String word) {
        return count + " " + word + (count == 1 ? "" : "s");
    }
}
