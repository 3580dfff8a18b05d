package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.operator.database.DatabaseOptions;
import io.despina.operator.database.DatabaseSecret;
import io.despina.operator.user.UserClass;
import io.despina.plan.PlanningContext;
import java.sql.Driver;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * How a graph says where a database is.
 *
 * @param user     null without
 * @param password null without
 */
public record DatabaseFields(String url, String driver, DatabaseSecret user, DatabaseSecret password, long retryMs) {
    private static final long NANOS_PER_MS = 1_000_000;
    private static final long RETRY_MS = 10_000;

    /** As a property, {@code user:password@host}, and Oracle's {@code user/password@host}. */
    private static final Pattern PASSWORD = Pattern.compile("[?&;:,(\\s]\\w*(?:password|passwd|pwd)\\s*=\\s*[^&;,)\\s]"
            + "|//[^/?@:]*:[^/?@]+@|^jdbc:oracle:\\w+:[^/@]+/[^@]+@", Pattern.CASE_INSENSITIVE);

    /** The fields of an object with a connection in it. */
    public static List<FieldSpec> specs() {
        List<FieldSpec> specs = new ArrayList<>(place());
        specs.add(or("retry_ms", MILLIS, "10000", "How long to try again where the database cannot be reached, with growing "
                + "pauses; the packets wait. After that they go where `on_error` says, until it answers again."));
        return specs;
    }

    /** Those of an operator that says otherwise how long it tries again. */
    public static List<FieldSpec> place() {
        return List.of(
                required("url", TEXT, "Where it is, as the driver wants it: `jdbc:postgresql://127.0.0.1/plant`. No password "
                        + "belongs here."),
                required("driver", TEXT, "The full name of the driver's class: `org.postgresql.Driver`. Its jar is one of the "
                        + "user's: `--jar`, or a deployment that allows the class."),
                optional("user", TEXT, "none", "Its user."),
                optional("user_env", TEXT, "none", "The variable of the resource's environment that holds the user."),
                optional("password_env", TEXT, "none", "The variable of the resource's environment that holds the password."),
                optional("password_file", TEXT, "none", "The file on the resource's machine that holds the password."));
    }

    /** Null after a refusal. */
    public static DatabaseFields read(PlanningContext context, Values fields) {
        if (ServerFields.excludes(context, fields, "user", "user_env")
                || ServerFields.excludes(context, fields, "password_env", "password_file")) {
            return null;
        }
        if (PASSWORD.matcher(fields.string("url", "")).find()) {
            return context.refuse(fields.place("url"), Rule.OUT_OF_RANGE,
                    "there is a password in `url`, and a graph is no place for one",
                    "take it out, and say in `password_env` or `password_file` where it is");
        }
        DatabaseSecret user = secret(fields, "user", DatabaseSecret.Where.HERE, secret(fields, "user_env",
                DatabaseSecret.Where.ENVIRONMENT, null));
        DatabaseSecret inFile = null;
        if (fields.isWritten("password_file")) {
            String path = LocalPath.planned(context, fields.text("password_file"));
            if (path == null) {
                return null;
            }
            inFile = new DatabaseSecret(DatabaseSecret.Where.FILE, path);
        }
        return new DatabaseFields(fields.string("url", ""), fields.string("driver", ""), user,
                secret(fields, "password_env", DatabaseSecret.Where.ENVIRONMENT, inFile),
                fields.declares("retry_ms") ? fields.whole("retry_ms", RETRY_MS) : 0);
    }

    private static DatabaseSecret secret(Values fields, String name, DatabaseSecret.Where where, DatabaseSecret otherwise) {
        return fields.isWritten(name) ? new DatabaseSecret(where, fields.string(name, "")) : otherwise;
    }

    /** @param classes of the user, the driver among them */
    public DatabaseOptions options(ClassLoader classes, String timeZone) {
        UserClass of = new UserClass(driver, classes);
        return new DatabaseOptions(url, new DatabaseOptions.Login(user, password), () -> of.create(Driver.class),
                ZoneId.of(timeZone), retryMs * NANOS_PER_MS);
    }
}
