package io.despina.control.coordinator;

import io.despina.control.assembly.JobPlan;
import io.despina.control.protocol.Measurement;
import io.despina.metrics.TaskTimes;
import io.despina.plan.PlannedChain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How busy the threads of an attempt and its tasks were from one look to the next. */
final class BusyThreads {
    /** Of each chain, whose time is that of its first operator. */
    private final List<String> heads;
    /** By task, at the last look. */
    private Map<Task, Long> before = Map.of();
    private final List<WorkerNumber> threads = new ArrayList<>();
    private final List<Double> busy = new ArrayList<>();
    private final Map<Task, Double> busyOf = new HashMap<>();
    private final Map<Task, Integer> threadOf = new HashMap<>();

    /** @param operator the first of its chain */
    private record Task(String operator, int instance) {
    }

    /** @param number in the resource */
    private record WorkerNumber(String resource, int number) {
    }

    BusyThreads(JobPlan planned) {
        heads = planned.assignment().chains().stream().map(PlannedChain::id).toList();
    }

    /** @param all by resource. @param nanos since the look before */
    void look(Map<String, Measurement> all, long nanos) {
        Map<Task, Long> now = new HashMap<>();
        busy.replaceAll(any -> 0.0);
        busyOf.clear();
        all.forEach((resource, measured) -> heads.forEach(head -> {
            for (TaskTimes.Snapshot each : measured.moment().tasks().getOrDefault(head, List.of())) {
                Task task = new Task(head, each.instance());
                int thread = number(new WorkerNumber(resource, each.thread()));
                double share = (double) (each.busyNanos() - before.getOrDefault(task, each.busyNanos())) / nanos;
                now.put(task, each.busyNanos());
                busyOf.put(task, share);
                threadOf.put(task, thread);
                busy.set(thread, busy.get(thread) + share);
            }
        }));
        before = now;
    }

    private int number(WorkerNumber thread) {
        if (!threads.contains(thread)) {
            threads.add(thread);
            busy.add(0.0);
        }
        return threads.indexOf(thread);
    }

    /** Of an instance; 0 for an operator that does not begin a chain, or that has not told it. */
    double busy(String operator, int instance) {
        return busyOf.getOrDefault(new Task(operator, instance), 0.0);
    }

    /** Of an operator that begins a chain; null if not all of its instances have told theirs. */
    BalancePlan.Busy of(String operator, int instances) {
        List<Double> shares = new ArrayList<>();
        List<Integer> runs = new ArrayList<>();
        for (int k = 0; k < instances; k++) {
            Task task = new Task(operator, k);
            if (!busyOf.containsKey(task)) {
                return null;
            }
            shares.add(busyOf.get(task));
            runs.add(threadOf.get(task));
        }
        return new BalancePlan.Busy(List.copyOf(busy), shares, runs);
    }
}
