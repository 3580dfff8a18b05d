package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.program.JobPlace;
import io.despina.operator.program.JobPlace.JobService;
import io.despina.plan.PlanningContext;
import java.util.regex.Pattern;

/** The fields of operators that meet another job. */
public final class JobFields {
    public static final FieldSpec JOB = required("job", TEXT, "The other job's file, as `despina run --job-file FILE` and "
            + "`job.file(path)` write it, on the machine of this operator; with `service` the name of a job there. It need not "
            + "be there yet.");
    public static final FieldSpec SERVICE = optional("service", TEXT, "`job` is a file", "The address of a service on the "
            + "machine of this operator, as `http://127.0.0.1:7600`.");
    public static final FieldSpec TOKEN_FILE = optional("token_file", TEXT, "none", "The file with a token of the role `admin`, "
            + "which `service` wants. Its owner alone may read it.");
    public static final FieldSpec SECRET_FILE = optional("secret_file", TEXT, "as the job file says", "The file that has the "
            + "other job's secret, in place of what its job file says.");
    public static final FieldSpec TLS = optional("tls", TEXT, "as the job file says", "The folder of the files for TLS, in place "
            + "of what the job file says.");

    private static final Pattern ADDRESS = Pattern.compile("https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?/?");

    private JobFields() {
    }

    /** @param operator the field that names the other job's; null after a refusal */
    public static JobPlace place(PlanningContext context, String operator) {
        Values fields = context.fields();
        Text job = fields.text("job");
        boolean isServed = fields.isWritten("service");
        if (isServed ? !isService(context, fields) : isRefusedToken(context, fields)) {
            return null;
        }
        String named = isServed ? job.value() : LocalPath.filesAnywhere(context, job, "a job file");
        JobService service = isServed ? new JobService(fields.string("service", ""),
                SocketFields.path(context, fields, "token_file")) : null;
        return named == null ? null : new JobPlace(named, service, fields.string(operator, ""),
                SocketFields.path(context, fields, "secret_file"), SocketFields.path(context, fields, "tls"));
    }

    private static boolean isService(PlanningContext context, Values fields) {
        if (!ADDRESS.matcher(fields.string("service", "")).matches()) {
            context.refuse(fields.place("service"), Rule.PATH, "this is no address of a service", "as http://127.0.0.1:7600");
            return false;
        }
        if (!fields.isWritten("token_file")) {
            context.refuse(fields.place("service"), Rule.MISSING_FIELD, "the service says where a job is to whoever has a "
                    + "token of the role admin", "name the file that has one as \"token_file\"");
            return false;
        }
        return true;
    }

    private static boolean isRefusedToken(PlanningContext context, Values fields) {
        if (fields.isWritten("token_file")) {
            context.refuse(fields.place("token_file"), Rule.EXCLUSIVE, "`token_file` goes with `service`", "leave it out");
        }
        return fields.isWritten("token_file");
    }
}
