package io.despina.control.assembly;

import io.despina.expr.PacketFold;
import io.despina.packet.Schema;
import io.despina.plan.PlannedOperator;
import java.util.List;

/**
 * Runs operators of a graph as a fold on Spark: the engine's own operators, fed in event order. It is sent to Spark's tasks as
 * text. All folds of a graph share one plan of it in each process.
 *
 * @param optionsJson as for the gateway's {@code check}
 * @param operators   ids of operators that read the same stream, each of one that goes by event order, such as a {@code scan}
 */
public record OperatorFold(String graphText, String fileName, String optionsJson, List<String> operators) implements PacketFold {
    private static final long serialVersionUID = 1L;

    public OperatorFold {
        operators = List.copyOf(operators);
    }

    @Override
    public Schema input() {
        return planned(planned()).get(0).inputs().get(0).schema();
    }

    @Override
    public List<Schema> outputs() {
        return planned(planned()).stream().map(each -> each.outputs().get(0).schema()).toList();
    }

    @Override
    public Results begin() {
        JobPlan plan = planned();
        OperatorFactory factory = new OperatorFactory(plan.plan(), null, null);
        return new Folding(planned(plan).stream().map(each -> new FoldedOperator(each, factory.supplier(each).get())).toList());
    }

    private List<PlannedOperator> planned(JobPlan plan) {
        return operators.stream().map(plan.plan()::operator).toList();
    }

    private JobPlan planned() {
        return GraphPlans.of(graphText, fileName, optionsJson);
    }

    /** Without the text, which is long: Spark shows plans. */
    @Override
    public String toString() {
        return String.join(", ", operators);
    }
}
