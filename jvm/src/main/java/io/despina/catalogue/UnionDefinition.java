package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.operator.Operator;
import io.despina.operator.join.OrderedUnion;
import io.despina.operator.stateless.Relay;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import java.util.List;

/** {@code union}. */
public final class UnionDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("union", Family.PACKETS,
            "Makes one stream of several that have the same columns; link all of them to `in`. Their packets mix in no order, "
            + "unless it is `ordered`.",
            List.of("in"), List.of("out", "late", "errors"), List.of(
                    or("ordered", FLAG, "false", "true: packets leave in event order, each when the watermarks of all streams "
                            + "have passed it. One instance does all. On Spark the rows are the same, and have no order.")), """
                "all": {"type": "union", "ordered": true}
                """);

    UnionDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        boolean ordered = context.fields().flag("ordered");
        if (!ordered) {
            return PlanningResult.of(new UnionSpec(false), context.input());
        }
        if (!context.hasTime(context.input(), "in", "an ordered union")) {
            return null;
        }
        context.needsOrder(context.input(), "in");
        return new PlanningResult(new UnionSpec(true), context.input(), List.of(), "all packets come in one order");
    }

    /**
     * Several streams as one: its port merges them. Outputs: 0 {@code out}, 1 {@code late}.
     *
     * @param ordered whether by event order
     */
    public record UnionSpec(boolean ordered) implements ExecutableSpec {
        @Override
        public boolean passesOn() {
            return !ordered;
        }

        @Override
        public boolean canBeLate() {
            return ordered;
        }

        @Override
        public Operator make(InstanceContext making) {
            return ordered ? new OrderedUnion(making.order(0)) : new Relay();
        }
    }
}
