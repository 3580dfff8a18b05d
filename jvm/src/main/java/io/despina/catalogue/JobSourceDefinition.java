package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.JobFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Values;
import io.despina.operator.Operator;
import io.despina.operator.program.InputSource;
import io.despina.operator.program.JobPlace;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SourceGuarantee;
import java.util.List;

/** {@code job_source}. */
public final class JobSourceDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("job_source", Family.SOURCES,
            "Brings the rows of a sink of another running job, which keeps them for it: `despina run --spool SINK --job-file "
            + "FILE`, or `despina submit --spool SINK` (docs/between-jobs.md)."
            + "\n- A job that is not there yet, or not any more, is awaited; the user is told."
            + "\n- It ends when the other job's rows have ended. The other job ends when they are all taken."
            + "\n- Instance k reads instance k of the sink, so both have the same `parallelism`.",
            List.of(), List.of("out", "errors"), List.of(JobFields.JOB, JobFields.SERVICE,
                    JobFields.TOKEN_FILE,
                    optional("output", TEXT, "the only sink that is kept", "The sink's id in the other graph."),
                    required("schema", new FieldKind.Ddl(true), "The columns of its rows, as Spark DDL: those that `despina "
                            + "check` shows of the other graph, in any order."),
                    or("on_restart", words("refuse", "the job fails", "begin", "it goes on with the first of the others"),
                            "\"refuse\"", "When the other job has begun anew, without its state, its rows are others."),
                    JobFields.SECRET_FILE, JobFields.TLS),
            """
                "alarms": {
                  "type": "job_source",
                  "job": "plant.job",
                  "output": "alarms",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "event_time": {"column": "ts"}
                }
                """);

    JobSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Schema schema = JavaDefinition.schema(fields.text("schema").value()).withoutDefaults();
        JobPlace place = JobFields.place(context, "output");
        return place == null ? null : PlanningResult.of(new JobSourceSpec(place, schema,
                fields.string("on_restart", "").equals("begin")), new Stream(schema, null, false));
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }

    /** @param beginsAnew whether it takes the rows of a job that has begun anew */
    record JobSourceSpec(JobPlace place, Schema schema, boolean beginsAnew) implements ExecutableSpec {

        /** Its end waits a moment until the other job has heard which rows it need not keep. */
        @Override
        public Blocking blocking() {
            return Blocking.ALWAYS;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return List.of(new SparkGap("its rows are of a job that runs on the engine",
                    "give a DataFrame in its place: to_spark(spark, inputs={…}); Spark reads them by format(\"despina\")"));
        }

        @Override
        public Promise<SourceGuarantee> comesAgain(UserPromises user) {
            return Promise.of(SourceGuarantee.REPLAYABLE);
        }

        @Override
        public Operator make(InstanceContext making) {
            return new InputSource(instance -> making.around().python().rowsOf(place, schema, beginsAnew),
                    making.operator().assigns(), true);
        }
    }
}
