package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;

import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.operator.Operator;
import io.despina.operator.control.GraphControl;
import io.despina.operator.control.Steering;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.spec.ControlCommand;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** {@code control}. */
public final class ControlDefinition extends Definition {
    private static final FieldKind COMMANDS = new FieldKind.ListOf(words(
            "fire", "windows give rows", "flush", "gathered rows leave", "go", "a source goes on", "hold", "a source pauses",
            "reload", "files are read", "set_schedule", "another schedule", "status", "how instances stand",
            "sync", "a mark passes", "tail", "rows that came"), 1);

    private static final OperatorType TYPE = new OperatorType("control", Family.PACKETS,
            "Tells operators of its own graph what to do: each packet is a [command](../control.md). The columns are "
            + "`command STRING`, `operator STRING` (NULL for all that know the command) and `argument STRING`; the last two may "
            + "be missing, and others are not looked at. Each instance that answers gives a row `at TIMESTAMP, command STRING, "
            + "operator STRING, instance INT, ok BOOLEAN, answer STRING`. So does a command that is refused, is not in `allow`, "
            + "is NULL or none at all: `ok` is false, `answer` says why, and `instance` is NULL."
            + "\n- One command is done after the other. At most 256 wait, of 4,000 characters each at most; more are "
            + "answered with `ok` false."
            + "\n- Commands that wait are in snapshots. After a restart, one that was under way is done again."
            + "\n- When its input has ended, it gives what is still to be answered; a `sync` can then no longer pass it, and "
            + "says so.",
            List.of("in"), List.of("out", "errors"), List.of(
                    optional("allow", COMMANDS, "none", "The commands that it may give.")), """
                "steer": {"type": "control", "allow": ["hold", "go", "flush"]}
                """);

    ControlDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Set<ControlCommand> allowed = EnumSet.noneOf(ControlCommand.class);
        for (Text each : context.fields().texts("allow")) {
            allowed.add(ControlCommand.of(each.value()));
        }
        Schema in = context.input().schema();
        int command = context.column(in, "command", context.operator().place());
        if (command < 0) {
            return null;
        }
        Steering.Columns columns = new Steering.Columns(command, in.indexOf("operator"), in.indexOf("argument"));
        for (int column : List.of(columns.command(), columns.operator(), columns.argument())) {
            if (column >= 0 && in.column(column).type() != Simple.STRING) {
                return context.refuse(context.operator().place(), Rule.COLUMN_TYPE, "`" + in.column(column).name() + "` is "
                        + in.column(column).type().sql() + ", and must be STRING",
                        "make a STRING of it by a project before");
            }
        }
        return PlanningResult.of(new ControlSpec(allowed, columns), context.input().with(Steering.ANSWERS, null));
    }

    record ControlSpec(Set<ControlCommand> allowed, Steering.Columns columns) implements ExecutableSpec {
        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return List.of(new SparkGap("a graph on Spark is told nothing while it runs", "run the graph on the engine"));
        }

        @Override
        public TimePerKey timePerKey() {
            return TimePerKey.UNUSED;
        }

        @Override
        public boolean holdsBack() {
            return true;
        }

        @Override
        public Operator make(InstanceContext making) {
            PythonConnections job = making.around().python();
            return new Steering(allowed, columns, job == null ? GraphControl.NOBODY : job.control());
        }
    }
}
