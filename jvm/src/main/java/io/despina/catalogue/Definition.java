package io.despina.catalogue;

import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.plan.OperatorPlanner;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;

/** One operator type: its declaration, and how it is planned. It plans {@link ExecutableSpec}s. */
abstract class Definition implements OperatorPlanner {
    private final OperatorType type;

    Definition(OperatorType type) {
        this.type = type;
    }

    final OperatorType type() {
        return type;
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return context.refuse(context.operator().place(), Rule.INPUT, "`" + context.operator().id()
                + "` is not a source: it cannot take rows", "give them to the source before it");
    }

    @Override
    public final PlanningResult readBy(boolean isRead) {
        return PlanningResult.of(isRead ? new SpooledSinkSpec() : new UnreadSinkSpec(), null);
    }
}
