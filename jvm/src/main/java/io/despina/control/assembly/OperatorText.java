package io.despina.control.assembly;

import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An operator as it travels to Spark's tasks: as the text of its graph, which each process plans once.
 *
 * @param optionsJson as for the gateway's {@code check}
 * @param operator    its id
 */
public record OperatorText(String graphText, String fileName, String optionsJson, String operator) implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int KEPT_PLANS = 16;
    private static final Map<List<String>, JobPlan> PLANS = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<String>, JobPlan> eldest) {
            return size() > KEPT_PLANS;
        }
    };

    JobPlan planned() {
        synchronized (PLANS) {
            return PLANS.computeIfAbsent(List.of(graphText, fileName, optionsJson), same -> plan());
        }
    }

    private JobPlan plan() {
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

    /** Without the text, which is long: Spark shows plans. */
    @Override
    public String toString() {
        return operator;
    }
}
