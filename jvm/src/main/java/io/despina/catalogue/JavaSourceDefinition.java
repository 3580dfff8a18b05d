package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.api.ReplayableSource;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Values;
import io.despina.operator.Operator;
import io.despina.operator.user.UserClass;
import io.despina.operator.user.UserSource;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.SourceGuarantee;
import java.util.List;
import java.util.Map;

/** {@code java_source}. */
public final class JavaSourceDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("java_source", Family.CLASSES,
            "Brings the rows of a class of yours that implements `io.despina.api.RowSource`; see "
            + "docs/java-operators.md.",
            List.of(), List.of("out", "errors"), List.of(
                    JavaDefinition.CLASS,
                    required("schema", new FieldKind.Ddl(true), "The columns of its rows, as Spark DDL."),
                    or("unbounded", FLAG, "false", "true: it does not end by itself, so what waits for the end of the stream is "
                            + "refused."),
                    JavaDefinition.OPTIONS_OF_CLASS, JavaDefinition.BLOCKS), """
                "queue": {
                  "type": "java_source",
                  "class": "com.acme.Queue",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "options": {"address": "queue.acme.com"},
                  "blocks": true,
                  "event_time": {"column": "ts"}
                }
                """);

    JavaSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Schema schema = JavaDefinition.schema(fields.text("schema").value());
        JavaSourceSpec spec = new JavaSourceSpec(fields.string("class", ""), schema, fields.strings("options"),
                fields.flag("blocks"));
        return PlanningResult.of(spec, new Stream(schema, null, fields.flag("unbounded")));
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }

    /** The class and its output. */
    public record JavaSourceSpec(String className, Schema schema, Map<String, String> options, boolean blocks)
            implements ExecutableSpec {
        public JavaSourceSpec {
            options = Map.copyOf(options);
        }

        @Override
        public String userClass() {
            return className;
        }

        @Override
        public Promise<SourceGuarantee> comesAgain(UserPromises user) {
            return user.keeps(className, ReplayableSource.class) ? Promise.of(SourceGuarantee.REPLAYABLE)
                    : new Promise<>(SourceGuarantee.NONE, "nobody knows whether class " + className
                    + " reads again what came after the last epoch",
                    "if it does, let it implement io.despina.api.ReplayableSource");
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return JavaDefinition.noSparkForm("java_source", "read what Spark can read, with a `file_source`");
        }

        @Override
        public Operator make(InstanceContext making) {
            UserClass user = new UserClass(className, making.around().user().classes());
            return new UserSource(new UserSource.Options(user, options, schema, making.operator().assigns()));
        }
    }
}
