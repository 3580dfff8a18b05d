package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.field.SinkMode;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.operator.Operator;
import io.despina.operator.python.PythonOperator;
import io.despina.operator.python.PythonSink;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.python.FunctionRole;
import io.despina.python.FunctionSpec;
import io.despina.spec.Blocking;
import io.despina.spec.ControlCommand;
import io.despina.spec.SinkGuarantee;
import java.util.List;
import java.util.Set;

/** {@code python_sink}. */
public final class PythonSinkDefinition extends Definition {
    private static final String KEY = "python_sink ";
    /** No row of it ever comes, and a schema has a column at least. */
    private static final Schema ANSWER = Schema.of(new Column("answer", Type.Simple.BOOLEAN, true));
    private static final OperatorType TYPE = new OperatorType("python_sink", Family.CLASSES,
            "Gives rows to a Python function of yours, or to `write` of a class, in a process of its own; see "
            + "docs/python-functions.md. What it cannot take, or raises, is a bad record.",
            List.of("in"), List.of("errors"), List.of(
                    PythonDefinition.FUNCTION, PythonDefinition.TAKES, PythonDefinition.COLUMNS,
                    PythonDefinition.OPTIONS_OF_FUNCTION, PythonBatches.ROWS, PythonBatches.BYTES,
                    PythonDefinition.IN_FLIGHT,
                    or("pure", FLAG, "false", "true: it may be called again with the same rows: those of a batch that it raised "
                            + "for, half by half, and those of a process that died."),
                    PythonUpkeep.OPEN_TIMEOUT,
                    PythonDefinition.timeout("How long it may take for a batch or an epoch. Then its process is ended."),
                    SinkMode.APPEND_ONLY), """
                "table": {
                  "type": "python_sink",
                  "function": "database:Table",
                  "takes": "arrow",
                  "options": {"path": "readings.db"}
                }
                """);

    PythonSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        if (!SinkMode.isAppend(context) || !PythonDefinition.canBeCalled(context, KEY)) {
            return null;
        }
        FunctionSpec function = PythonDefinition.function(context, false, ANSWER).as(FunctionRole.SINK);
        return PlanningResult.of(new FunctionSinkSpec(PythonDefinition.options(context, function)), null);
    }

    /** The function, and how it is called. */
    record FunctionSinkSpec(PythonSpec calls) implements ExecutableSpec {

        @Override
        public Set<ControlCommand> commands() {
            return calls.commands();
        }

        @Override
        public String instead(ControlCommand command) {
            return calls.instead(command);
        }

        @Override
        public long reloadMillis() {
            return calls.reloadMillis();
        }

        @Override
        public String pythonFunction() {
            return calls.pythonFunction();
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            String name = calls.pythonFunction();
            return user.hasMethod(KEY + name, "commit") ? Promise.of(SinkGuarantee.TRANSACTIONAL)
                    : new Promise<>(SinkGuarantee.AT_LEAST_ONCE, "function " + name
                    + " may have shown rows before their epoch was complete, and gets them again",
                    "let it be a class that hides them from `prepare(epoch)` until `commit(epoch)`");
        }

        @Override
        public Blocking blocking() {
            return Blocking.OPENING;
        }

        @Override
        public boolean holdsBack() {
            return true;
        }

        @Override
        public boolean goesByClock() {
            return false;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return target == Target.SPARK_STREAMING ? List.of(new SparkGap("a Python sink has no form as a stream there",
                    "run it on Spark as a batch, or take the rows by `collect_sink` and `foreachBatch`"))
                    : PythonSpec.gapsOfTypes(calls.function());
        }

        @Override
        public boolean skipsOnSpark() {
            return true;
        }

        @Override
        public Operator make(InstanceContext making) {
            return new PythonSink(new PythonOperator.Options(calls.function(), calls.limits(),
                    calls.upkeep().by(making.around().user().functions())));
        }
    }
}
