package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.FieldSpec.optional;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.ProjectionPlan;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.plan.FunctionFacts;
import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import io.despina.python.FunctionSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of a Python function.
 *
 * @param groupBy as the graph writes it
 * @param keys    of a packet
 * @param kept    as the function has it
 */
record PythonState(List<Snippet> groupBy, ProjectionPlan keys, FunctionSpec.Kept kept) {
    static final FieldSpec GROUP_BY = optional("group_by", EXPRESSIONS, "no state", "What its state is kept by. Packets for "
            + "which these have the same values come to the same instance, in order.");
    static final FieldSpec STATE = optional("state", new FieldKind.Ddl(false), "none", "The columns of its state, as Spark DDL: "
            + "one row for each key of `group_by`. It is then called as `process(key, row, state)`, with single packets.");
    /** Key, row and state. */
    static final int ARGUMENTS = 3;
    private static final String CLEAR = "clear";

    PythonState {
        groupBy = List.copyOf(groupBy);
    }

    static boolean isWritten(PlanningContext context) {
        return context.fields().isWritten("state");
    }

    /** Whether `group_by`, `state` and what goes with them fit together. */
    static boolean fits(PlanningContext context) {
        Values fields = context.fields();
        if (!isWritten(context)) {
            return !fields.isWritten("group_by") || refuse(context, fields.place("group_by"), Rule.EXCLUSIVE,
                    "`group_by` without `state`: nothing is kept by it", "write `state`, as \"count BIGINT\", or leave out "
                    + "`group_by`");
        }
        if (!fields.isWritten("group_by")) {
            return refuse(context, fields.place("state"), Rule.EXCLUSIVE, "`state` without `group_by`: it is kept by key",
                    "\"group_by\": [\"device\"] keeps one for each device, [\"true\"] one for all");
        }
        if (!fields.string("takes", PythonDefinition.ROW).equals(PythonDefinition.ROW)) {
            return refuse(context, fields.place("takes"), Rule.EXCLUSIVE, "a function with `state` takes single packets",
                    "leave out `takes`");
        }
        if (fields.isWritten("in_flight")) {
            return refuse(context, fields.place("in_flight"), Rule.EXCLUSIVE,
                    "the calls of a function with `state` come one after the other", "leave out `in_flight`");
        }
        FunctionFacts facts = context.function(fields.string("function", ""));
        return facts == null || !Boolean.TRUE.equals(facts.async()) || refuse(context, fields.place("function"),
                Rule.PYTHON_FUNCTION, "a function with `state` cannot be `async def`: its calls come one after the other",
                "write `def`, or ask the service in a function without `state`");
    }

    /** Null after a refusal. */
    static PythonState of(PlanningContext context) {
        Values fields = context.fields();
        Text written = fields.text("state");
        Schema state = JavaDefinition.schema(written.value());
        for (Column column : state.columns()) {
            if (!canBeKept(context, column)) {
                return null;
            }
        }
        List<Snippet> groupBy = Snippet.of(fields.texts("group_by"));
        ProjectionPlan keys = context.expressions().keys(context.input().schema(), groupBy);
        return keys == null ? null : new PythonState(groupBy, keys,
                new FunctionSpec.Kept(named(keys.result(), groupBy, context.input().schema()), state));
    }

    private static boolean canBeKept(PlanningContext context, Column column) {
        var place = context.fields().place("state");
        if (!column.nullable()) {
            return refuse(context, place, Rule.SCHEMA, "column `" + column.name() + "` of the state is NOT NULL",
                    "leave out NOT NULL: an attribute that has not been set is None");
        }
        if (column.name().equals(CLEAR) || !column.name().matches("\\p{L}[\\p{L}\\p{N}_]*")) {
            return refuse(context, place, Rule.SCHEMA, "column `" + column.name() + "` of the state cannot be an attribute",
                    column.name().equals(CLEAR) ? "`state.clear()` forgets the state: give the column another name"
                    : "a name begins with a letter, and has letters, digits and `_`");
        }
        return true;
    }

    /** The columns of a key by the names of the packet's, where they are that. */
    private static Schema named(Schema keys, List<Snippet> groupBy, Schema in) {
        List<Column> columns = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int k = 0; k < keys.size(); k++) {
            int of = in.indexOf(groupBy.get(k).sql().strip());
            String name = of >= 0 && !names.contains(in.column(of).name()) ? in.column(of).name() : "key_" + (k + 1);
            names.add(name);
            columns.add(new Column(name, keys.column(k).type(), keys.column(k).nullable()));
        }
        return new Schema(columns);
    }

    private static boolean refuse(PlanningContext context, Place place, Rule rule, String problem, String hint) {
        context.refuse(place, rule, problem, hint);
        return false;
    }
}
