package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.OperatorType;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.stateless.Project;
import io.despina.plan.Outcome;
import io.despina.plan.Site;
import io.despina.plan.Snippet;
import io.despina.plan.Times;
import java.util.List;
import java.util.Set;

/** {@code project}. */
public final class ProjectDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("project",
            "Makes a row of expressions from each packet.",
            List.of("in"), List.of("out", "errors"), List.of(
                    required("select", EXPRESSIONS, "`expr AS name`, a column, or `*`.")), """
                "fahrenheit": {"type": "project", "select": ["*", "celsius * 9 / 5 + 32 AS fahrenheit"]}
                """);

    ProjectDefinition() {
        super(TYPE);
    }

    @Override
    public Outcome plan(Site site) {
        ProjectionPlan select = site.expressions().project(Scope.of(site.input().schema()),
                Snippet.of(site.fields().texts("select")));
        return select == null ? null : Outcome.of(new ProjectSpec(select),
                site.input().with(select.result(), Times.through(site.input().time(), select.origins())));
    }

    public record ProjectSpec(ProjectionPlan select) implements MakingSpec {
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
        public Operator make(Making making) {
            return new Project(select.compiled());
        }
    }
}
