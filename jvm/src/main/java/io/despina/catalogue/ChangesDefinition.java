package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Place;
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
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import java.util.ArrayList;
import java.util.List;

/** {@code changes}: a scan whose state is the value that it has given last. */
public final class ChangesDefinition extends Definition {
    private static final String PREVIOUS = "previous";
    private static final FieldKind NUMBER = new FieldKind.Real(0, false);

    private static final OperatorType TYPE = new OperatorType("changes", Family.GROUPS,
            "A row where a value has changed, in event order: where it differs from the group's value in the row before. A "
            + "group's first value is a change. A packet whose value is NULL gives no row and changes nothing; "
            + "`coalesce(…)` makes a value of it.",
            List.of("in"), List.of("out", "late", "errors"), List.of(
                    optional("group_by", EXPRESSIONS, "one group", "What makes a group: packets for which these have the same "
                            + "values. Without it, one instance does all, and on Spark one partition."),
                    required("of", EXPRESSION, "The value."),
                    or("tolerance", NUMBER, "0", "How far a number may move without a row: it must be farther than this "
                            + "from `previous`. A slow drift gives a row too, once it is that far from the last row's value."),
                    optional("hysteresis", NUMBER, "`tolerance`", "How far a number may move back without a row, so that one "
                            + "that swings about a border gives few: a move against the direction of the last one must be "
                            + "more. At least `tolerance`."),
                    required("select", EXPRESSIONS, "The row: `expr AS name`, a column, `previous`, or `*` for the packet's "
                            + "columns. `previous` is the value in the group's row before, NULL in its first one.")), """
                "moves": {
                  "type": "changes",
                  "group_by": ["device"],
                  "of": "celsius",
                  "tolerance": 0.5,
                  "select": ["ts", "device", "celsius", "celsius - previous AS moved"]
                }
                """);

    ChangesDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Schema in = context.input().schema();
        Text of = context.fields().text("of");
        List<Snippet> groupBy = Snippet.of(context.fields().texts("group_by"));
        boolean sound = columnsFit(context, in) & boundsFit(context) & context.expressions().areUnnamed(List.of(of));
        if (!sound) {
            return null;
        }
        ProjectionPlan keys = groupBy.isEmpty() ? null : context.expressions().keys(in, groupBy);
        ProjectionPlan value = context.expressions().project(Scope.of(in), List.of(Snippet.named(of, PREVIOUS)));
        if (value == null || keys == null && !groupBy.isEmpty()) {
            return null;
        }
        Type type = value.result().column(0).type();
        if (measures(context.fields()) && !isNumber(type)) {
            return context.refuse(of.place(), Rule.COLUMN_TYPE, "`tolerance` and `hysteresis` are of numbers, and this is "
                    + type.sql(), "leave them out: any other value is a change");
        }
        return plan(context, keys, new Fold(in, of, type, context.fields()));
    }

    private static PlanningResult plan(PlanningContext context, ProjectionPlan keys, Fold fold) {
        Schema in = context.input().schema();
        Place place = context.fields().place("of");
        ProjectionPlan initial = context.expressions().project(Scope.of(in), fold.initial(), place);
        if (initial == null) {
            return null;
        }
        Schema state = new Schema(initial.result().columns().stream().map(c -> new Column(c.name(), c.type(), true)).toList());
        Scope before = Scope.of(in).and(null, state);
        ProjectionPlan next = context.expressions().project(before, fold.next(), place);
        if (next == null) {
            return null;
        }
        Compiled<Predicate> moved = context.expressions().predicate(before.and("next", state),
                "NOT (previous <=> next.previous)", place);
        ProjectionPlan select = context.expressions().project(before, Snippet.of(context.fields().texts("select")));
        if (moved == null || select == null) {
            return null;
        }
        context.needsOrder(context.input(), "in");
        return ScanDefinition.keyed(context, new ScanDefinition.ScanSpec(keys, state, initial, next, moved, select, false, null));
    }

    private static boolean columnsFit(PlanningContext context, Schema in) {
        return in.indexOf(PREVIOUS) < 0 || context.refuse(context.operator().place(), Rule.DUPLICATE_COLUMN,
                "the stream has a column `previous`, and here that is the value before",
                "give the column another name with a `project` before it") != null;
    }

    private static boolean boundsFit(PlanningContext context) {
        Values fields = context.fields();
        double tolerance = fields.real("tolerance", 0);
        return fields.real("hysteresis", tolerance) >= tolerance || context.refuse(fields.place("hysteresis"), Rule.OUT_OF_RANGE,
                "`hysteresis` is less than `tolerance`", "a move back would then be easier than a move on") != null;
    }

    private static boolean measures(Values fields) {
        return fields.isWritten("tolerance") || fields.isWritten("hysteresis");
    }

    /** The scan's expressions. Newlines end comments in the text of the value. */
    private static final class Fold {
        private final String value;
        private final Type type;
        private final boolean measures;
        private final double tolerance;
        private final double hysteresis;
        /** The state that holds the direction of the last move, 1 or -1, before the second row 0; null if it does not matter. */
        private final String direction;

        Fold(Schema in, Text of, Type type, Values fields) {
            value = "(" + of.value() + "\n)";
            this.type = type;
            measures = measures(fields);
            tolerance = fields.real("tolerance", 0);
            hysteresis = fields.real("hysteresis", tolerance);
            direction = hysteresis > tolerance ? unused(in, "direction") : null;
        }

        private static String unused(Schema in, String name) {
            return in.indexOf(name) < 0 ? name : unused(in, name + "_");
        }

        List<String> initial() {
            List<String> initial = new ArrayList<>(List.of("CAST(NULL AS " + type.sql() + ") AS " + PREVIOUS));
            if (direction != null) {
                initial.add("0 AS " + direction);
            }
            return initial;
        }

        List<String> next() {
            List<String> next = new ArrayList<>(List.of("if(" + moved() + ", " + value + ", previous) AS " + PREVIOUS));
            if (direction != null) {
                next.add("if(" + moved() + " AND previous IS NOT NULL, if(" + distance() + " > 0, 1, -1), " + direction + ") AS "
                        + direction);
            }
            return next;
        }

        private String moved() {
            String differs = value + " IS NOT NULL AND NOT (" + value + " <=> previous)";
            if (!measures) {
                return differs;
            }
            String bound = direction == null ? tolerance + "D" : "if(" + direction + " <> 0 AND (" + distance() + " > 0) <> ("
                    + direction + " > 0), " + hysteresis + "D, " + tolerance + "D)";
            return differs + " AND (previous IS NULL OR abs(" + distance() + ") > " + bound + ")";
        }

        /** Exact but for floats, and for decimals that are too far apart; never an overflow. */
        private String distance() {
            if (type instanceof Type.Decimal decimal && decimal.precision() == Type.Decimal.MAX_PRECISION) {
                return "coalesce(CAST(try_subtract(" + value + ", previous) AS DOUBLE), CAST(" + value
                        + " AS DOUBLE) - CAST(previous AS DOUBLE))";
            }
            String exact = type instanceof Type.Decimal ? value
                    : type == Type.Simple.FLOAT || type == Type.Simple.DOUBLE ? "CAST(" + value + " AS DOUBLE)"
                    : type == Type.Simple.BIGINT ? "CAST(" + value + " AS DECIMAL(20, 0))" : "CAST(" + value + " AS BIGINT)";
            return "(" + exact + " - previous)";
        }
    }
}
