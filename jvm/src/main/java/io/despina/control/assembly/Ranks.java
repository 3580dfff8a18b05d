package io.despina.control.assembly;

import io.despina.placement.Assignment;
import io.despina.plan.Plan;
import io.despina.plan.PlannedLink;
import io.despina.plan.PlannedOperator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The ranks of a graph's buffers, see {@link io.despina.buffer.Overdraft}. They rise along every path, equally in all resources.
 * Each operator has four: for its output, for the arrival of that in another resource, and for its alignment. If a part of the
 * next operator runs behind it, the rows of this have the second and, arrived in another resource, the third.
 */
public final class Ranks {
    private static final int PARTS = 1;
    private static final int ARRIVED = 1;
    private static final int ALIGNED = 3;
    private static final int PER_OPERATOR = 4;

    private final Plan plan;
    private final Map<String, Integer> depths = new HashMap<>();

    Ranks(Plan plan) {
        this.plan = plan;
        for (PlannedOperator operator : plan.operators()) {
            int depth = 0;
            for (PlannedLink link : plan.links()) {
                if (link.to().equals(operator.id())) {
                    depth = Math.max(depth, depths.get(link.from()) + 1);
                }
            }
            depths.put(operator.id(), depth);
        }
    }

    /** The rank of an operator's output. */
    int of(String operator) {
        return PER_OPERATOR * depths.get(operator);
    }

    /** The rank of what a link carries; that of its arrival in another resource is one more. */
    int of(PlannedLink link) {
        return of(link.from()) + (plan.carriesParts(link) ? PARTS : 0);
    }

    /** The rank of the output of an aligning task after an operator. */
    int ofAligned(String operator) {
        return of(operator) + ALIGNED;
    }

    /** How many complete packets may exceed the budget of one resource: the maximum over all resources. */
    public static int most(JobPlan planned) {
        Ranks ranks = new Ranks(planned.plan());
        return planned.assignment().resources().stream().mapToInt(name -> ranks.in(name, planned)).max().orElse(0);
    }

    private int in(String resource, JobPlan planned) {
        Assignment assignment = planned.assignment();
        Set<Integer> used = new HashSet<>();
        for (Assignment.Task task : assignment.tasksOf(resource)) {
            for (String operator : assignment.chains().get(task.chain()).operators()) {
                planned.plan().links().stream().filter(link -> link.from().equals(operator)).forEach(link -> {
                    used.add(of(operator));
                    used.add(of(link));
                });
            }
        }
        for (Assignment.Channel channel : assignment.channels()) {
            PlannedLink link = planned.plan().links().get(channel.link());
            if (assignment.tasks().get(channel.receiver()).resource().equals(resource)) {
                if (!link.columns().isEmpty()) {
                    used.add(ofAligned(link.from()));
                }
                if (channel.remote()) {
                    used.add(of(link) + ARRIVED);
                }
            }
        }
        return used.size();
    }
}
