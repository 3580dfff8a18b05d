package io.despina.catalogue;

import io.despina.catalogue.field.ClockField;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.Operator;
import io.despina.operator.python.BatchLimits;
import io.despina.operator.python.PythonOperator;
import io.despina.operator.python.Sharing;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.OperatorSpec;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.plan.UserPromises;
import io.despina.python.FunctionSpec;
import io.despina.spec.Blocking;
import io.despina.spec.Clock;
import io.despina.spec.ControlCommand;
import io.despina.spec.SinkGuarantee;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The function, and how it is called.
 *
 * @param limits of a batch
 * @param upkeep of its processes
 * @param keys   of its state; null if it keeps none
 */
record PythonSpec(FunctionSpec function, BatchLimits limits, PythonUpkeep upkeep, ProjectionPlan keys) implements ExecutableSpec {

    PythonSpec by(ProjectionPlan ofState) {
        return new PythonSpec(function, limits, upkeep, ofState);
    }

    @Override
    public List<Compiled<?>> code() {
        return Arrays.asList(keys == null ? null : keys.compiled());
    }

    @Override
    public boolean isKeyed() {
        return keys != null;
    }

    /** A process is started and awaited, which imports what the user's module wants. */
    @Override
    public Blocking blocking() {
        return Blocking.OPENING;
    }

    @Override
    public String pythonFunction() {
        return function.name();
    }

    /** One that is of no module is as the program that submitted the graph has sent it. */
    @Override
    public Set<ControlCommand> commands() {
        return function.isOfProgram() ? Set.of(ControlCommand.FLUSH)
                : Set.of(ControlCommand.FLUSH, ControlCommand.RELOAD);
    }

    @Override
    public long reloadMillis() {
        return upkeep.openMillis();
    }

    @Override
    public Promise<SinkGuarantee> leaves(UserPromises user) {
        return function.calls().pure() ? null : new Promise<>(SinkGuarantee.AT_LEAST_ONCE,
                "what function " + function.name() + " does outside of the job is done again for packets after the last "
                + "epoch",
                "if it does nothing outside, leave out \"pure\": false");
    }

    @Override
    public List<OperatorSpec.SparkGap> sparkGaps(Target target) {
        if (clock() == Clock.PROCESSING) {
            return ClockField.sparkGaps(clock());
        }
        if (keys != null && clock() == null) {
            return List.of(new OperatorSpec.SparkGap(
                    "a Python function with `state` takes packets as they arrive, and Spark has no such order",
                    "\"clock\": \"event\" gives it those of a key in event order, here and there"));
        }
        if (!function.calls().pure()) {
            return List.of(new OperatorSpec.SparkGap(
                    "Spark may call a function again with the same rows, and this one must not be",
                    "leave out \"pure\": false if it may"));
        }
        return runsOnSpark(target) ? List.of() : gapsOfTypes(function);
    }

    /** Whether the engine's own operator calls the function there. */
    private boolean runsOnSpark(Target target) {
        return target == Target.SPARK_STREAMING && keys != null;
    }

    /** Spark hands all columns of a packet over, and pyarrow has no type for spans of months. */
    static List<OperatorSpec.SparkGap> gapsOfTypes(FunctionSpec function) {
        Schema state = function.kept() == null ? function.input() : function.kept().state();
        return Stream.of(function.input(), function.output(), state)
                .flatMap(schema -> schema.columns().stream()).filter(column -> hasMonths(column.type())).limit(1)
                .map(column -> new OperatorSpec.SparkGap("column `" + column.name() + "` is " + column.type().sql()
                        + ", and Spark's Python has no spans of months", "let `project` make a number of them before it, and "
                        + "`make_ym_interval` spans behind it")).toList();
    }

    private static boolean hasMonths(Type type) {
        return type instanceof Type.Interval interval && interval.isMonths()
                || type instanceof Type.Array array && hasMonths(array.element())
                || type instanceof Type.MapOf map && (hasMonths(map.key()) || hasMonths(map.value()))
                || type instanceof Type.Struct struct && struct.fields().stream().anyMatch(each -> hasMonths(each.type()));
    }

    @Override
    public Map<String, Object> resolved() {
        return keys == null ? Map.of() : Map.of("key_names", function.kept().keys().names());
    }

    @Override
    public boolean keepsState() {
        return keys != null;
    }

    @Override
    public boolean lettersOnSpark() {
        return true;
    }

    /**
     * Where both may be called again with the same rows, and want the same of a process. What keeps state is the first of a row,
     * and what wants just so many rows is in none.
     */
    @Override
    public boolean sharesProcess(OperatorSpec behind) {
        return behind instanceof PythonSpec next && next.keys == null && function.calls().pure() && next.function.calls().pure()
                && limits.waitMillis() == BatchLimits.AT_ONCE && limits.equals(next.limits) && upkeep.equals(next.upkeep);
    }

    @Override
    public boolean holdsBack() {
        return true;
    }

    @Override
    public boolean goesByClock() {
        return clock() == Clock.PROCESSING;
    }

    @Override
    public boolean canBeLate() {
        return clock() == Clock.EVENT;
    }

    @Override
    public boolean keepsAll() {
        return function.calls().adds();
    }

    @Override
    public TimePerKey timePerKey() {
        return clock() == Clock.EVENT ? TimePerKey.REFUSED : TimePerKey.UNUSED;
    }

    /** What a key goes by; null for packets as they arrive. */
    private Clock clock() {
        return function.kept() == null ? null : function.kept().clock();
    }

    @Override
    public String losesTime() {
        return clock() != Clock.PROCESSING || function.calls().adds() ? null
                : "timers by the wall clock give rows of any time";
    }

    @Override
    public Operator make(InstanceContext making) {
        return new PythonOperator(new PythonOperator.Options(function, limits,
                upkeep.by(making.around().user().functions()), keys == null ? null : making.keys(keys),
                clock() == Clock.EVENT ? making.order(0) : null, sharing(making)));
    }

    private static Sharing sharing(InstanceContext making) {
        return new Sharing(making.around().crossings(), making.id(), making.plan().sharing(making.id()).stream().map(behind -> {
            PythonSpec spec = (PythonSpec) behind.spec();
            return new Sharing.Next(behind.id(), new FunctionSpec.Behind(spec.function, spec.limits.rows(), spec.limits.bytes()));
        }).toList());
    }
}
