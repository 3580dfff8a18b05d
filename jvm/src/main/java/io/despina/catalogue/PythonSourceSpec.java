package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.operator.source.InputRows;
import io.despina.operator.source.InputSource;
import io.despina.plan.PlanningResult;
import io.despina.plan.Stream;

/** A source that gets its packets from the user's program, in the schema of the source that it replaces. */
public record PythonSourceSpec() implements ExecutableSpec {

    /** @param declared as in the graph */
    static PlanningResult inPlaceOf(PlanningResult declared) {
        return new PlanningResult(new PythonSourceSpec(), new Stream(declared.out().schema(), null, false), declared.keys(),
                "the rows given to it come in one order");
    }

    @Override
    public Operator make(InstanceContext making) {
        InputRows rows = making.around().python().input(making.id());
        return new InputSource(instance -> rows, making.operator().assigns());
    }
}
