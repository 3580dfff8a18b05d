package io.despina.control.coordinator;

import io.despina.control.assembly.Planned;
import io.despina.control.members.Hosts;
import io.despina.plan.Chain;
import io.despina.plan.PlannedOperator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a job needs of its plan once it is deployed, and its reports when it has ended.
 *
 * @param operators  ids, in the plan's order
 * @param behind     fused operators: each with the one before it in its task
 * @param shareClock whether all its resources read the same monotonic clock
 */
record JobOutline(String name, List<String> operators, List<Link> links, Map<String, String> behind, boolean shareClock) {

    /** @param name as reports have it */
    record Link(String name, long capacityBytes) {
    }

    static JobOutline of(Planned planned) {
        Map<String, String> behind = new HashMap<>();
        for (Chain chain : planned.assignment().chains()) {
            for (int k = 1; k < chain.operators().size(); k++) {
                behind.put(chain.operators().get(k), chain.operators().get(k - 1));
            }
        }
        return new JobOutline(planned.plan().name(), planned.plan().operators().stream().map(PlannedOperator::id).toList(),
                planned.plan().links().stream().map(l -> new Link(l.name(), l.buffer().capacityBytes())).toList(),
                Map.copyOf(behind), Hosts.shareAClock(planned.deployment().resources()));
    }
}
