package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;

import io.despina.catalogue.field.ClockField;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.ProjectionPlan;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.FunctionFacts;
import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import io.despina.plan.Target;
import io.despina.python.FunctionSpec;
import io.despina.spec.Clock;
import io.despina.spec.EventTime;
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
    private static final String PICKLE = "pickle";
    static final FieldSpec STATE = optional("state", new FieldKind.Ddl(false, PICKLE), "none", "The columns of its state, as "
            + "Spark DDL: one row for each key of `group_by`. It is then called as `process(key, row, state)`, with single "
            + "packets, or as `process(key, rows, state)`, with all of that key in a batch, and a class may have "
            + "`end(key, state)`, which is called for each key when the stream has ended. `pickle` stands for attributes of any "
            + "names and kinds, which are kept as Python pickles them.");
    static final FieldSpec CLOCK = optional("clock", words("event", "the event time of the stream: packets are taken in that "
            + "order, those that come too late leave by port `late`, and a timer is called behind those of its own time and "
            + "before those of a later one. Only so it has a form on Spark", "processing", "the wall clock of the resource"),
            "as they arrive, no timers", "What a key goes by, and what tells its timer the time: `state.set_timer(when)` of a "
            + "class sets it, and `timer(key, when, state)` of the class is called then. When the input ends, all that are set "
            + "are called; when the job is stopped, they are not.");
    /** Key, row and state. */
    static final int ARGUMENTS = 3;
    /** What an attribute cannot be called. */
    private static final List<String> METHODS = List.of("clear");
    private static final List<String> METHODS_WITH_TIMERS = List.of("clear", "set_timer", "clear_timer", "timer");
    private static final String TIMER = "timer";
    private static final String END = "end";

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
            return isUnused(context, "group_by", "nothing is kept by it")
                    && isUnused(context, "clock", "it is what a key goes by");
        }
        if (!fields.isWritten("group_by")) {
            return refuse(context, fields.place("state"), Rule.EXCLUSIVE, "`state` without `group_by`: it is kept by key",
                    "\"group_by\": [\"device\"] keeps one for each device, [\"true\"] one for all");
        }
        if (!fields.string("takes", PythonDefinition.ROW).equals(PythonDefinition.ROW)) {
            return refuse(context, fields.place("takes"), Rule.EXCLUSIVE, "a function with `state` gets rows, and no batch",
                    "leave out `takes`; `process(key, rows, state)` gets a list of all rows of a key in a batch");
        }
        if (fields.isWritten("in_flight")) {
            return refuse(context, fields.place("in_flight"), Rule.EXCLUSIVE,
                    "the calls of a function with `state` come one after the other", "leave out `in_flight`");
        }
        FunctionFacts facts = context.function(fields.string("function", ""));
        boolean waits = facts != null && Boolean.TRUE.equals(facts.async());
        return fitsTimers(context, facts) && (!waits || refuse(context, fields.place("function"), Rule.PYTHON_FUNCTION,
                "a function with `state` cannot be `async def`: its calls come one after the other",
                "write `def`, or ask the service in a function without `state`"));
    }

    /** Whether `end` of its class, if that is known to have one, fits what else is said. @param time of the rows, or null */
    static boolean fitsEnd(PlanningContext context, EventTime time, Schema out) {
        Values fields = context.fields();
        FunctionFacts facts = context.function(fields.string("function", ""));
        if (!isWritten(context) || facts == null || !facts.methods().contains(END)) {
            return true;
        }
        String name = "`" + fields.text("function").value() + "` has `end`, ";
        if (context.planning().options().target() == Target.SPARK_STREAMING && clock(fields) == Clock.EVENT) {
            return refuse(context, context.operator().place(), Rule.NO_SPARK_FORM, "this has no form on Spark as a stream: "
                    + name + "and a stream has no end there", "run it on Spark as a batch, or on the engine");
        }
        if (fields.isWritten("adds")) {
            return refuse(context, fields.place("adds"), Rule.PYTHON_FUNCTION, name + "and with `adds` there is no packet "
                    + "for the rows that it gives", "say `schema`; `process` may return None there");
        }
        if (!fields.flag("pure")) {
            return refuse(context, fields.place("pure"), Rule.EXCLUSIVE, name + "which is called again when its process has died",
                    "leave out \"pure\": false, or `end`");
        }
        return time == null || refuse(context, fields.place("schema"), Rule.EVENT_TIME, name + "whose rows are of any time, and `"
                + out.column(time.column()).name() + "` is the event time of the rows", "give that column another name: without "
                + "event time no row is late");
    }

    private static boolean isUnused(PlanningContext context, String field, String why) {
        return !context.fields().isWritten(field) || refuse(context, context.fields().place(field), Rule.EXCLUSIVE,
                "`" + field + "` without `state`: " + why, "write `state`, as \"count BIGINT\", or leave out `" + field + "`");
    }

    /** Whether `clock` and what the class has of timers fit together. @param facts null if nothing is known */
    private static boolean fitsTimers(PlanningContext context, FunctionFacts facts) {
        Values fields = context.fields();
        boolean isKnown = facts != null && (!facts.methods().isEmpty() || !facts.open());
        boolean isClass = isKnown && facts.methods().contains(TIMER);
        if (!fields.isWritten("clock")) {
            return !isClass || refuse(context, fields.place("function"), Rule.PYTHON_FUNCTION, "`"
                    + fields.text("function").value() + "` has `timer`, and nothing tells it the time",
                    "\"clock\": \"event\" is the event time of the stream, \"processing\" the wall clock");
        }
        if (isKnown && !isClass && clock(fields) == Clock.PROCESSING) {
            return refuse(context, fields.place("clock"), Rule.PYTHON_FUNCTION, "`" + fields.text("function").value()
                    + "` has no `timer`, so no clock is needed",
                    "write a class with `timer(key, when, state)`, or leave out `clock`");
        }
        if (!fields.flag("pure") && (isClass || !isKnown)) {
            return refuse(context, fields.place("pure"), Rule.EXCLUSIVE, "a timer is called again when its process has died",
                    "leave out `clock`, or \"pure\": false");
        }
        return clock(fields) == Clock.PROCESSING || context.hasTime(context.input(), "in", "event order",
                isKnown && !isClass ? "" : ClockField.OTHERWISE);
    }

    /** What it goes by; null for packets as they arrive. */
    static Clock clock(Values fields) {
        return fields.isWritten("clock") ? ClockField.read(fields) : null;
    }

    /** Null after a refusal. */
    static PythonState of(PlanningContext context) {
        Values fields = context.fields();
        Text written = fields.text("state");
        boolean pickles = written.value().equals(PICKLE);
        Schema state = pickles ? Schema.of(new Column(FunctionSpec.Kept.PICKLED, Type.Simple.BINARY, true))
                : JavaDefinition.schema(written.value());
        for (Column column : state.columns()) {
            if (!pickles && !canBeKept(context, column)) {
                return null;
            }
        }
        List<Snippet> groupBy = Snippet.of(fields.texts("group_by"));
        ProjectionPlan keys = context.expressions().keys(context.input().schema(), groupBy);
        if (keys != null && clock(fields) == Clock.EVENT) {
            context.needsOrder(context.input(), "in");
        }
        return keys == null ? null : new PythonState(groupBy, keys,
                kept(named(keys.result(), groupBy, context.input().schema()), state, clock(fields)));
    }

    private static FunctionSpec.Kept kept(Schema keys, Schema state, Clock clock) {
        FunctionSpec.Kept kept = new FunctionSpec.Kept(keys, state);
        return clock == null ? kept : kept.timedBy(clock);
    }

    private static boolean canBeKept(PlanningContext context, Column column) {
        var place = context.fields().place("state");
        if (!column.nullable()) {
            return refuse(context, place, Rule.SCHEMA, "column `" + column.name() + "` of the state is NOT NULL",
                    "leave out NOT NULL: an attribute that has not been set is None");
        }
        boolean isThere = (context.fields().isWritten("clock") ? METHODS_WITH_TIMERS : METHODS).contains(column.name());
        if (isThere || !column.name().matches("\\p{L}[\\p{L}\\p{N}_]*")) {
            return refuse(context, place, Rule.SCHEMA, "column `" + column.name() + "` of the state cannot be an attribute",
                    isThere ? "`state." + column.name() + "` is there: give the column another name"
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
