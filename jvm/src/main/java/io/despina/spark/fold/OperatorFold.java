package io.despina.spark.fold;

import io.despina.catalogue.UserCode;
import io.despina.control.assembly.GraphPlans;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.OperatorFactory;
import io.despina.expr.PacketFold;
import io.despina.packet.Schema;
import io.despina.plan.PlannedOperator;
import java.util.List;

/**
 * Runs operators of a graph as a fold on Spark: the engine's own operators, fed in event order. It is sent to Spark's tasks as
 * text. All folds of a graph share one plan of it in each process.
 *
 * @param optionsJson as for the gateway's {@code check}
 * @param operators   ids of operators that read the same streams, each of one that goes by event order, such as a {@code scan};
 *                    or {@code id.port}, for the rows of another port than {@code out}
 */
public record OperatorFold(String graphText, String fileName, String optionsJson, List<String> operators) implements PacketFold {
    private static final long serialVersionUID = 1L;

    public OperatorFold {
        operators = List.copyOf(operators);
    }

    @Override
    public List<Schema> inputs() {
        return planned(planned(), operators.get(0)).inputs().stream().map(each -> each.schema()).toList();
    }

    @Override
    public List<Schema> outputs() {
        JobPlan plan = planned();
        return operators.stream().map(each -> planned(plan, each)
                .outputs().get(OperatorText.port(planned(plan, each), each)).schema()).toList();
    }

    @Override
    public Results begin() {
        JobPlan plan = planned();
        OperatorFactory factory = new OperatorFactory(plan.plan(), null, UserCode.NONE);
        return new Folding(operators.stream().map(each -> {
            PlannedOperator spec = planned(plan, each);
            return new FoldedOperator(spec, factory.supplier(spec).get(), OperatorText.port(spec, each));
        }).toList());
    }

    private static PlannedOperator planned(JobPlan plan, String operator) {
        PlannedOperator planned = plan.plan().operator(OperatorText.id(operator));
        return planned.with(planned.spec().onSpark());
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
