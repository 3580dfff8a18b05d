package io.despina.control.assembly;

import java.io.Serializable;

/**
 * An operator as it travels to Spark's tasks: as the text of its graph, which each process plans once.
 *
 * @param optionsJson as for the gateway's {@code check}
 * @param operator    its id
 */
public record OperatorText(String graphText, String fileName, String optionsJson, String operator) implements Serializable {
    private static final long serialVersionUID = 1L;

    JobPlan planned() {
        return GraphPlans.of(graphText, fileName, optionsJson);
    }

    /** Without the text, which is long: Spark shows plans. */
    @Override
    public String toString() {
        return operator;
    }
}
