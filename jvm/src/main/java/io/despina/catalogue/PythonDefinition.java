package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.OPTIONS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Nearest;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.plan.EventTimes;
import io.despina.plan.FunctionFacts;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.python.FunctionSpec;
import io.despina.spec.EventTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** {@code python}. */
public final class PythonDefinition extends Definition {
    static final long TIMEOUT_MS = 60_000;
    private static final int FLYING = 64;
    private static final int MOST_IN_FLIGHT = 10_000;
    static final String ROW = "row";
    private static final String PANDAS = "pandas";
    private static final List<String> BY_PARAMETER = List.of(ROW, "numpy");

    static final FieldSpec FUNCTION = required("function", TEXT, "`module:name`, a function or a class. The module lies beside "
            + "the graph, in a folder of `--modules`, or is installed.");
    static final FieldSpec TAKES = or("takes", words(ROW, "the values of one packet, by the names of its parameters", "arrow",
            "a pyarrow.RecordBatch", "numpy", "an array for each column that its parameters name", PANDAS, "a DataFrame",
            "polars", "a DataFrame"), "\"row\"", "What the function is called with.");
    static final FieldSpec COLUMNS = optional("columns", new FieldKind.ListOf(TEXT, 1), "those that its parameters name, or all",
            "The columns that it is called with, in the order of its parameters.");
    static final FieldSpec OPTIONS_OF_FUNCTION = optional("options", OPTIONS, "none",
            "Texts for it: `context.options` has them.");
    static final FieldSpec IN_FLIGHT = or("in_flight", new FieldKind.Whole(1, MOST_IN_FLIGHT), Integer.toString(FLYING),
            "For an `async def` that takes rows: how many calls of a batch wait at once. Answers keep their order.");

    private static final OperatorType TYPE = new OperatorType("python", Family.CLASSES,
            "Runs a Python function of yours, in a process of its own; see docs/python-functions.md. Packets leave in the order "
            + "in which they came, or with `clock` by event time in that, with what the function returned for them. What it "
            + "cannot take, or raises, is a bad record. The stream at `out` keeps the event time: with `adds` always, with "
            + "`schema` if that has its column, and the function must return that as it came.",
            List.of("in"), List.of("out", "late", "errors"), List.of(
                    FUNCTION, TAKES,
                    optional("adds", new FieldKind.Ddl(false), "see `schema`", "The columns that it returns, as Spark DDL; "
                            + "they join the packet. It returns one value, or a tuple of them, for each row."),
                    optional("schema", new FieldKind.Ddl(false), "see `adds`", "The columns of the rows that it returns in "
                            + "place of the packet, as Spark DDL: none, one or many for each. One of `adds` and `schema` is "
                            + "written."),
                    PythonState.GROUP_BY, PythonState.STATE, PythonState.CLOCK,
                    COLUMNS, OPTIONS_OF_FUNCTION, PythonBatches.ROWS, PythonBatches.BYTES, PythonBatches.FIXED,
                    PythonBatches.WAIT, IN_FLIGHT,
                    or("pure", FLAG, "true", "false: it does something outside. It is then never called twice with a row in "
                            + "one attempt of the job: the rows of a process that dies are bad records."),
                    PythonUpkeep.OPEN_TIMEOUT,
                    timeout("How long it may take for a batch. Then its process is ended, and says where it was."),
                    PythonUpkeep.WORKERS, PythonUpkeep.SPARE, PythonUpkeep.MEMORY), """
                "scored": {
                  "type": "python",
                  "function": "scores:anomaly",
                  "adds": "score DOUBLE"
                }
                """);

    static FieldSpec timeout(String doc) {
        return or("timeout_ms", POSITIVE_MILLIS, Long.toString(TIMEOUT_MS), doc);
    }

    PythonDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Stream in = context.input();
        boolean adds = fields.isWritten("adds");
        if (adds == fields.isWritten("schema")) {
            return context.refuse(adds ? fields.place("schema") : context.operator().place(), Rule.EXCLUSIVE,
                    adds ? "`adds` and `schema` exclude each other" : "one of `adds` and `schema` says what the function returns",
                    "`adds`: more columns for each packet; `schema`: rows of its own");
        }
        Schema returned = JavaDefinition.schema(fields.text(adds ? "adds" : "schema").value());
        Schema out = adds ? joined(context, in.schema(), returned) : returned;
        if (out == null || !PythonState.fits(context) || !PythonBatches.fits(context)
                || !PythonUpkeep.fits(context) || !canBeCalled(context, "")) {
            return null;
        }
        boolean keeps = PythonState.isWritten(context);
        PythonState state = keeps ? PythonState.of(context) : null;
        if (keeps && state == null) {
            return null;
        }
        warnOfForm(context);
        FunctionSpec function = function(context, adds, returned);
        PythonSpec spec = state == null ? options(context, function)
                : options(context, function.keeping(state.kept())).by(state.keys());
        List<Integer> origins = adds ? IntStream.range(0, out.size()).map(k -> k < in.schema().size() ? k : -1).boxed().toList()
                : JavaDefinition.origins(in.schema(), out);
        List<List<String>> keys = state == null ? List.of() : List.of(Snippet.sql(state.groupBy()));
        EventTime time = spec.losesTime() == null ? EventTimes.through(in.time(), origins) : null;
        return PythonState.fitsEnd(context, time, out) ? new PlanningResult(spec, in.with(out, time), keys, null) : null;
    }

    /** Whether the function can be called with what comes, as far as its text says. @param key before its name, in the facts */
    static boolean canBeCalled(PlanningContext context, String key) {
        FunctionFacts facts = context.function(key + context.fields().string("function", ""));
        return areColumns(context) && fits(context, facts) && areRead(context, facts, "");
    }

    /** Whether `options` reach the function, as far as its text says. @param otherwise what else would do, before the hint */
    static boolean areRead(PlanningContext context, FunctionFacts facts, String otherwise) {
        Values fields = context.fields();
        boolean areLost = facts != null && Boolean.FALSE.equals(facts.told()) && !fields.strings("options").isEmpty();
        if (areLost) {
            context.refuse(fields.place("options"), Rule.PYTHON_FUNCTION, "`" + fields.text("function").value()
                    + "` does not read `options`", otherwise + (facts.methods().isEmpty() ? "write a class with `open(context)`"
                    : "write `open(context)` in the class") + ", where `context.options` has them");
        }
        return !areLost;
    }

    static FunctionSpec function(PlanningContext context, boolean adds, Schema returned) {
        Values fields = context.fields();
        var calls = new FunctionSpec.Calls(adds, fields.flag("pure"), (int) fields.whole("in_flight", FLYING),
                fields.strings("options"));
        return FunctionSpec.of(fields.string("function", ""), fields.string("takes", ROW), texts(fields), calls,
                context.input().schema(), returned);
    }

    static PythonSpec options(PlanningContext context, FunctionSpec function) {
        Values fields = context.fields();
        return new PythonSpec(function, PythonBatches.of(fields), PythonUpkeep.of(fields), null);
    }

    private static List<String> texts(Values fields) {
        return fields.texts("columns").stream().map(Text::value).toList();
    }

    /** The packet's columns and those that join it; null after a column was refused that the packet has. */
    private static Schema joined(PlanningContext context, Schema in, Schema added) {
        List<Column> all = new ArrayList<>(in.columns());
        for (Column column : added.columns()) {
            if (in.indexOf(column.name()) >= 0) {
                return context.refuse(context.fields().place("adds"), Rule.DUPLICATE_COLUMN, "the packet has a column `"
                        + column.name() + "`, which `adds` would hide", "give the new one another name");
            }
            all.add(column);
        }
        return new Schema(all);
    }

    private static boolean areColumns(PlanningContext context) {
        return context.fields().texts("columns").stream()
                .allMatch(each -> context.column(context.input().schema(), each.value(), each.place()) >= 0);
    }

    /** Whether it has a name, and nothing is known against it. */
    static boolean isSound(PlanningContext context, FunctionFacts facts) {
        Text name = context.fields().text("function");
        if (!name.value().matches("[^:]+:[^:]+")) {
            context.refuse(name.place(), Rule.PYTHON_FUNCTION, "`" + name.value() + "` is not `module:name`",
                    "for the function `f` of acme/scores.py: acme.scores:f");
            return false;
        }
        if (facts != null && facts.problem() != null) {
            context.refuse(name.place(), Rule.PYTHON_FUNCTION, facts.problem(), facts.hint());
            return false;
        }
        return true;
    }

    private static boolean fits(PlanningContext context, FunctionFacts facts) {
        if (!isSound(context, facts)) {
            return false;
        }
        if (facts == null) {
            return true;
        }
        Values fields = context.fields();
        Text name = fields.text("function");
        boolean byParameter = BY_PARAMETER.contains(fields.string("takes", ROW));
        if (!mayBeInFlight(context, facts)) {
            return false;
        }
        if (facts.open()) {
            return true;
        }
        boolean keeps = PythonState.isWritten(context);
        int given = keeps ? PythonState.ARGUMENTS : !byParameter ? 1 : fields.isWritten("columns") ? texts(fields).size() : -1;
        int most = facts.needed().size() + facts.optional().size();
        if (given >= 0 && (given < facts.needed().size() || given > most)) {
            String least = facts.optional().isEmpty() ? "" : facts.needed().size() + " to ";
            context.refuse(name.place(), Rule.PYTHON_FUNCTION, "`" + name.value() + "` takes " + least + most
                    + " arguments, and is called with " + given,
                    keeps ? "with `state` it is called as `process(key, row, state)`, or with `rows` in place of `row`"
                    : byParameter ? "`columns` are its arguments, in order" : "it is called with a whole batch");
            return false;
        }
        return given >= 0 || isOfState(context, name, facts)
                && facts.needed().stream().allMatch(each -> isColumn(context, name, each));
    }

    /** Refuses what takes a key, a row and a state, where the graph keeps none. @return whether it is nothing of that kind */
    private static boolean isOfState(PlanningContext context, Text name, FunctionFacts facts) {
        boolean wants = facts.needed().size() == PythonState.ARGUMENTS && facts.needed().contains("state")
                && context.input().schema().indexOf("state") < 0;
        if (wants) {
            context.refuse(name.place(), Rule.PYTHON_FUNCTION, "`" + name.value() + "` takes `"
                    + String.join("`, `", facts.needed()) + "`, and no state is kept for it",
                    "write `group_by` and `state`: \"group_by\": [\"device\"], \"state\": \"count BIGINT\"");
        }
        return !wants;
    }

    private static boolean mayBeInFlight(PlanningContext context, FunctionFacts facts) {
        Values fields = context.fields();
        boolean ofRows = fields.string("takes", ROW).equals(ROW);
        if (!fields.isWritten("in_flight") || ofRows && !Boolean.FALSE.equals(facts.async())) {
            return true;
        }
        context.refuse(fields.place("in_flight"), Rule.PYTHON_FUNCTION, ofRows
                ? "`" + fields.text("function").value() + "` is no `async def`: its calls come one after the other"
                : "`in_flight` is of calls with one row each, and this function takes batches",
                "leave out `in_flight`" + (ofRows ? ", or write `async def`" : ""));
        return false;
    }

    private static boolean isColumn(PlanningContext context, Text function, String parameter) {
        Schema in = context.input().schema();
        boolean known = in.names().stream().anyMatch(parameter::equalsIgnoreCase);
        if (!known) {
            context.refuse(function.place(), Rule.UNKNOWN_COLUMN, "`" + function.value() + "` has the parameter `" + parameter
                    + "`, and the stream has no such column", Nearest.hint(parameter, in.names()));
        }
        return known;
    }

    private static void warnOfForm(PlanningContext context) {
        if (context.fields().string("takes", ROW).equals(PANDAS) && context.isUnbounded()) {
            context.warn(Rule.SLOW_FORM, "a DataFrame of pandas takes about a millisecond to make, even of one row",
                    "\"takes\": \"numpy\" or \"arrow\" take some microseconds; if that is quick enough, write "
                    + "\"accept\": [\"slow_form\"]");
        }
    }
}
