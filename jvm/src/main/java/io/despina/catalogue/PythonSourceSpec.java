package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.operator.program.InputRows;
import io.despina.operator.program.InputSource;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Stream;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SourceGuarantee;

/** A source that gets its packets from the user's program, in the schema of the source that it replaces. */
public record PythonSourceSpec() implements ExecutableSpec {

    /** @param declared as in the graph */
    static PlanningResult inPlaceOf(PlanningResult declared) {
        return new PlanningResult(new PythonSourceSpec(), new Stream(declared.out().schema(), null, false), declared.keys(),
                "the rows given to it come in one order");
    }

    @Override
    public Promise<SourceGuarantee> comesAgain(UserPromises user) {
        return Promise.of(SourceGuarantee.SPOOLED);
    }

    @Override
    public boolean rescales() {
        return false;
    }

    /** Its log is read. */
    @Override
    public Blocking blocking() {
        return Blocking.OPENING;
    }

    @Override
    public Operator make(InstanceContext making) {
        InputRows rows = making.around().python().input(making.id(), making.operator().outputs().get(0).schema());
        return new InputSource(instance -> rows, making.operator().assigns(), true);
    }
}
