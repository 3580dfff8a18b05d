package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.Format;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.stateless.Route;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code route}. */
public final class RouteDefinition extends Definition {
    private static final String CASES = "cases";
    private static final OperatorType TYPE = new OperatorType("route", Family.PACKETS,
            "Sends each packet to the ports whose conditions are true for it; a packet for which none is leaves by `otherwise`. "
            + "A link names a case as its port: `\"from\": \"by_heat.hot\"`, in Python `by_heat.port(\"hot\")`. Every case needs "
            + "a link; packets at `otherwise` are dropped and counted if it has none.",
            List.of("in"), List.of("otherwise", "errors"), List.of(
                    required(CASES, new FieldKind.MapOf(Format.ID, "port", EXPRESSION),
                            "Conditions by port, in the order in which they are asked; NULL counts as false."),
                    or("match", words("first", "a packet goes to the first case that is true for it, and no further condition is "
                            + "evaluated", "all", "a packet goes to every case that is true for it"), "\"first\"",
                            "How many cases may have a packet.")), """
                "by_heat": {
                  "type": "route",
                  "cases": {
                    "hot": "celsius > 90",
                    "cold": "celsius < 4"
                  }
                }
                """).withPortsOf(CASES);

    RouteDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Map<String, Text> cases = context.fields().namedTexts(CASES);
        if (cases.isEmpty()) {
            return context.refuse(context.fields().place(CASES), Rule.OUT_OF_RANGE, "a route without a case",
                    "a case is a port and its condition");
        }
        boolean sound = true;
        List<Compiled<Predicate>> conditions = new ArrayList<>();
        for (Map.Entry<String, Text> each : cases.entrySet()) {
            if (TYPE.outputs().contains(each.getKey())) {
                context.refuse(each.getValue().place(), Rule.BAD_NAME, "every route has a port `" + each.getKey()
                        + "` of its own", "give the case another name");
                sound = false;
            }
            Compiled<Predicate> condition = context.expressions().predicate(Scope.of(context.input().schema()),
                    Snippet.of(each.getValue()));
            sound &= condition != null;
            conditions.add(condition);
        }
        boolean first = context.fields().string("match", "first").equals("first");
        return sound ? PlanningResult.of(new RouteSpec(conditions, first), context.input()) : null;
    }

    /** Outputs: each case in turn, then {@code otherwise}. */
    public record RouteSpec(List<Compiled<Predicate>> cases, boolean first) implements ExecutableSpec {
        public RouteSpec {
            cases = List.copyOf(cases);
        }

        @Override
        public List<Compiled<?>> code() {
            return List.copyOf(cases);
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
            return new Route(cases, first);
        }
    }
}
