package io.despina.runtime.deployment;

import io.despina.spec.Blocking;
import io.despina.spec.BucketMaps;
import io.despina.spec.Schedule;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * One task that a resource hosts.
 *
 * @param id       unique in the job, for example {@code relay-0}
 * @param stages   one operator instance, or a fused chain: each stage behind the one that it is fused behind
 * @param inputs   per input port of the first stage; none for a source
 * @param outputs  linked output ports of any stage; packets for the others are counted and dropped
 * @param blocking when an operator in it may block, at most
 * @param buckets  who has which bucket of the first operator's keys; null if no link deals packets out to it by keys
 */
public record TaskSpec(String id, List<StageSpec> stages, List<InputSpec> inputs, List<PortSpec> outputs, Blocking blocking,
                       Schedule schedule, TaskSettings settings, BucketMaps buckets) {

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

    /** The maps of buckets by which the task goes: of its own keys, and of those of operators to which it deals packets out. */
    public Stream<BucketMaps> maps() {
        return Stream.concat(Stream.of(this).map(TaskSpec::buckets), outputs.stream().flatMap(port -> port.links().stream())
                .map(link -> link.partition().maps())).filter(Objects::nonNull);
    }

    /** A task without keys. */
    public TaskSpec(String id, List<StageSpec> stages, List<InputSpec> inputs, List<PortSpec> outputs, Blocking blocking,
            Schedule schedule, TaskSettings settings) {
        this(id, stages, inputs, outputs, blocking, schedule, settings, null);
    }
}
