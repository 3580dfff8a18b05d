package io.despina.catalogue;

import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.packet.Type;
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

    static boolean isNumber(Type type) {
        return type instanceof Type.Decimal || type == Type.Simple.TINYINT || type == Type.Simple.SMALLINT
                || type == Type.Simple.INT || type == Type.Simple.BIGINT || type == Type.Simple.FLOAT
                || type == Type.Simple.DOUBLE;
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
