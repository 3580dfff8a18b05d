package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.Operator;
import io.despina.operator.python.PythonSource;
import io.despina.packet.Schema;
import io.despina.plan.FunctionFacts;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.python.FunctionRole;
import io.despina.python.FunctionSpec;
import io.despina.spec.Blocking;
import io.despina.spec.ControlCommand;
import io.despina.spec.SourceGuarantee;
import java.util.List;
import java.util.Set;

/** {@code python_source}. */
public final class PythonSourceDefinition extends Definition {
    private static final String KEY = "python_source ";
    private static final OperatorType TYPE = new OperatorType("python_source", Family.CLASSES,
            "Brings the rows of a Python function of yours, in a process of its own; see docs/python-functions.md. The function "
            + "gives an iterator, or is a generator or an `async` one: of rows, or of batches. A row that does not fit `schema` "
            + "is a bad record; an exception ends the job.",
            List.of(), List.of("out", "errors"), List.of(
                    PythonDefinition.FUNCTION,
                    required("schema", new FieldKind.Ddl(true), "The columns of its rows, as Spark DDL."),
                    or("unbounded", FLAG, "false", "true: it does not end by itself, so what waits for the end of the stream is "
                            + "refused."),
                    PythonDefinition.OPTIONS_OF_FUNCTION,
                    PythonUpkeep.OPEN_TIMEOUT,
                    PythonDefinition.timeout("How long `seek` may take. A source may be silent for any time.")), """
                "lines": {
                  "type": "python_source",
                  "function": "port:Lines",
                  "schema": "ts TIMESTAMP, line STRING",
                  "unbounded": true,
                  "options": {"path": "/dev/ttyUSB0"},
                  "event_time": {"column": "ts"}
                }
                """);

    PythonSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Text name = fields.text("function");
        FunctionFacts facts = context.function(KEY + name.value());
        if (!PythonDefinition.isSound(context, facts)
                || !PythonDefinition.areRead(context, facts, "let it take `context`, or ")) {
            return null;
        }
        if (facts != null && !facts.open() && facts.needed().size() > 1) {
            return context.refuse(name.place(), Rule.PYTHON_FUNCTION, "`" + name.value() + "` takes " + facts.needed().size()
                    + " arguments, and a source is called with `context` alone", "`context.options` has what it needs");
        }
        Schema schema = JavaDefinition.schema(fields.text("schema").value());
        var calls = new FunctionSpec.Calls(false, false, 1, fields.strings("options"));
        FunctionSpec function = FunctionSpec.of(name.value(), "row", List.of(), calls, schema, schema).as(FunctionRole.SOURCE);
        FunctionSourceSpec spec = new FunctionSourceSpec(function, PythonUpkeep.openMillis(fields),
                fields.whole("timeout_ms", PythonDefinition.TIMEOUT_MS), fields.flag("unbounded"),
                facts != null && facts.methods().contains("position"));
        return PlanningResult.of(spec, new Stream(schema, null, fields.flag("unbounded")));
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }

    /**
     * The function and its rows.
     *
     * @param openMillis    to import and open it
     * @param timeoutMillis to seek
     * @param seeks         whether it is known to say where it is, and to go on there
     */
    public record FunctionSourceSpec(FunctionSpec function, long openMillis, long timeoutMillis, boolean unbounded, boolean seeks)
            implements ExecutableSpec {

        /** One that is of no module is as the program that submitted the graph has sent it. */
        @Override
        public Set<ControlCommand> commands() {
            return seeks && !function.isOfProgram() ? Set.of(ControlCommand.FLUSH, ControlCommand.RELOAD)
                    : Set.of(ControlCommand.FLUSH);
        }

        @Override
        public String instead(ControlCommand command) {
            return command != ControlCommand.RELOAD ? null : function.isOfProgram() ? PythonUpkeep.IN_A_MODULE
                    : "let it be a class with `position()` and `seek(position)`, which say where a new process goes on; or stop "
                    + "the job and start it again";
        }

        @Override
        public long reloadMillis() {
            return Math.max(openMillis, timeoutMillis);
        }

        @Override
        public String pythonFunction() {
            return function.name();
        }

        @Override
        public Promise<SourceGuarantee> comesAgain(UserPromises user) {
            return user.hasMethod(KEY + function.name(), "position") ? Promise.of(SourceGuarantee.REPLAYABLE)
                    : new Promise<>(SourceGuarantee.NONE, "nobody knows where function " + function.name()
                    + " was at the last epoch: it begins anew", "let it be a class with `position()` and `seek(position)`");
        }

        @Override
        public boolean rescales() {
            return false;
        }

        @Override
        public Blocking blocking() {
            return Blocking.OPENING;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return target == Target.SPARK_STREAMING ? List.of(new SparkGap("a Python source has no form as a stream there",
                            "run it on Spark as a batch, or give a stream of its rows by `inputs=`"))
                    : unbounded ? List.of(new SparkGap("a batch has an end, and this source says that it has none",
                            "run it on the engine, or give rows by `inputs=`")) : PythonSpec.gapsOfTypes(function);
        }

        @Override
        public boolean lettersOnSpark() {
            return true;
        }

        @Override
        public Operator make(InstanceContext making) {
            return new PythonSource(new PythonSource.Options(function, making.operator().assigns(), openMillis, timeoutMillis,
                    making.around().user().functions()));
        }
    }
}
