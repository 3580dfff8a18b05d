package io.despina.catalogue;

import io.despina.descriptor.OperatorType;
import io.despina.operator.Operator;
import io.despina.operator.sink.CollectSink;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.spec.Blocking;
import java.util.List;

/** {@code collect_sink}. */
public final class CollectSinkDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("collect_sink",
            "Hands the packets to Python: `job.rows()`, `job.batches()`.",
            List.of("in"), List.of("errors"), List.of(), """
                "rows": {"type": "collect_sink"}
                """);

    CollectSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        return PlanningResult.of(new CollectSinkSpec(), null);
    }

    public record CollectSinkSpec() implements ExecutableSpec {
        /** It blocks while Python does not take rows. */
        @Override
        public Blocking blocking() {
            return Blocking.ALWAYS;
        }

        @Override
        public Operator make(InstanceContext making) {
            return new CollectSink(making.around().python().rows(making.id()));
        }
    }
}
