package io.despina.catalogue;

import io.despina.descriptor.OperatorType;
import io.despina.operator.Operator;
import io.despina.operator.stateless.Relay;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import java.util.List;

/** {@code union}. */
public final class UnionDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("union",
            "Makes one stream of several that have the same columns; link all of them to `in`. Their "
            + "packets "
            + "mix in no order.",
            List.of("in"), List.of("out", "errors"), List.of(), """
                "all": {"type": "union"}
                """);

    UnionDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        return PlanningResult.of(new UnionSpec(), context.input());
    }

    /** Merges several streams into one, in no order: its port merges them, and it only passes them on. */
    public record UnionSpec() implements ExecutableSpec {
        @Override
        public boolean passesOn() {
            return true;
        }

        @Override
        public Operator make(InstanceContext making) {
            return new Relay();
        }
    }
}
