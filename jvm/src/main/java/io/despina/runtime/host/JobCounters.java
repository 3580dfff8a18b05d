package io.despina.runtime.host;

import io.despina.metrics.Behind;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.LastBadRecords.BadRecord;
import io.despina.metrics.Latency;
import io.despina.metrics.LinkSnapshot;
import io.despina.metrics.OperatorSnapshot;
import io.despina.metrics.QueueSnapshot;
import io.despina.metrics.StageCounters;
import io.despina.metrics.TaskTimes;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.task.HostedTask;
import io.despina.runtime.task.JobLinks;
import io.despina.runtime.worker.Worker;
import io.despina.spec.BucketMaps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * What the tasks of a job have counted in one resource, since the start or since the last {@link #reset}. Counters never go back:
 * a reset remembers what they were. Any thread may call it.
 */
public final class JobCounters {

    private record OfStage(StageSpec spec, String fusedFrom, StageCounters counters, HostedTask task) {
        String operator() {
            return spec.operatorId();
        }

        /** What it adds to the operator's counters. */
        OperatorSnapshot counted() {
            OperatorSnapshot all = counters.snapshot();
            return switch (spec.role()) {
                case WHOLE -> all;
                case PARTIAL -> all.taken();
                case MERGING -> all.merged();
            };
        }
    }

    private interface Asking {
        Histogram of(Latency recorded, long now);
    }

    private final JobLinks links;
    private final LongSupplier clock;
    private final List<OfStage> stages = new ArrayList<>();
    private final Set<BucketMaps> maps = new LinkedHashSet<>();
    /** Guarded by this. */
    private Map<String, OperatorSnapshot> operatorsAtReset = Map.of();
    /** Guarded by this. */
    private Map<String, LinkSnapshot> linksAtReset = Map.of();
    /** Guarded by this: of each stage; empty before a reset. */
    private List<TaskTimes.Snapshot> timesAtReset = List.of();

    /** @param clock nanoseconds, as of its tasks */
    JobCounters(JobLinks links, LongSupplier clock) {
        this.links = links;
        this.clock = clock;
    }

    /** Before the job starts. */
    void add(HostedTask task) {
        TaskSpec spec = task.spec();
        spec.maps().forEach(maps::add);
        for (int k = 0; k < task.counters().size(); k++) {
            stages.add(new OfStage(spec.stages().get(k), k == 0 ? null : spec.into(k).link(), task.counters().get(k), task));
        }
    }

    /** By operator, how many packets of each bucket of its keys tasks here have sent, in samples; only where that is counted. */
    public Map<String, List<Long>> buckets() {
        Map<String, List<Long>> counted = new HashMap<>();
        maps.forEach(each -> counted.put(each.operator(), each.counts()));
        counted.values().removeIf(List::isEmpty);
        return counted;
    }

    public synchronized JobSnapshot snapshot() {
        return snapshot(latencies(StageCounters::latency), latencies(counters -> counters.packetLatency));
    }

    /** The same without latencies, which take far more than all the rest. */
    public synchronized JobSnapshot counts() {
        return snapshot(Map.of(), Map.of());
    }

    private JobSnapshot snapshot(Map<String, Histogram> latency, Map<String, Histogram> packetLatency) {
        Map<String, OperatorSnapshot> operators = operators();
        operators.replaceAll((id, now) -> now.since(operatorsAtReset.getOrDefault(id, OperatorSnapshot.ZERO)));
        Map<String, LinkSnapshot> sums = linkSums();
        sums.replaceAll((name, now) -> now.since(linksAtReset.getOrDefault(name, LinkSnapshot.ZERO)));
        return new JobSnapshot(operators, sums, latency, packetLatency);
    }

    private Map<String, Histogram> latencies(Function<StageCounters, Latency> which) {
        return summed(Latency::snapshot, which);
    }

    private Map<String, Histogram> summed(Asking what, Function<StageCounters, Latency> which) {
        Map<String, Histogram> latency = new HashMap<>();
        for (OfStage stage : stages) {
            Latency recorded = which.apply(stage.counters());
            if (recorded != null) {
                Histogram nanos = what.of(recorded, clock.getAsLong());
                if (nanos != null) {
                    latency.merge(stage.operator(), nanos, (sum, more) -> {
                        sum.add(more);
                        return sum;
                    });
                }
            }
        }
        return latency;
    }

    /** Wall clock when the first packet arrived at a sink, warm-up included; {@link StageCounters#NONE} before. */
    public long firstPacketMillis() {
        return stages.stream().mapToLong(stage -> stage.counters().firstPacketMillis()).filter(at -> at != StageCounters.NONE)
                .min().orElse(StageCounters.NONE);
    }

    /** Wall clock when the last operator here was open, and restored where it goes on; {@link StageCounters#NONE} before. */
    public long openedMillis() {
        boolean all = stages.stream().allMatch(stage -> stage.counters().openedMillis() != StageCounters.NONE);
        return all ? stages.stream().mapToLong(stage -> stage.counters().openedMillis()).max().orElse(0)
                : StageCounters.NONE;
    }

    /** By the link's name: the queues that begin here, as they are now. */
    public Map<String, QueueSnapshot> queues() {
        return links.queues();
    }

    /** By operator: what the time of its tasks here has gone to. An operator's part before a link is not told. */
    public synchronized Map<String, List<TaskTimes.Snapshot>> tasks() {
        List<TaskTimes.Snapshot> now = times();
        Map<String, List<TaskTimes.Snapshot>> times = new HashMap<>();
        for (int k = 0; k < stages.size(); k++) {
            if (stages.get(k).spec().role() != StageSpec.Role.PARTIAL) {
                times.computeIfAbsent(stages.get(k).operator(), id -> new ArrayList<>())
                        .add(timesAtReset.isEmpty() ? now.get(k) : now.get(k).since(timesAtReset.get(k)));
            }
        }
        return times;
    }

    private List<TaskTimes.Snapshot> times() {
        long now = clock.getAsLong();
        List<Worker> threads = stages.stream().map(stage -> stage.task().home()).distinct().toList();
        return stages.stream().map(stage -> stage.task().times().snapshot(stage.spec().instance(),
                threads.indexOf(stage.task().home()), now)).toList();
    }

    /** By source: how far it is behind its input; without those that do not know. */
    public Map<String, Behind> behind() {
        Map<String, Behind> sums = new HashMap<>();
        for (OfStage stage : stages) {
            StageCounters counters = stage.counters();
            Behind own = new Behind(counters.behindRecords.get(), counters.behindBytes.get());
            if (!own.equals(Behind.NOTHING_KNOWN)) {
                sums.merge(stage.operator(), own, Behind::plus);
            }
        }
        return sums;
    }

    /** Takes the bad records that its operators here have met since the last call. */
    public List<BadRecord> takeBadRecords() {
        List<BadRecord> taken = new ArrayList<>();
        stages.forEach(stage -> taken.addAll(stage.counters().bad.take()));
        return taken;
    }

    /** By sink: the latency of the last ten seconds, up to the last {@link #snapshot}; see {@link Latency#recent}. */
    public Map<String, Histogram> recentLatency() {
        return summed(Latency::recent, StageCounters::latency);
    }

    /** Links of which a task here waits for room now. */
    public Set<String> waiting() {
        return links.waiting();
    }

    /** Counts and latencies begin anew: the end of a warm-up. */
    public synchronized void reset() {
        operatorsAtReset = operators();
        linksAtReset = linkSums();
        timesAtReset = times();
        for (OfStage stage : stages) {
            Latency recorded = stage.counters().latency();
            if (recorded != null) {
                recorded.reset(clock.getAsLong());
            }
            stage.counters().packetLatency.reset(clock.getAsLong());
        }
    }

    private Map<String, OperatorSnapshot> operators() {
        Map<String, OperatorSnapshot> sums = new HashMap<>();
        for (OfStage stage : stages) {
            sums.merge(stage.operator(), stage.counted(), OperatorSnapshot::plus);
        }
        return sums;
    }

    /** A fused link's packets are those that the stage behind it took. */
    private Map<String, LinkSnapshot> linkSums() {
        Map<String, LinkSnapshot> sums = new HashMap<>(links.counters());
        for (OfStage stage : stages) {
            if (stage.fusedFrom() != null) {
                sums.merge(stage.fusedFrom(), LinkSnapshot.fused(stage.counters().packetsIn.get()), LinkSnapshot::plus);
            }
        }
        return sums;
    }
}
