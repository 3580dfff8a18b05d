package io.despina.plan;

import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.List;
import java.util.Set;

/** Plans operators that take one packet at a time and keep nothing. */
final class Stateless {
    private Stateless() {
    }

    static Outcome relay(Site site) {
        Values fields = site.fields();
        List<OperatorSpec.SleepStep> steps = fields.list("steps").stream()
                .map(s -> new OperatorSpec.SleepStep(s.whole("for_ms", 0), s.real("sleep_ms", 0))).toList();
        if (!steps.isEmpty() && fields.isWritten("sleep_ms")) {
            return site.refuse(fields.place("steps"), Rule.EXCLUSIVE, "`steps` and `sleep_ms` exclude each other",
                    "leave one of them out");
        }
        return Outcome.of(new OperatorSpec.Relay(fields.real("sleep_ms", 0), fields.real("work_us", 0), steps), site.input());
    }

    static Outcome project(Site site) {
        ProjectionPlan select = site.expressions().project(Scope.of(site.input().schema()),
                Snippet.of(site.fields().texts("select")));
        return select == null ? null : Outcome.of(new OperatorSpec.Project(select),
                site.input().with(select.result(), Times.through(site.input().time(), select.origins())));
    }

    static Outcome filter(Site site) {
        Compiled<Predicate> where = site.expressions().predicate(Scope.of(site.input().schema()),
                Snippet.of(site.fields().text("where")));
        return where == null ? null : Outcome.of(new OperatorSpec.Filter(where), site.input());
    }

    static Outcome explode(Site site) {
        Schema in = site.input().schema();
        Text as = site.fields().text("as");
        if (in.indexOf(as.value()) >= 0) {
            return site.refuse(as.place(), Rule.DUPLICATE_COLUMN, "the packet has a column `" + as.value() + "` already",
                    "give the element another name");
        }
        Text of = site.fields().text("of");
        if (!site.expressions().areUnnamed(List.of(of))) {
            return null;
        }
        ProjectionPlan array = site.expressions().project(Scope.of(in), List.of(Snippet.named(of, as.value())));
        if (array == null) {
            return null;
        }
        if (!(array.result().column(0).type() instanceof Type.Array type)) {
            return site.refuse(of.place(), Rule.COLUMN_TYPE, "`of` is " + array.result().column(0).type().sql()
                    + ", and must be an ARRAY", null);
        }
        Schema out = in.plus(Schema.of(new Column(as.value(), type.element(), type.containsNull())));
        return Outcome.of(new OperatorSpec.Explode(array, Set.of()), site.input().with(out, site.input().time()));
    }

    static Outcome union(Site site) {
        return Outcome.of(new OperatorSpec.Union(), site.input());
    }
}
