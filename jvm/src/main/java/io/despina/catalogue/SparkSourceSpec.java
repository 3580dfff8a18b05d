package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.operator.program.InputSource;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.SourceGuarantee;
import java.util.List;

/** A source whose rows programs commit epoch by epoch. */
public record SparkSourceSpec() implements ExecutableSpec {

    @Override
    public List<SparkGap> sparkGaps(Target target) {
        return List.of(SparkGap.ofSource("its rows are given to a running job"));
    }

    @Override
    public Promise<SourceGuarantee> comesAgain(UserPromises user) {
        return Promise.of(SourceGuarantee.REPLAYABLE);
    }

    @Override
    public Operator make(InstanceContext making) {
        String id = making.id();
        PythonConnections python = making.around().python();
        return new InputSource(instance -> python.staged(id, instance), making.operator().assigns(), false);
    }
}
