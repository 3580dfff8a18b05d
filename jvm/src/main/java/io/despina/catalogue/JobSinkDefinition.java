package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.field.JobFields;
import io.despina.catalogue.field.SinkMode;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.operator.Operator;
import io.despina.operator.program.JobPlace;
import io.despina.operator.program.JobSink;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SinkGuarantee;
import java.util.List;

/** {@code job_sink}. */
public final class JobSinkDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("job_sink", Family.SINKS,
            "Gives each row to a `spark_source` of another running job (docs/between-jobs.md)."
            + "\n- A job that is not there yet, or not any more, is awaited; the user is told. While it is behind, this one "
            + "waits."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete (`delivery`). If the other "
            + "job keeps its state too, it has each row once."
            + "\n- When all instances have ended, the other job's input ends. A job that is stopped ends nothing.",
            List.of("in"), List.of("errors"), List.of(JobFields.JOB, JobFields.SERVICE, JobFields.TOKEN_FILE,
                    optional("input", TEXT, "the only one", "The source's id in the other graph, whose columns have the "
                            + "names and types of the rows, in any order."),
                    or("ends_input", FLAG, "true", "false: others give rows to that source too, and it goes on."),
                    SocketFields.DELIVERY, SocketFields.OUTBOX, JobFields.SECRET_FILE, JobFields.TLS, SinkMode.APPEND_ONLY), """
                "given": {"type": "job_sink", "job": "house.job", "input": "alarms"}
                """);

    JobSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        if (!SinkMode.isAppend(context)) {
            return null;
        }
        JobPlace place = JobFields.place(context, "input");
        return place == null ? null : PlanningResult.of(new JobSinkSpec(place, context.fields().flag("ends_input"),
                Leaving.of(context)), null);
    }

    record JobSinkSpec(JobPlace place, boolean endsInput, Leaving leaving) implements LeavingSpec {

        @Override
        public Blocking blocking() {
            return Blocking.ALWAYS;
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return leaving.marked("given");
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return List.of(new SparkGap("it gives rows to a job that runs on the engine",
                    "write the frame from Spark: df.writeStream.format(\"despina\")"));
        }

        @Override
        public Operator make(InstanceContext making) {
            return leaving.of(new JobSink(making.around().python().target(place), endsInput), making);
        }
    }
}
