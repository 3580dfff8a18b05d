package io.despina.runtime.deployment;

import io.despina.spec.Blocking;
import io.despina.spec.Schedule;
import java.util.List;

/**
 * One task that a resource hosts.
 *
 * @param id       unique in the job, for example {@code relay-0}
 * @param stages   one operator instance, or a fused chain: each stage behind the one that it is fused behind
 * @param inputs   per input port of the first stage; none for a source
 * @param outputs  linked output ports of any stage; packets for the others are counted and dropped
 * @param blocking when an operator in it may block, at most
 */
public record TaskSpec(String id, List<StageSpec> stages, List<InputSpec> inputs, List<PortSpec> outputs, Blocking blocking,
                       Schedule schedule, TaskSettings settings) {

    public TaskSpec {
        stages = List.copyOf(stages);
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        if (stages.isEmpty()) {
            throw new IllegalArgumentException("task " + id + " has no stage");
        }
        for (int k = 0; k < stages.size(); k++) {
            int before = 0;
            for (int earlier = 0; earlier < stages.size(); earlier++) {
                for (StageSpec.Fused way : stages.get(earlier).fused()) {
                    before += way.to() == k ? earlier < k ? 1 : 2 : 0;
                }
            }
            if (before != (k == 0 ? 0 : 1)) {
                throw new IllegalArgumentException("task " + id + ": every stage but the first is fused behind an earlier one");
            }
        }
    }

    /** The link within the task into a stage; null for the first. */
    public StageSpec.Fused into(int stage) {
        return stages.stream().flatMap(each -> each.fused().stream()).filter(way -> way.to() == stage).findFirst().orElse(null);
    }
}
