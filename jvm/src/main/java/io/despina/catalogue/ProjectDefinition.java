package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.stateless.Project;
import io.despina.plan.EventTimes;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import java.util.List;
import java.util.Set;

/** {@code project}. */
public final class ProjectDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("project", Family.PACKETS,
            "Makes a row of expressions from each packet.",
            List.of("in"), List.of("out", "errors"), List.of(
                    required("select", EXPRESSIONS, "`expr AS name`, a column, or `*`.")), """
                "fahrenheit": {"type": "project", "select": ["*", "celsius * 9 / 5 + 32 AS fahrenheit"]}
                """);

    ProjectDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        ProjectionPlan select = context.expressions().project(Scope.of(context.input().schema()),
                Snippet.of(context.fields().texts("select")));
        return select == null ? null : PlanningResult.of(new ProjectSpec(select),
                context.input().with(select.result(), EventTimes.through(context.input().time(), select.origins())));
    }

    public record ProjectSpec(ProjectionPlan select) implements ExecutableSpec {
        @Override
        public List<Compiled<?>> code() {
            return List.of(select.compiled());
        }

        @Override
        public boolean passesOn() {
            return true;
        }

        @Override
        public Set<Integer> reads() {
            return select.reads();
        }

        @Override
        public Operator make(InstanceContext making) {
            return new Project(select.compiled());
        }
    }
}
