package io.despina.control.assembly;

import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import io.despina.plan.Target;
import io.despina.python.Interpreter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Plans of the graphs that come to Spark's tasks as texts: each process plans a text once, and the driver's has planned it when
 * it was checked. Thread-safe.
 */
public final class GraphPlans {
    private static final int KEPT = 16;
    private static final Map<Text, JobPlan> PLANS = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Text, JobPlan> eldest) {
            return size() > KEPT;
        }
    };

    /** What a plan depends on, without a deployment. */
    private record Text(String graph, String fileName, Map<String, String> parameters, String directory, Set<String> inputs,
            Target target, long instantMicros) {

        static Text of(String graph, String fileName, JobOptions options) {
            return new Text(graph, fileName, options.parameters(), options.directory(), Set.copyOf(options.inputs()),
                    options.target(), options.instantMicros());
        }
    }

    private GraphPlans() {
    }

    /** Plans a graph for Spark, and keeps the plan for the tasks of this process. */
    public static Checked<JobPlan> checked(String graphText, String fileName, JobOptions options) {
        Checked<JobPlan> planned = JobPlan.of(graphText, fileName, options);
        if (planned.ok()) {
            synchronized (PLANS) {
                PLANS.put(Text.of(graphText, fileName, options), planned.value());
            }
        }
        return planned;
    }

    /** @param optionsJson as for the gateway's {@code check} */
    public static JobPlan of(String graphText, String fileName, String optionsJson) {
        try {
            JobOptions options = JobOptions.parse(optionsJson, () -> 0);     // what the value of now() is, the options say
            synchronized (PLANS) {
                return PLANS.computeIfAbsent(Text.of(graphText, fileName, options), same -> plan(graphText, fileName, options));
            }
        } catch (Refusal refusal) {
            throw new IllegalArgumentException(refusal.getMessage(), refusal);
        }
    }

    /** What runs the Python functions of a graph. @param optionsJson as for {@link #of} */
    public static Interpreter python(String optionsJson) {
        try {
            return JobOptions.parse(optionsJson, () -> 0).interpreter();
        } catch (Refusal refusal) {
            throw new IllegalArgumentException(refusal.getMessage(), refusal);
        }
    }

    private static JobPlan plan(String graphText, String fileName, JobOptions options) {
        Checked<JobPlan> planned = JobPlan.of(graphText, fileName, options);
        if (planned.ok()) {
            return planned.value();
        }
        throw new IllegalArgumentException(planned.render());
    }
}
