package io.despina.spark.fold;

import io.despina.control.assembly.GraphPlans;
import io.despina.control.assembly.JobPlan;
import io.despina.plan.PlannedOperator;
import io.despina.python.Interpreter;
import java.io.Serializable;

/**
 * An operator as it travels to Spark's tasks: as the text of its graph, which each process plans once.
 *
 * @param optionsJson as for the gateway's {@code check}
 * @param operator    its id; or {@code id.port}, for the rows of another port than {@code out}
 */
public record OperatorText(String graphText, String fileName, String optionsJson, String operator) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The id in a text {@code id} or {@code id.port}. */
    static String id(String operator) {
        return operator.split("\\.", 2)[0];
    }

    /** The number of the port that the text names. */
    static int port(PlannedOperator spec, String operator) {
        return operator.contains(".") ? spec.outputIndex(operator.split("\\.", 2)[1]) : 0;
    }

    /** What runs the Python functions of its graph. */
    Interpreter python() {
        return GraphPlans.python(optionsJson);
    }

    JobPlan planned() {
        return GraphPlans.of(graphText, fileName, optionsJson);
    }

    /** Without the text, which is long: Spark shows plans. */
    @Override
    public String toString() {
        return operator;
    }
}
