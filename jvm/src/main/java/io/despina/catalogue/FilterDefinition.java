package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.stateless.Filter;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import java.util.List;

/** {@code filter}. */
public final class FilterDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("filter", Family.PACKETS,
            "Packets for which a condition is true leave by `out`, the others by `rejected`.",
            List.of("in"), List.of("out", "rejected", "errors"), List.of(
                    required("where", EXPRESSION, "The condition; NULL counts as false.")), """
                "hot": {"type": "filter", "where": "celsius > 90 AND device <> 'oven'"}
                """);

    FilterDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Compiled<Predicate> where = context.expressions().predicate(Scope.of(context.input().schema()),
                Snippet.of(context.fields().text("where")));
        return where == null ? null : PlanningResult.of(new FilterSpec(where), context.input())
                .with("rejected", context.input());
    }

    /** Outputs: 0 {@code out}, 1 {@code rejected}. */
    public record FilterSpec(Compiled<Predicate> where) implements ExecutableSpec {
        @Override
        public List<Compiled<?>> code() {
            return List.of(where);
        }

        @Override
        public boolean passesOn() {
            return true;
        }

        @Override
        public boolean keepsAll() {
            return false;
        }

        @Override
        public boolean choosesPorts() {
            return true;
        }

        @Override
        public Operator make(InstanceContext making) {
            return new Filter(where);
        }
    }
}
