package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.DeclaredSchema;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Values;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Stream;
import java.util.List;

/** {@code spark_source}. */
public final class SparkSourceDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("spark_source", Family.SOURCES,
            "Brings the rows that Spark writes to the running job with `format(\"despina\")`, each epoch once "
            + "(docs/spark-sink.md). It ends when Python calls `job.end_input(id)`.",
            List.of(), List.of("out", "errors"), List.of(
                    required("schema", new FieldKind.Ddl(true), "The columns of its rows, as Spark DDL. "
                            + DeclaredSchema.DEFAULTS),
                    or("unbounded", FLAG, "false", "true: nobody ends it, so what waits for the end of the stream is refused.")),
            """
                "readings": {
                  "type": "spark_source",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "event_time": {"column": "ts"}
                }
                """);

    SparkSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Schema schema = JavaDefinition.schema(fields.text("schema").value());
        return PlanningResult.of(new SparkSourceSpec(), new Stream(schema, null, fields.flag("unbounded")));
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
