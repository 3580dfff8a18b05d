package io.despina.control.coordinator;

import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Hosts;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Place;
import io.despina.plan.PlannedChain;
import io.despina.plan.PlannedLink;
import io.despina.plan.PlannedOperator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The parts of its plan that a deployed job and its reports need.
 *
 * @param on         where it runs: {@code local} or {@code executors}
 * @param operators  ids, in the plan's order
 * @param links      their names, as in reports
 * @param hosts      by operator, the resource of each of its instances
 * @param behind     by fused operator, the one before it in its task
 * @param shareClock whether all its resources read the same monotonic clock
 */
record JobOutline(String name, String on, List<String> operators, List<String> links, Map<String, List<String>> hosts,
        Map<String, String> behind, boolean shareClock, Places places) {

    /** The places of operators in the graph's file. */
    record Places(String file, Map<String, Place> operators) {

        static Places of(Graph graph) {
            return new Places(graph.file(), graph.operators().stream().collect(Collectors.toMap(Graph.Operator::id,
                    Graph.Operator::place)));
        }
    }

    static JobOutline of(JobPlan planned) {
        Map<String, String> behind = new HashMap<>();
        for (PlannedChain chain : planned.assignment().chains()) {
            behind.putAll(chain.before());
        }
        String on = planned.deployment().resources().stream().anyMatch(Hosts::isExecutor) ? "executors" : "local";
        List<String> operators = planned.plan().operators().stream().map(PlannedOperator::id).toList();
        return new JobOutline(planned.plan().name(), on, operators,
                planned.plan().links().stream().map(PlannedLink::name).toList(),
                operators.stream().collect(Collectors.toMap(id -> id, planned::hostsOf)),
                Map.copyOf(behind), Hosts.shareAClock(planned.deployment().resources()), Places.of(planned.graph()));
    }

    /** Adds the place of its operator to a refusal, if it has one. */
    Refusal placed(Refusal why) {
        Place place = why.operator() == null ? null : places.operators().get(why.operator());
        return place == null ? why : why.at(places.file(), place);
    }

    /** @throws Refusal unless the operator has a schedule of its own */
    void checkHasSchedule(String operator) throws Refusal {
        if (!operators.contains(operator)) {
            throw new Refusal("operator", "no operator `" + operator + "` in " + name, null);
        }
        String before = behind.get(operator);
        if (before != null) {
            throw new Refusal("schedule", "operator `" + operator + "` is fused behind `" + before + "` and runs with it",
                    "\"fuse\": false on the link from `" + before + "` gives it a schedule of its own");
        }
    }
}
