package io.despina.control.coordinator;

import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Hosts;
import io.despina.control.members.Members;
import io.despina.placement.Assignment;
import io.despina.placement.Deployment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Decides who plays the parts of lost resources in the next attempt of a job: spares first; then, if the deployment says so, a
 * survivor that has room; else a new resource, which the attempt waits for.
 */
final class Casting {
    private final JobPlan planned;
    private final List<Deployment.Resource> survivors;
    private final FullSurvivors full;
    private final Map<String, String> moved = new LinkedHashMap<>();

    private Casting(JobPlan planned, List<Deployment.Resource> survivors, FullSurvivors full) {
        this.planned = planned;
        this.survivors = survivors;
        this.full = full;
    }

    /** The job's plan with the parts of its next attempt. */
    static JobPlan of(Job job, Members members) {
        JobPlan planned = job.course().moves().of(job.course().planned());
        JobAttempt last = job.attempt();
        if (planned.deployment().losses().then() != Deployment.OnLoss.MOVE || last == null) {
            return planned;
        }
        List<Deployment.Resource> all = planned.deployment().resources();
        Map<String, String> before = last.planned().deployment().losses().moved();
        List<String> gone = last.lease().lost();
        List<Deployment.Resource> lost = all.stream()
                .filter(each -> before.containsKey(each.name()) || gone.contains(each.name())).toList();
        return of(planned, job.full(), lost, withoutSpare(lost, each -> members.spares(last.attempt(), each)));
    }

    /**
     * The same.
     *
     * @param lost    resources
     * @param without those of them that get no spare
     */
    static JobPlan of(JobPlan planned, FullSurvivors full, List<Deployment.Resource> lost, List<Deployment.Resource> without) {
        List<Deployment.Resource> survivors = new ArrayList<>(planned.deployment().resources());
        survivors.removeAll(lost);
        return new Casting(planned, survivors, full).cast(without);
    }

    /** Those that get none: spares take the parts of the first of them. @param spares how many could take a part at once */
    static List<Deployment.Resource> withoutSpare(List<Deployment.Resource> lost, ToIntFunction<Deployment.Resource> spares) {
        List<Deployment.Resource> without = new ArrayList<>();
        int taken = 0;
        for (Deployment.Resource each : lost) {
            if (taken < spares.applyAsInt(each)) {
                taken++;
            } else {
                without.add(each);
            }
        }
        return without;
    }

    private JobPlan cast(List<Deployment.Resource> lost) {
        for (Deployment.Resource each : lost) {
            survivors.stream().filter(other -> fits(each, other) && !full.has(each.name(), other.name()))
                    .min(Comparator.comparingDouble(this::load))
                    .ifPresent(other -> moved.put(each.name(), other.name()));
        }
        return planned.moved(moved);
    }

    /** Files belong to a machine, and classes to the resources that name them. */
    private static boolean fits(Deployment.Resource part, Deployment.Resource other) {
        return part.host().equals(other.host()) && part.user().equals(other.user())
                && Hosts.isJoining(part) == Hosts.isJoining(other);
    }

    /** Its tasks for each byte that it has for them. */
    private double load(Deployment.Resource resource) {
        long tasks = 0;
        for (Assignment.Task task : planned.assignment().tasks()) {
            String host = moved.getOrDefault(task.resource(), task.resource());
            tasks += host.equals(resource.name()) ? 1 : 0;
        }
        return (double) tasks / Math.max(1, resource.memoryBytes());
    }
}
