package io.despina.catalogue;

import io.despina.api.TransactionalSink;
import io.despina.catalogue.field.SinkMode;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Values;
import io.despina.operator.Operator;
import io.despina.operator.user.UserClass;
import io.despina.operator.user.UserSink;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.SinkGuarantee;
import java.util.List;
import java.util.Map;

/** {@code java_sink}. */
public final class JavaSinkDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("java_sink", Family.CLASSES,
            "Gives rows to a class of yours that implements `io.despina.api.RowSink`; see docs/java-operators.md.",
            List.of("in"), List.of("errors"),
            List.of(JavaDefinition.CLASS, JavaDefinition.OPTIONS_OF_CLASS, JavaDefinition.BLOCKS, SinkMode.APPEND_ONLY), """
                "alarms": {
                  "type": "java_sink",
                  "class": "com.acme.Alarms",
                  "options": {"address": "alarms.acme.com"},
                  "blocks": true
                }
                """);

    JavaSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        if (!SinkMode.isAppend(context)) {
            return null;
        }
        return PlanningResult.of(new JavaSinkSpec(fields.string("class", ""), fields.strings("options"), fields.flag("blocks")),
                null);
    }

    /** The class and its options. */
    public record JavaSinkSpec(String className, Map<String, String> options, boolean blocks) implements ExecutableSpec {
        public JavaSinkSpec {
            options = Map.copyOf(options);
        }

        @Override
        public String userClass() {
            return className;
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return user.keeps(className, TransactionalSink.class) ? Promise.of(SinkGuarantee.TRANSACTIONAL)
                    : new Promise<>(SinkGuarantee.AT_LEAST_ONCE, "class " + className
                    + " may have shown rows before their epoch was complete, and gets them again",
                    "if it hides them until `commit`, let it implement io.despina.api.TransactionalSink");
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return JavaDefinition.noSparkForm("java_sink", "write what Spark can write, with a `file_sink`");
        }

        @Override
        public Operator make(InstanceContext making) {
            return new UserSink(new UserClass(className, making.around().user().classes()), options);
        }
    }
}
