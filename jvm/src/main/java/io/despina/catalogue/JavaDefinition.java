package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.OPTIONS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.api.PureOperator;
import io.despina.descriptor.Ddl;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.Operator;
import io.despina.operator.user.UserClass;
import io.despina.operator.user.UserOperator;
import io.despina.packet.Schema;
import io.despina.plan.EventTimes;
import io.despina.plan.OperatorSpec;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.SinkGuarantee;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** {@code java}. */
public final class JavaDefinition extends Definition {
    static final FieldSpec CLASS = required("class", TEXT, "The full name of the class.");
    static final FieldSpec OPTIONS_OF_CLASS = optional("options", OPTIONS, "none", "Texts for the class.");
    static final FieldSpec BLOCKS = or("blocks", FLAG, "false", "true: the class may wait in its calls, as for an answer from a "
            + "network. Each instance then has a thread of its own.");

    private static final OperatorType TYPE = new OperatorType("java", Family.CLASSES,
            "Runs a class of yours that implements `io.despina.api.RowOperator`; see docs/java-operators.md. It "
            + "takes packets in the order in which they arrive; an ordered `union` before it gives event order. "
            + "The stream at `out` keeps the event time if `schema` has its column, and the class must write that as it came.",
            List.of("in"), List.of("out", "errors"), List.of(
                    CLASS,
                    optional("schema", new FieldKind.Ddl(false), "the input's", "The columns of what leaves, as Spark DDL."),
                    optional("group_by", EXPRESSIONS, "one group", "What its state is kept by. Packets for which these have the "
                            + "same values come to the same instance. Without it, a class that keeps state can have one "
                            + "instance."),
                    OPTIONS_OF_CLASS, BLOCKS), """
                "news": {
                  "type": "java",
                  "class": "com.acme.Changes",
                  "group_by": ["device"],
                  "schema": "ts TIMESTAMP, id BIGINT, device STRING, change DOUBLE",
                  "options": {"least": "0.5"}
                }
                """);

    JavaDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Stream in = context.input();
        Schema out = fields.isWritten("schema") ? schema(fields.text("schema").value()) : in.schema();
        List<Snippet> groupBy = Snippet.of(fields.texts("group_by"));
        ProjectionPlan keys = groupBy.isEmpty() ? null : context.expressions().keys(in.schema(), groupBy);
        if (keys == null && !groupBy.isEmpty()) {
            return null;
        }
        JavaSpec spec = new JavaSpec(fields.string("class", ""), out, keys, fields.strings("options"), fields.flag("blocks"));
        return new PlanningResult(spec, in.with(out, EventTimes.through(in.time(), origins(in.schema(), out))),
                List.of(Snippet.sql(groupBy)), null);
    }

    static Schema schema(String ddl) {
        try {
            return Ddl.parse(ddl);
        } catch (Ddl.DdlException unreadable) {
            throw new IllegalArgumentException("`" + ddl + "`: " + unreadable.getMessage(), unreadable);
        }
    }

    static List<OperatorSpec.SparkGap> noSparkForm(String type, String hint) {
        return List.of(new OperatorSpec.SparkGap("`" + type + "` runs a class in the engine's own tasks", hint));
    }

    /** By output column, the input column of the same name and type, or -1. */
    static List<Integer> origins(Schema in, Schema out) {
        return IntStream.range(0, out.size()).map(k -> {
            int found = in.indexOf(out.column(k).name());
            return found >= 0 && in.column(found).type().equals(out.column(k).type()) ? found : -1;
        }).boxed().toList();
    }

    /**
     * The class and its input.
     *
     * @param keys of the state; null if all packets belong together
     */
    public record JavaSpec(String className, Schema out, ProjectionPlan keys, Map<String, String> options, boolean blocks)
            implements ExecutableSpec {
        public JavaSpec {
            options = Map.copyOf(options);
        }

        @Override
        public String userClass() {
            return className;
        }

        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(keys == null ? null : keys.compiled());
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return user.keeps(className, PureOperator.class) ? null
                    : new Promise<>(SinkGuarantee.AT_LEAST_ONCE, "what class " + className
                    + " does outside of the job is done again for packets after the last epoch",
                    "if it does nothing outside, let it implement io.despina.api.PureOperator");
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return noSparkForm("java", "say it with `scan`, `aggregate` or `project`, if it has to run there");
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
        public boolean isKeyed() {
            return keys != null;
        }

        @Override
        public Operator make(InstanceContext making) {
            UserClass user = new UserClass(className, making.around().user().classes());
            return new UserOperator(new UserOperator.Options(user, options, out, making.keys(keys), JavaDefinition::schema));
        }
    }
}
