package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Text;
import io.despina.operator.program.JobPlace;
import io.despina.plan.PlanningContext;

/** The fields of operators that meet another job. */
public final class JobFields {
    public static final FieldSpec JOB = required("job", TEXT, "The other job's file, as `despina run --job-file FILE` and "
            + "`job.file(path)` write it, on the machine of this operator. It need not be there yet.");
    public static final FieldSpec SECRET_FILE = optional("secret_file", TEXT, "as the job file says", "The file that has the "
            + "other job's secret, in place of what its job file says.");
    public static final FieldSpec TLS = optional("tls", TEXT, "as the job file says", "The folder of the files for TLS, in place "
            + "of what the job file says.");

    private JobFields() {
    }

    /** @param operator the field that names the other job's; null after a refusal */
    public static JobPlace place(PlanningContext context, String operator) {
        Text file = context.fields().text("job");
        String path = LocalPath.filesAnywhere(context, file, "a job file");
        return path == null ? null : new JobPlace(path, context.fields().string(operator, ""),
                SocketFields.path(context, context.fields(), "secret_file"), SocketFields.path(context, context.fields(), "tls"));
    }
}
