package io.despina.control.resource;

import io.despina.catalogue.SparkSourceSpec;
import io.despina.control.protocol.Message;
import io.despina.control.staging.StagedEpochs;
import io.despina.plan.Plan;
import io.despina.plan.PlannedOperator;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** What programs stage for a job's sources in this resource, by source and instance. */
final class JobStagings {
    private static final Path FOLDER = Path.of(System.getProperty("java.io.tmpdir"));

    private final Map<String, Map<Integer, StagedEpochs>> places = new ConcurrentHashMap<>();
    private final Consumer<String> wake;
    private final LongSupplier clock;

    /**
     * @param wake  wakes the instances of an operator
     * @param clock nanoseconds
     */
    JobStagings(Consumer<String> wake, LongSupplier clock) {
        this.wake = wake;
        this.clock = clock;
    }

    /**
     * Before the job is ready: programs come as soon as it runs.
     *
     * @param drained told of each instance that has sent on all rows of an epoch, by its operator; or null
     */
    void open(Plan plan, List<TaskSpec> tasks, Consumer<String> drained) {
        // stages that planning adds, as one that aligns inputs, are no operators of the plan
        Set<String> staged = plan.operators().stream().filter(each -> each.spec() instanceof SparkSourceSpec)
                .map(PlannedOperator::id).collect(Collectors.toSet());
        for (TaskSpec task : tasks) {
            for (StageSpec stage : task.stages()) {
                String operator = stage.operatorId();
                if (staged.contains(operator)) {
                    places.computeIfAbsent(operator, none -> new ConcurrentHashMap<>()).put(stage.instance(),
                            new StagedEpochs(new StagedEpochs.Of(operator, stage.instance()), FOLDER,
                                    new StagedEpochs.Told(() -> wake.accept(operator),
                                            drained == null ? null : () -> drained.accept(operator)), clock));
                }
            }
        }
    }

    /** @return null if that instance is not here */
    StagedEpochs find(String operator, int instance) {
        return places.getOrDefault(operator, Map.of()).get(instance);
    }

    void decided(Message.Fate fate) {
        places.getOrDefault(fate.operator(), Map.of()).values().forEach(place -> place.decided(fate));
    }

    /** @return whether the operator's rows are staged here */
    boolean end(String operator) {
        Map<Integer, StagedEpochs> instances = places.get(operator);
        if (instances != null) {
            instances.values().forEach(StagedEpochs::end);
        }
        return instances != null;
    }

    /** The job is ending. */
    void close() {
        all().forEach(StagedEpochs::close);
    }

    /** The job has ended. */
    void release() {
        all().forEach(StagedEpochs::release);
    }

    private List<StagedEpochs> all() {
        return places.values().stream().flatMap(each -> each.values().stream()).toList();
    }
}
