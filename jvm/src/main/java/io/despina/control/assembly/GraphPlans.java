package io.despina.control.assembly;

import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Plans of the graphs that come to Spark's tasks as texts: each process plans a text once. Thread-safe. */
final class GraphPlans {
    private static final int KEPT = 16;
    private static final Map<List<String>, JobPlan> PLANS = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<String>, JobPlan> eldest) {
            return size() > KEPT;
        }
    };

    private GraphPlans() {
    }

    /** @param optionsJson as for the gateway's {@code check} */
    static JobPlan of(String graphText, String fileName, String optionsJson) {
        synchronized (PLANS) {
            return PLANS.computeIfAbsent(List.of(graphText, fileName, optionsJson),
                    same -> plan(graphText, fileName, optionsJson));
        }
    }

    private static JobPlan plan(String graphText, String fileName, String optionsJson) {
        try {
            Checked<JobPlan> planned = JobPlan.of(graphText, fileName, JobOptions.parse(optionsJson));
            if (planned.ok()) {
                return planned.value();
            }
            throw new IllegalArgumentException(planned.render());
        } catch (Refusal refusal) {
            throw new IllegalArgumentException(refusal.getMessage(), refusal);
        }
    }
}
